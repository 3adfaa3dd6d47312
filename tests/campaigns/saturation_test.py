#!/usr/bin/env python3
"""raddle hunt on small correct programs: it goes through all their schedules, says so, and ends long before its budget. What
it does with a number of executions does not depend on how many workers it has.

usage: saturation_test.py [NAME...]     only what has one of these in its name
"""

import glob
import json
import os
import statistics
import subprocess
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import expect  # noqa: E402
from expect import Problem  # noqa: E402

BUDGET = 60
MEDIAN = 2  # seconds
LARGE = 3000  # schedules: more are not gone through one by one
# The right programs of tests/explore, and the fixed twins of programs with one mistake each.
TWIN = ("-DFIXED", "-std=c++20")
FOLDERS = {"explore": (), "programs/causes/locks": TWIN, "programs/causes/waits": TWIN, "programs/freed": TWIN}
# Their schedules are too many, or depend on how often somebody polls.
ENDLESS = {"polling_sleeper", "lock_order", "slot_kept", "permit_never_posted"}
GATE = ["appender_close", "bubble_sort", "logger", "peterson", "lost_wakeup", "too_few_posts", "went_on", "under_lock", "workers"]

times = {}
lock = threading.Lock()


def hunt(program, folder, *options):
    return expect.raddle(["hunt", "--out", os.path.join(folder, "out"), *options, "--", program], statuses=(0, 1))[1]


def covers(source, options):
    """All schedules, as dfs finds them where it gets through; nothing fails."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "program")
        expect.build(source, program, *options)
        result = hunt(program, folder, "--budget", f"{BUDGET}s")
        with lock:
            times[source] = result["seconds"]
        if result["failing"] or result["inconclusive"]:
            raise Problem(f"fails: {json.dumps(result['findings'])[:400]}")
        _, dfs = expect.raddle(["explore", "--strategy", "dfs", "--limit", str(LARGE), "--out", os.path.join(folder, "dfs"),
                                "--", program], statuses=(0, 1, 3))
        if dfs["failing"]:
            raise Problem("dfs: the right program fails")
        if dfs["complete"] and not result["complete"]:
            raise Problem(f"dfs went through all {dfs['executions']}, the hunt says {result['covered']}")
        # How long one takes says something on a machine with nothing else to do; the median is asked for below.
        if not result["covered"] or result["out_of_budget"]:
            raise Problem(f"not covered in {result['seconds']:.1f} s: {result['executions']} executions")
        if result["complete"] != (result["covered"] == "all schedules"):
            raise Problem(f"complete: {result['complete']}, but {result['covered']}")
        text = subprocess.run([expect.RADDLE, "hunt", "--out", os.path.join(folder, "out"), "--", program], capture_output=True,
                              text=True, timeout=expect.PATIENCE, check=False).stdout
        if f"{result['covered']} covered." not in " ".join(text.split()):
            raise Problem(f"the text does not say so: {text[-600:]}")
        return f"{result['executions']} executions, {result['seconds']:.2f} s, {result['covered']}"


def same_with_workers():
    """What was executed and what came of it, with one worker and with four."""
    for source, options in ((os.path.join(expect.TESTS, "subjects", "bounded_queue.cpp"), ()),
                            (os.path.join(expect.TESTS, "explore", "account.cpp"), ("-DBROKEN",)),
                            (os.path.join(expect.TESTS, "explore", "ring_buffer.cpp"), ())):
        with expect.scratch() as folder:
            program = os.path.join(folder, "program")
            expect.build(source, program, *options)
            seen = []
            for jobs in (1, 4):
                result = hunt(program, folder, "--budget", "10m", "-n", "700", "-j", str(jobs), "--seed", "5")
                findings = [[one.get(key) for key in ("kind", "level", "message", "what", "count", "first_seed", "tried", "realised")]
                            for one in result["findings"]]
                seen.append([findings] + [result[key] for key in ("executions", "schedules", "inconclusive", "covered", "complete")])
            if seen[0] != seen[1]:
                raise Problem(f"{os.path.basename(source)}: one worker: {seen[0]}\n     four: {seen[1]}")
    return None


def main():
    checks = {"workers": same_with_workers}
    for folder, options in FOLDERS.items():
        for source in sorted(glob.glob(os.path.join(expect.TESTS, folder, "*.cpp"))):
            name = os.path.basename(source)[:-len(".cpp")]
            if name not in ENDLESS:
                checks[name] = lambda source=source, options=options: covers(source, options)
    names = sys.argv[1:]
    chosen = [name for name in checks if not names or any(part in name for part in names)]
    try:
        expect.run_all(lambda name: checks[name](), chosen, str, long=[name for name in chosen if name not in GATE])
    finally:
        if times:
            median = statistics.median(times.values())
            print(f"{len(times)} programs, median {median:.2f} s")
            if median > expect.allowed(MEDIAN):
                print("FAIL the median is too high")
                sys.exit(1)


main()
