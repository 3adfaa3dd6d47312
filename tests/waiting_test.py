#!/usr/bin/env python3
"""Threads that wait in loops. A livelock is claimed where nothing will ever change, and nowhere else: not for a thread that a
strategy holds back. And whether a thread waits never depends on the clock: each execution replays, on both carriers."""

import os
import subprocess
import sys

import expect
from expect import Problem

SOURCES = os.path.join(expect.TESTS, "waiting")
with open(os.path.join(SOURCES, "samples.cpp"), encoding="utf-8") as samples:
    CRASH_LINE = next(n for n, line in enumerate(samples, 1) if "// crashes here" in line)


def built(name, folder, *options, compiler=expect.CXX):
    program = os.path.join(folder, name)
    expect.build(os.path.join(SOURCES, name + ".cpp"), program, *options, compiler=compiler)
    return program


def fuzz(program, folder, *options):
    _, result = expect.raddle(["fuzz", "--keep-going", "--out", os.path.join(folder, "found"), *options, "--", program])
    return result


def expect_passed(result):
    if result["passed"] != result["executions"] or result["findings"]:
        raise Problem(f"{result['passed']} of {result['executions']} passed: {[f['message'] for f in result['findings']]}")


def held_back(folder):
    """Every acquisition but the first of each lock is held back: with a fixed seed, in every execution."""
    options = ["--strategy", "atom", "--pause-probability", "1", "-n", "3"]
    for compiler in ("g++", expect.CXX):
        expect_passed(fuzz(built("polled_after_locks", folder, compiler=compiler), folder, *options))


def both_wait(folder):
    """With each of these seeds both threads want to enter at once. The report says what each of them looks at."""
    result = fuzz(built("dekker", folder, "-DWRONG_TURN"), folder, "-n", "3", "--decide", "all")
    kinds = [finding["kind"] for finding in result["findings"]]
    if kinds != ["livelock"] or result["inconclusive"] != 0:
        raise Problem(f"a livelock was expected: {kinds}, {result['inconclusive']} inconclusive")
    finding = result["findings"][0]
    if not finding["replays"]:
        raise Problem(f"does not replay: {finding['replay_note']}")
    waiting = [thread["doing"] for thread in finding["threads"] if thread["id"] != 0]
    if len(waiting) != 2 or not all("read variable" in doing and "again" in doing for doing in waiting):
        raise Problem(f"what the threads wait for is not said: {waiting}")


def one_gives_way(folder):
    expect_passed(fuzz(built("dekker", folder), folder, "-n", "20", "--decide", "all"))


def correct_polling(folder):
    """Threads that poll flags for their turn, unmodified and instrumented, held back by a strategy and hunted: nobody is stuck. What Dekker's
    guards with volatile variables races for the detectors, which see the instrumented program: that is true, and no failure."""
    lamport = {compiler: os.path.join(folder, "lamport." + os.path.basename(compiler)) for compiler in ("cc", expect.CC)}
    for compiler, program in lamport.items():
        subprocess.run([compiler, "-g", "-O1", "-pthread", os.path.join(SOURCES, "lamport.c"), "-o", program], check=True)
    programs = {program: (0,) for program in lamport.values()}
    for compiler, statuses in (("g++", (0,)), (expect.CXX, (0, 1))):
        program = os.path.join(folder, "dekker." + os.path.basename(compiler))
        os.rename(built("dekker", folder, compiler=compiler), program)
        programs[program] = statuses
    for program, statuses in programs.items():
        expect_passed(fuzz(program, folder, "--strategy", "atom", "--pause-probability", "1", "-n", "10"))
        _, result = expect.raddle(["hunt", "--budget", "2s", "--out", os.path.join(folder, "hunted"), "--", program], statuses=statuses)
        if result["failing"] or result["inconclusive"]:
            raise Problem(f"{program}: {result['failing']} failing, {result['inconclusive']} inconclusive")


def replays(folder):
    program = built("polls", folder)
    saved = os.path.join(folder, "saved.replay")
    count = 0
    for strategy in ("random", "pos"):
        for seed in ("1", "2", "3"):
            _, first = expect.raddle(["run", "--strategy", strategy, "--seed", seed, "--decide", "all", "--save", saved, "--",
                                      program], statuses=(0,))
            for carrier in expect.CARRIERS + expect.CARRIERS:
                status, again = expect.raddle(["replay", "--carrier", carrier, saved])
                if status != 0 or again["choice_log"] != first["choice_log"]:
                    raise Problem(f"{strategy}, seed {seed}, {carrier}: {again['finding'] and again['finding']['message']}")
                count += 1
    return f"{count} replays"


def looks_like_a_hang(folder):
    """Nothing proves that a thread that ticks will never wake the one that waits. So there is no verdict, but soon, on both
    carriers at the same step, and who waits is named; also by a campaign, in one line, and by a replay."""
    program = built("ticker", folder, compiler="g++")
    ends = set()
    for carrier in expect.CARRIERS:
        status, result = expect.raddle(["run", "--carrier", carrier, "--", program, "lost"])
        ends.add((status, result["outcome"], result["choice_log"], result["finding"]["level"], result["finding"]["message"]))
    if len(ends) != 1:
        raise Problem(f"the carriers differ: {ends}")
    status, outcome, _, level, message = ends.pop()
    if (status, outcome, level) != (3, "possible hang", "inconclusive"):
        raise Problem(f"{status}, {outcome}, {level}")
    for words in ("looks like a hang: ", " on filled ", " on ended ", "ticker.cpp:", "since step ", "only T1 runs"):
        if words not in message:
            raise Problem(f"{words} is not said: {message}")
    out = os.path.join(folder, "found")
    status, result = expect.raddle(["fuzz", "-n", "6", "--out", out, "--", program, "lost"])
    reasons = result["inconclusive_reasons"]
    if (status, result["inconclusive"], result["findings"]) != (3, 6, []) or len(reasons) != 1 or reasons[0]["count"] != 6:
        raise Problem(f"{status}, {result['inconclusive']} inconclusive: {reasons}")
    for carrier in expect.CARRIERS:
        status, again = expect.raddle(["replay", "--carrier", carrier, result["inconclusive_replay"]])
        if (status, again["outcome"], again["same"]) != (3, "possible hang", True):
            raise Problem(f"{carrier}: {status}, {again['outcome']}: {again['difference']}")
        if "looks like a hang: " not in again["finding"]["message"] or len(again["finding"]["threads"]) != 4:
            raise Problem(f"{again['finding']['message']}")


def ticks_for_long(folder):
    """Who is woken in the end is not given up early; who is given up is not called failing. Threads that work together are
    never given up, however often one of them sleeps."""
    program = built("ticker", folder, compiler="g++")
    for arguments, expected in ((["counts", "5000"], (0, "passed")), (["counts", "300000"], (3, "possible hang")),
                                (["feeds", "12000"], (0, "passed"))):
        status, result = expect.raddle(["run", "--", program, *arguments])
        if (status, result["outcome"]) != expected:
            raise Problem(f"{arguments}: {status}, {result['outcome']}")


def timings_are_not_covered(folder):
    """A sleep lasts as long as it says, unless the clock is adversarial: who relies on that is told, and who does not sleep is
    not."""
    programs = {True: os.path.join(folder, "sleeps"), False: os.path.join(folder, "joins")}
    for sleeps, program in programs.items():
        expect.build(os.path.join(SOURCES, "hopes.cpp"), program, *(["-DSLEEP"] if sleeps else []), compiler="g++")
    commands = (["explore"], ["fuzz", "-n", "20"], ["hunt", "--budget", "1s"])
    for command in commands:
        for sleeps, program in programs.items():
            arguments = [*command, "--out", os.path.join(folder, "out")]
            # A hunt lets a sleep be over early now and then, and finds who relies on it.
            finds = sleeps and command[0] == "hunt"
            status, result = expect.raddle([*arguments, "--", program], statuses=(1,) if finds else (0,))
            if finds and [one["needs"]["early_timeouts"] for one in result["findings"] if one["level"] == "failing"] != [1]:
                raise Problem(f"not by an early time-out: {result['findings']}")
            covered = result.get("covered") or ""
            if ("sleeps and time-outs" in result["not_covered"]) != sleeps or (covered and ("sleeps" in covered) != sleeps):
                raise Problem(f"{command}, sleeps {sleeps}: {result['not_covered']}; {result.get('covered')}")
            if sleeps and (result.get("complete") or "--clock adversarial" not in result["not_covered"]):
                raise Problem(f"{command}: complete, or nothing to try next: {result['not_covered']}")
        # An adversarial clock ends the sleep early in half of the executions, or nearly: 20 are enough.
        status, result = expect.raddle([*command, "--clock", "adversarial", "--out", os.path.join(folder, "out"), "--",
                                        programs[True]], statuses=(1,))
        if "sleeps and time-outs" in result["not_covered"]:
            raise Problem(f"{command}, adversarial: {result['not_covered']}")


def samples_change_nothing(folder):
    """When the host samples a thread depends on how busy the machine is. The program samples itself, once at each place, so
    nothing is left to chance: with each of the mistakes that this is for, one of the executions differs every time."""
    count = 0
    trace = os.path.join(folder, "trace")
    for compiler, level in ((expect.CXX, "-O0"), (expect.CXX, "-O2"), ("g++", "-O0")):
        program = built("samples", folder, level, compiler=compiler)
        for carrier in expect.CARRIERS:
            same = ["--carrier", carrier, "--seed", "3"]
            for command in (["record", "-o", trace], ["run"]):
                if command == ["run"] and carrier == "kernel":
                    continue
                logs = []
                for place in range(11):
                    _, result = expect.raddle([*command, *same, "--", program, str(place)], statuses=(0,))
                    logs.append(result["choice_log"])
                    count += 1
                different = [place for place, log in enumerate(logs) if log != logs[0]]
                if different:
                    raise Problem(f"{compiler} {level}, {' '.join(command)}, {carrier}: a sample changes it at {different}")
            for place in ("0", "11"):
                status, result = expect.raddle(["record", "-o", trace, *same, "--", program, place, "crash"])
                if status != 1 or (result["finding"]["where"] or {}).get("line") != CRASH_LINE:
                    raise Problem(f"{compiler} {level}, {carrier}: the crash after {place} is at {result['finding']['where']}")
    return f"{count} executions"


def check(item):
    with expect.scratch() as folder:
        return item(folder)


if __name__ == "__main__":
    names = sys.argv[1:]
    checks = [held_back, both_wait, one_gives_way, correct_polling, replays, looks_like_a_hang, ticks_for_long, timings_are_not_covered,
              samples_change_nothing]
    expect.run_all(check, [item for item in checks if not names or any(name in item.__name__ for name in names)], lambda item: item.__name__)
