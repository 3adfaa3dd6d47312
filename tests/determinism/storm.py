#!/usr/bin/env python3
"""The same plan gives the same execution, in a storm: for some minutes, random programs of tests/programs, as they are and built
with raddle-c++, with random strategies and seeds, run again and again on both carriers, recorded and not, while other processes
take the cores and the threads are sampled every few microseconds. Prints each difference: choice logs, and recorded events.

usage: storm.py [--minutes N] [--busy N] [--jobs N] [--times N] [--seed N] [NAME...]

Not part of the gate. With RADDLE_TEST_CONTAINER=1 addresses are random, as in many containers.
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import expect  # noqa: E402
from expect import Problem  # noqa: E402

SAMPLES = os.path.join(expect.TESTS, "determinism", "samples.c")
# How often a process samples the first thread, in ns; 0: only the host does.
INTERVALS = (0, 100_000, 300_000, 2_000_000)
MOST_BYTES = 128 << 10  # of a trace whose events are compared
# Addresses are the carrier's own, and the words of a value may be one; the counts at the end are of what events() leaves out, too.
NOT_COMPARED = ("address", "value", "context", "program", "events", "shown")
STRATEGIES = (("random",), ("pct",), ("pct", "--depth", "2"), ("pos",), ("round-robin",))


def environment(library, interval):
    """Of the same length in any case: it is on the main thread's stack, and addresses begin below it."""
    return {**os.environ, "LD_PRELOAD": library, "RADDLE_TEST_SAMPLE_NS": f"{interval:09}"}


def raddle(arguments, env=None):
    done = subprocess.run([expect.RADDLE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, env=env, check=False,
                          timeout=expect.allowed(20))
    if done.returncode not in (0, 1, 3):
        raise Problem(f"exit status {done.returncode}: {' '.join(arguments)}\n{done.stderr.decode(errors='replace')[-1000:]}")
    return done.stdout.decode(errors="replace")


def identity(told):
    result = json.loads(told)
    finding = result["finding"] or {}
    where = finding.get("where") or {}
    return {"outcome": result["outcome"], "steps": result["steps"], "choice_log": result["choice_log"],
            "message": re.sub(r"0x[0-9a-f]+", "an address", finding.get("message", "")),
            "where": (where.get("file"), where.get("line"))}


def events(trace):
    if os.path.getsize(trace) > MOST_BYTES:
        return None
    listed = []
    for line in raddle(["trace", "--json", trace]).splitlines():
        event = {key: value for key, value in json.loads(line).items() if key not in NOT_COMPARED}
        # pthread_getattr_np() of a kernel thread allocates inside libc, that of a fiber is ours and does not.
        if event.get("kind") in ("allocate", "free") and event["where"]["function"].startswith("libc.so"):
            continue
        listed.append(re.sub(r"0x[0-9a-f]+", "an address", json.dumps(event)))
    return listed


def first_difference(ours, theirs):
    for at, (a, b) in enumerate(zip(ours, theirs)):
        if a != b:
            return f"event {at}: {a}, not {b}"
    return f"{len(ours)} events, not {len(theirs)}"


class Item:
    """One program with one plan."""

    def __init__(self, program, instrumented, drawn):
        self.program = program
        self.instrumented = instrumented
        strategy, *more = drawn.choice(STRATEGIES)
        self.plan = ["--strategy", strategy, *more, "--seed", str(drawn.randrange(1, 10_000)), *program.options]
        self.recorded = drawn.random() < 0.5
        if instrumented and "--decide" not in program.options and drawn.random() < 0.3:
            self.plan += ["--decide", "all"]

    def name(self):
        return f"{self.program.name}{' (instrumented)' if self.instrumented else ''} {' '.join(self.plan)}"

    def execute(self, binary, carrier, folder, env, recorded):
        command = [binary, *self.program.args]
        trace = os.path.join(folder, f"{threading.get_ident()}.trace")
        kind = ["record", "-o", trace] if recorded else ["run"]
        told = raddle([*kind, "--json", *self.plan, "--carrier", carrier, "--", *command], env)
        return identity(told), events(trace) if recorded else None

    def check(self, binary, folder, library, times, drawn):
        """The first execution is the measure, and the others have to be the same."""
        measure, measure_events = self.execute(binary, "fiber", folder, environment(library, 0), self.recorded)
        for _ in range(times):
            carrier, interval = drawn.choice(expect.CARRIERS), drawn.choice(INTERVALS)
            recorded = self.recorded and drawn.random() < 0.7
            told, listed = self.execute(binary, carrier, folder, environment(library, interval), recorded)
            how = f"{self.name()}: {'recorded' if recorded else 'run'}, {carrier}, sampled every {interval} ns"
            if told != measure:
                raise Problem(f"{how}: {told}, not {measure}")
            if listed is not None and measure_events is not None and listed != measure_events:
                raise Problem(f"{how}: {first_difference(listed, measure_events)}")


def instrumented_binary(program, folder):
    binary = os.path.join(folder, program.name.replace("/", "_"))
    in_c = program.source.endswith(".c")
    compiler = expect.CXX.removesuffix("c++") + "cc" if in_c else expect.CXX
    standard = ["-std=gnu17", "-D_GNU_SOURCE"] if in_c else ["-std=c++20"]
    # Not expect.build(): programs show what is wrong on purpose, and compilers warn of some of that.
    done = subprocess.run([compiler, *standard, "-O1", "-g", "-w", "-pthread", "-I" + os.path.join(expect.TESTS, "programs"),
                           program.source, "-o", binary, "-lrt"], capture_output=True, text=True, check=False)
    return binary if done.returncode == 0 else None


def chosen_programs(names):
    # How far those come that a timer ends is no decision of ours, nor which call is the first without room on the stack; and
    # to prove that a spinning program spins for ever takes minutes on a busy machine.
    endless = {frozenset(["livelock", "inconclusive"])}
    return [p for p in expect.programs(names) if not endless & set(p.expect) and not p.outside and os.path.exists(p.binary) and
            p.name not in ("crash_stack", "sample_without_room", "spin_for_ever")]


def storm(options, folder):
    library = os.path.join(folder, "samples.so")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", SAMPLES, "-o", library], check=True)
    drawn = random.Random(options.seed)
    programs = chosen_programs(options.names)
    end = time.monotonic() + 60 * options.minutes
    built, lock, counts = {}, threading.Lock(), {"items": 0, "different": 0}

    def one(seed):
        if time.monotonic() > end:
            return
        own = random.Random(seed)
        program = own.choice(programs)
        item = Item(program, own.random() < 0.6 and "libcxx" not in program.name, own)
        binary = program.binary
        if item.instrumented:
            with lock:
                if program.name not in built:
                    built[program.name] = instrumented_binary(program, folder)
                binary = built[program.name]
            if binary is None:
                return
        problem = None
        try:
            item.check(binary, folder, library, options.times, own)
        except (Problem, subprocess.TimeoutExpired) as error:
            problem = str(error)
        with lock:
            counts["items"] += 1
            counts["different"] += problem is not None
            if problem:
                print(f"DIFFERENT {problem}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        while time.monotonic() < end:
            list(pool.map(one, [drawn.randrange(1 << 60) for _ in range(8 * options.jobs)]))
    return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--busy", type=int, default=3, help="processes that take the cores")
    parser.add_argument("--jobs", type=int, default=3, help="executions at a time")
    parser.add_argument("--times", type=int, default=6, help="executions of each plan, besides the first")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("names", nargs="*", help="only programs whose name contains one of these")
    options = parser.parse_args()
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(options.busy)]
    try:
        with expect.scratch() as folder:
            counts = storm(options, folder)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    print(f"{counts['items']} plans, {options.times + 1} executions each: {counts['different']} differ"
          f"{'' if expect.FIXED_ADDRESSES else ', with random addresses'}")
    sys.exit(1 if counts["different"] else 0)


if __name__ == "__main__":
    main()
