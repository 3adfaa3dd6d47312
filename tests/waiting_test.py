#!/usr/bin/env python3
"""Threads that wait in loops. A livelock is claimed where nothing will ever change, and nowhere else: not for a thread that a
strategy holds back. And whether a thread waits never depends on the clock: each execution replays, on both carriers."""

import os

import expect
from expect import Problem

SOURCES = os.path.join(expect.TESTS, "waiting")


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


def check(item):
    with expect.scratch() as folder:
        return item(folder)


if __name__ == "__main__":
    expect.run_all(check, [held_back, both_wait, one_gives_way, replays], lambda item: item.__name__)
