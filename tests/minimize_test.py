#!/usr/bin/env python3
"""raddle minimize, end to end: every failing execution of the subjects and of the programs under test becomes one with
at most three preemptions that fails in the same way and replays; and what bad input gets.

usage: minimize_test.py [--table] [NAME...]
  --table   print the table of docs/minimizing.md instead
  NAME      only the programs whose name contains one of these
"""

import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import expect
from expect import Problem

SUBJECTS = os.path.join(expect.TESTS, "subjects")
PROGRAMS = os.path.join(expect.BUILD, "tests", "programs")
ACCOUNT = os.path.join(expect.BUILD, "examples", "account")
FAILING = {"assertion", "crash", "exception", "exit", "deadlock", "livelock"}
MOST_PREEMPTIONS = 3
REPLAYS = 10


class Item:
    """A program that fails in some executions: built when it is needed."""

    def __init__(self, name, source=None, program=None, arguments=(), options=()):
        self.name, self.source, self.program = name, source, program
        self.arguments, self.options = list(arguments), list(options)

    def build(self, folder):
        if self.source is None:
            return self.program
        built = os.path.join(folder, os.path.basename(self.source)[:-len(".cpp")])
        expect.build(self.source, built)
        return built


def subject_items():
    sources = [s for s in sorted(glob.glob(os.path.join(SUBJECTS, "*.cpp"))) if not s.endswith("_fixed.cpp")]
    return [Item(os.path.basename(s)[:-len(".cpp")], source=s) for s in sources]


def program_items():
    items = []
    for program in expect.programs():
        if program.outside or not any(words <= FAILING for words in program.expect):
            continue
        items.append(Item("programs/" + program.name, program=program.binary, arguments=program.args,
                          options=program.options))
    return items


def text_and_status(*arguments, cwd=None):
    done = subprocess.run([expect.RADDLE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=expect.PATIENCE, check=False, cwd=cwd)
    return done.stdout + done.stderr, done.returncode


def find(item, folder):
    """The replay file of a failing execution, with many preemptions if possible: random switches most."""
    program = item.build(folder)
    out = os.path.join(folder, "out")
    for strategy in ("random", "pos", "pct", "round-robin"):
        status, result = expect.raddle(["fuzz", "-n", "1000", "--strategy", strategy, "--out", out, *item.options, "--",
                                        program, *item.arguments])
        if status == 1 and result["findings"][0]["replays"]:
            return result["findings"][0]
    raise Problem("no failing execution that replays was found")


def minimized(item, folder):
    finding = find(item, folder)
    status, result = expect.raddle(["minimize", "--time", "60s", finding["replay"]], statuses=(1,))
    return finding, result


def check(item):
    with expect.scratch() as folder:
        finding, result = minimized(item, folder)
        before, after = result["before"], result["after"]
        costs = [(c["preemptions"], c["switches"], c["steps"]) for c in (before, after)]
        if costs[1] > costs[0]:
            raise Problem(f"it grew: {before} -> {after}")
        if after["preemptions"] > MOST_PREEMPTIONS:
            raise Problem(f"{after['preemptions']} preemptions are left")
        if (result["finding"]["kind"], result["finding"]["where"]) != (finding["kind"], finding["where"]):
            raise Problem(f"another failure: {finding['message']} became {result['finding']['message']}")
        again = os.path.join(folder, "again.replay")
        _, second = expect.raddle(["minimize", "-o", again, "--time", "60s", finding["replay"]], statuses=(1,))
        if result["complete"] and second["complete"] and second["choice_log"] != result["choice_log"]:
            raise Problem("minimizing it again gave another execution")
        for _ in range(REPLAYS):
            _, replayed = expect.raddle(["replay", result["replay"]], statuses=(1,))
            if not replayed["same"] or replayed["choice_log"] != result["choice_log"]:
                raise Problem(f"the minimized execution does not replay: {replayed['difference']}")
        return f"{before['preemptions']} -> {after['preemptions']} preemptions, {after['steps']} steps"


def print_table(chosen):
    print("| program | failure | preemptions | switches | steps | executions | time |")
    print("|---|---|---|---|---|---|---|")
    for item in chosen:
        with expect.scratch() as folder:
            finding, result = minimized(item, folder)
            before, after = result["before"], result["after"]
            cells = [f"{before[key]} -> {after[key]}" for key in ("preemptions", "switches", "steps")]
            print(f"| {item.name} | {finding['kind']} | {' | '.join(cells)} | {result['executions']} | "
                  f"{result['minimize_seconds']:.2g} s |", flush=True)


# ---- What bad input gets, and what is kept ----

def expect_text(arguments, status, pattern):
    text, got = text_and_status("minimize", *arguments)
    if got != status or not re.search(pattern, text):
        raise Problem(f"minimize {arguments}: exit status {got}, wanted {status} and /{pattern}/:\n{text}")


def bad_input(_):
    with expect.scratch() as folder:
        expect_text([os.path.join(folder, "none.replay")], 2, "none.replay")
        garbage = os.path.join(folder, "garbage")
        with open(garbage, "wb") as file:
            file.write(b"raddle replay\n" + bytes(range(256)))
        expect_text([garbage], 2, "garbage")
        passed = os.path.join(folder, "passed.replay")
        text_and_status("run", "--save", passed, "--", os.path.join(expect.BUILD, "examples", "account_fixed"))
        expect_text([passed], 2, "did not fail.*nothing to keep")
        expect_text(["--time", "0.5x", passed], 2, "--time")
        expect_text([passed, "--", "prog"], 2, "not after --")
        program = os.path.join(folder, "account")
        shutil.copy(ACCOUNT, program)
        text_and_status("fuzz", "--out", os.path.join(folder, "out"), "--", program)
        replay = os.path.join(folder, "out", "1.replay")
        expect_text(["-o", "/nowhere/x.replay", replay], 2, "cannot write /nowhere/x.replay")
        shutil.copy(os.path.join(expect.BUILD, "examples", "account_fixed"), program)
        expect_text([replay], 2, "build")


# A program that fails only the first times: what was recorded does not fail any more.
FADES = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void* nothing(void* p) { return p; }
int main(int argc, char** argv) {
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  FILE* file = fopen(argv[1], "r");
  if (file == NULL) abort();
  fclose(file);
  return 0;
}
"""


def gone(_):
    with expect.scratch() as folder:
        source, program, flag = (os.path.join(folder, name) for name in ("fades.c", "fades", "flag"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(FADES)
        subprocess.run(["cc", "-O1", "-g", "-pthread", source, "-o", program], check=True)
        out = os.path.join(folder, "out")
        text_and_status("fuzz", "-n", "1", "--out", out, "--", program, flag)
        replay = os.path.join(out, "1.replay")
        with open(flag, "w", encoding="utf-8"):
            pass
        expect_text([replay], 3, "no longer fails as recorded")
        if os.path.exists(os.path.join(out, "1.min.replay")):
            raise Problem("nothing was minimized, but a file was written")
        status, result = expect.raddle(["minimize", replay])
        if status != 3 or not result["gone"]:
            raise Problem(f"{status}, {result}")


# Every round costs half a millisecond, so that minimizing takes its time: there is time to interrupt it.
SLOW = r"""
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int turns, last;
static void work(void) {
  for (volatile int i = 0; i < 300000; ++i) continue;
}
static void* run(void* self) {
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&m);
    work();
    if (last != (int)(long)self) ++turns;
    last = (int)(long)self;
    if (i == 60 && turns > 4) abort();
    pthread_mutex_unlock(&m);
  }
  return NULL;
}
int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, run, (void*)(i + 1));
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
"""


def interrupted(_):
    with expect.scratch() as folder:
        source, program = os.path.join(folder, "slow.c"), os.path.join(folder, "slow")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SLOW)
        subprocess.run(["cc", "-O1", "-g", "-pthread", source, "-o", program], check=True)
        out = os.path.join(folder, "out")
        text_and_status("fuzz", "-n", "10", "--out", out, "--", program)
        replay, small = os.path.join(out, "1.replay"), os.path.join(out, "1.min.replay")
        for end in (signal.SIGINT, signal.SIGKILL):
            with subprocess.Popen([expect.RADDLE, "minimize", "--time", "10m", replay], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
                for _ in range(int(expect.allowed(600))):
                    if os.path.exists(small):
                        break
                    time.sleep(0.05)
                else:
                    raise Problem("nothing was saved while it ran")
                process.send_signal(end)
                text = process.communicate(timeout=expect.allowed(60))[0]
            if end == signal.SIGINT and (process.returncode != 1 or "interrupted" not in text):
                raise Problem(f"after Ctrl-C: exit status {process.returncode}\n{text}")
            _, replayed = expect.raddle(["replay", small], statuses=(1,))
            if not replayed["same"]:
                raise Problem(f"what was kept does not replay: {replayed['difference']}")
            os.unlink(small)
        began = time.monotonic()
        _, result = expect.raddle(["minimize", "--time", "1s", replay], statuses=(1,))
        if time.monotonic() - began > expect.allowed(10):
            raise Problem("--time was not kept")
        before, after = result["before"], result["after"]
        if after["preemptions"] > before["preemptions"] or not os.path.exists(small):
            raise Problem(f"{before} -> {after}")


def confirmed_finding(_):
    """What was confirmed and did not fail is minimized, too: the race stays, the switches go."""
    with expect.scratch() as folder:
        source = os.path.join(expect.TESTS, "unlocked", "lost_update.cpp")
        program = Item("lost_update", source=source).build(folder)
        out = os.path.join(folder, "out")
        _, found = expect.raddle(["hunt", "--budget", "10s", "--out", out, "--", program], statuses=(1,))
        confirmed = [f for f in found["findings"] if f["level"] == "confirmed" and f["kind"] == "race" and f["replay"]]
        if not confirmed:
            raise Problem(f"no confirmed race: {found['findings']}")
        _, result = expect.raddle(["minimize", confirmed[0]["replay"]], statuses=(1,))
        before, after = result["before"], result["after"]
        if result["outcome"] != "passed" or after["preemptions"] > min(before["preemptions"], MOST_PREEMPTIONS):
            raise Problem(f"{before} -> {after}, {result['outcome']}")
        # A confirmed race counts in a replay as it did in the hunt.
        _, replayed = expect.raddle(["replay", result["replay"]], statuses=(1,))
        if not replayed["same"]:
            raise Problem(f"it does not replay: {replayed['difference']}")
        if (replayed["confirmed"] or {}).get("kind") != "race":
            raise Problem(f"the replay does not show the race: {replayed['confirmed']}")
        return f"{before['preemptions']} -> {after['preemptions']} preemptions"


def main():
    names = [a for a in sys.argv[1:] if a != "--table"]
    items = [i for i in subject_items() + program_items() if not names or any(name in i.name for name in names)]
    if "--table" in sys.argv:
        print_table(items)
        return
    scenarios = {"bad input": bad_input, "gone": gone, "interrupted": interrupted, "confirmed": confirmed_finding}
    chosen = [s for s in scenarios if not names or any(name in s for name in names)]
    expect.run_all(lambda item: scenarios[item](item) if item in chosen else check(item), chosen + items,
                   lambda item: item if isinstance(item, str) else item.name,
                   long=["programs/spin_for_ever", "linked_queue"])


main()
