#!/usr/bin/env python3
"""Programs as services are written (tests/services): a pool of workers, a table behind it. Detectors must see the bug
in the table, say nothing of the pool, and nothing at all of the fixed twin; `hunt` must explain the right place.

Under `random` 48 of 414 executions of `sessions` fail, and those that fail are seen by the detector: none of 60 seeds
would show it with a probability of (1 - 48/414)^60 = 0.0006; the seeds are fixed besides.
"""

import os
import subprocess

import expect
from expect import Problem

CXX = os.path.join(expect.BUILD, "bin", "raddle-c++")
SOURCES = os.path.join(expect.TESTS, "services")
SEEDS = 60


def build(name, level, folder):
    program = os.path.join(folder, name + level)
    done = subprocess.run([CXX, "-std=c++17", level, "-g", "-Wall", "-Wextra", "-Werror", "-pthread",
                           os.path.join(SOURCES, name + ".cpp"), "-o", program], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(done.stderr)
    return program


def candidates(program, seed):
    _, result = expect.raddle(["check", "--no-predict", "--seed", str(seed), "--", program], statuses=(0, 1))
    return [finding for finding in result["findings"] if finding["level"] != "failing"]


def check(level):
    with expect.scratch() as folder:
        bug = build("sessions", level, folder)
        twin = build("sessions_fixed", level, folder)
        found = [finding for seed in range(1, SEEDS + 1) for finding in candidates(bug, seed)]
        if not found:
            raise Problem("the bug was not seen")
        wrong = [finding["what"] for finding in found if "Sessions::" not in finding["what"]]
        if wrong:
            raise Problem(f"the pool is right, but: {wrong[0]}")
        for seed in range(1, SEEDS + 1):
            if candidates(twin, seed):
                raise Problem(f"the twin is right, but, seed {seed}: {candidates(twin, seed)[0]['what']}")
        _, result = expect.raddle(["hunt", "--budget", "20s", "--out", os.path.join(folder, "out"), "--", bug], statuses=(1,))
        failing = [finding for finding in result["findings"] if finding["level"] == "failing"]
        told = str(failing[0]["explanation"]) if failing else ""
        if "find()" not in told or "put()" not in told:
            raise Problem(f"no explanation, or of another place: {failing}")
    return f"{len(found)} candidates in {SEEDS} executions, all of them true"


if __name__ == "__main__":
    expect.run_all(check, ["-O1", "-O2"], str)
