#!/usr/bin/env python3
"""Programs without any lock, built with raddle-c++: each bug fails under `raddle fuzz` as a user types it, with two
strategies; its twin never does. Without decision points at plain accesses none of them could fail.

The share of failing executions is at least 5 % for each (measured: 7 to 55 %). Of 300 executions none would fail with
a probability below 0.95^300 = 2e-7; the seeds are fixed besides.
"""

import glob
import os
import subprocess

import expect
from expect import Problem

SOURCES = os.path.join(expect.TESTS, "unlocked")
STRATEGIES = ("random", "pos")
EXECUTIONS = 300
REPLAYS = 20


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"{' '.join(command)}\n{done.stderr}")


def build(source, folder):
    program = os.path.join(folder, os.path.basename(source)[: -len(".cpp")])
    expect.build(source, program)
    return program


def build_tsan(source, folder):
    """By gcc with -fsanitize=thread, linked with libraddle.so instead of libtsan."""
    program = os.path.join(folder, "tsan")
    run(["g++", "-std=c++17", "-O1", "-g", "-fsanitize=thread", "-c", source, "-o", program + ".o"])
    library = os.path.dirname(expect.RADDLE)
    run(["g++", program + ".o", "-o", program, "-L" + library, "-lraddle", "-Wl,-rpath," + library, "-pthread"])
    return program


def fuzz(program, folder, *options):
    out = os.path.join(folder, "found")
    _, result = expect.raddle(["fuzz", "--keep-going", "-n", str(EXECUTIONS), "--out", out, *options, "--", program],
                              statuses=(0, 1))
    if result["executions"] != EXECUTIONS or result["inconclusive"] != 0:
        raise Problem(f"{options}: {result['executions']} executions, {result['inconclusive']} inconclusive")
    return result


def check(source):
    shares = []
    with expect.scratch() as folder:
        bug = build(source, folder)
        twin = build(source.replace(".cpp", "_fixed.cpp"), folder)
        for strategy in STRATEGIES:
            result = fuzz(bug, folder, "--strategy", strategy)
            if result["failing"] == 0:
                raise Problem(f"{strategy}: no execution failed")
            if not all(finding["replays"] for finding in result["findings"]):
                raise Problem(f"{strategy}: a finding does not replay")
            shares.append(f"{strategy} {result['failing'] / EXECUTIONS:.2f}")
            # The set of decision points is the same whatever the number of workers.
            again = fuzz(bug, folder, "--strategy", strategy, "-j", "2")
            if (again["failing"], again["steps"]) != (result["failing"], result["steps"]):
                raise Problem(f"{strategy}: two workers see other executions than one")
            replay = result["findings"][0]["replay"]
            for carrier in expect.CARRIERS:
                for _ in range(REPLAYS):
                    _, replayed = expect.raddle(["replay", "--carrier", carrier, replay], statuses=(1,))
                    if not replayed["same"]:
                        raise Problem(f"{strategy}, {carrier}: {replayed['difference']}")
            if fuzz(twin, folder, "--strategy", strategy)["failing"] != 0:
                raise Problem(f"{strategy}: the fixed twin fails")
        if fuzz(bug, folder, "--decide", "sync")["failing"] != 0:
            raise Problem("fails without decision points at plain accesses: it tests nothing")
        every = fuzz(bug, folder, "--decide", "all")
        if every["failing"] == 0:
            raise Problem("--decide all: no execution failed")
        if fuzz(build_tsan(source, folder), folder)["failing"] == 0:
            raise Problem("built with -fsanitize=thread: no execution failed")
    return ", ".join(shares)


if __name__ == "__main__":
    sources = [s for s in glob.glob(os.path.join(SOURCES, "*.cpp")) if not s.endswith("_fixed.cpp")]
    expect.run_all(check, sorted(sources), os.path.basename)
