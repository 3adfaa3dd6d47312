#!/usr/bin/env python3
"""Nobody is accused: the tests' own programs, built with raddle-cc and raddle-c++, have no memory fault in any execution, but
for those that are written to have one. Whatever else is wrong with them is other tests' business.

usage: correct_programs_test.py [NAME...]     only what has one of these in its path
A few programs of each folder; with RADDLE_TEST_FULL=1 all of them, more than 200.
"""

import glob
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import expect  # noqa: E402
from expect import Problem  # noqa: E402

ROOT = os.path.dirname(expect.TESTS)
FOLDERS = ("tests/programs", "tests/subjects", "tests/explore", "tests/unlocked", "tests/waiting", "tests/predict",
           "tests/confirming", "tests/harm", "tests/fix", "tests/names", "tests/papers", "tests/limits", "tests/figures",
           "tests/real_executions", "tests/reports", "tests/programs/causes/lifetime", "tests/programs/causes/locks",
           "tests/programs/causes/order", "tests/programs/circumstances", "tests/programs/freed", "bench/rare/programs",
           "bench/papers/programs")
EXECUTIONS = 20
FEW = 3  # of each folder, unless all are wanted
ENOUGH = 200
# These are about memory that was freed: a mutex that is unlocked then.
FAULTY = {"tests/programs/misuse_freed_held.cpp"}


def sources():
    found = []
    for folder in FOLDERS:
        here = sorted(glob.glob(os.path.join(ROOT, folder, "*.c")) + glob.glob(os.path.join(ROOT, folder, "*.cpp")))
        names = [os.path.relpath(path, ROOT) for path in here]
        names = [name for name in names if name not in FAULTY]
        found += names if expect.FULL or len(sys.argv) > 1 else names[:FEW]
    return [name for name in found if len(sys.argv) == 1 or any(text in name for text in sys.argv[1:])]


def arguments_of(name):
    if os.path.dirname(name) != "tests/programs":
        return []
    return expect.Program(os.path.join(ROOT, name)).args


def compiled(name, program):
    """False: it needs more than itself, a library or another file."""
    plus = name.endswith(".cpp")
    command = [expect.CXX if plus else os.path.join(expect.BUILD, "bin", "raddle-cc"), "-O1", "-g", "-pthread", "-DFIXED",
               "-std=gnu++20" if plus else "-std=gnu17", "-D_GNU_SOURCE", "-I", os.path.join(ROOT, "include"),
               "-I", os.path.join(ROOT, "tests", "programs"), "-w", os.path.join(ROOT, name), "-o", program, "-ldl", "-lrt"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def check(name):
    with expect.scratch() as folder:
        program = os.path.join(folder, "program")
        if not compiled(name, program):
            return "left out"
        command = ["fuzz", "--keep-going", "-n", str(EXECUTIONS), "--budget", "10s", "--out", os.path.join(folder, "out"), "--",
                   program, *arguments_of(name)]
        _, result = expect.raddle(command, statuses=(0, 1, 3))
        accused = [finding["message"] for finding in (result or {}).get("findings", []) if finding["kind"] == "memory fault"]
        if accused:
            raise Problem(f"{name}: {accused}")
        judged.append(name)
        return None


judged = []

if __name__ == "__main__":
    try:
        expect.run_all(check, sources(), lambda name: name)
    finally:
        print(f"{len(judged)} programs judged")
        if expect.FULL and len(sys.argv) == 1 and len(judged) < ENOUGH:
            print(f"FAIL fewer than {ENOUGH}")
            sys.exit(1)
