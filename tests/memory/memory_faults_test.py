#!/usr/bin/env python3
"""Memory faults that do not crash: each fault of faults.cpp (the heap) and of locals.cpp (other threads' stacks) ends every
execution that has it, at the line that the source names, whichever accesses are decision points, on both carriers, forked and restored; without it the same
code passes. Compiled with and without optimisation."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import expect  # noqa: E402
from expect import Problem  # noqa: E402

SOURCES = ("faults", "locals")
WAYS = (["--decide", "sync"], ["--decide", "all"], ["--decide", "sync", "--carrier", "kernel"], ["--decide", "sync", "--fork"])
EXECUTIONS = 3


def source_of(name):
    return os.path.join(expect.TESTS, "memory", name + ".cpp")


def places(name):
    """The line of each fault, by number."""
    with open(source_of(name), encoding="utf-8") as file:
        lines = file.read().splitlines()
    found = [(re.search(r"// fault (\d+)$", line), at) for at, line in enumerate(lines, 1)]
    return {int(match.group(1)): at for match, at in found if match}


def fuzz(program, folder, options, arguments):
    _, result = expect.raddle(["fuzz", "--keep-going", "-n", str(EXECUTIONS), "--out", os.path.join(folder, "found"), *options,
                               "--", program, *arguments], statuses=(0, 1))
    if result["executions"] != EXECUTIONS or result["inconclusive"] != 0:
        raise Problem(f"{arguments} {options}: {result['executions']} executions, {result['inconclusive']} inconclusive")
    return result


def check_faults(name, program, folder, options):
    for number, line in places(name).items():
        result = fuzz(program, folder, options, ["faulty", str(number)])
        found = [(finding["kind"], finding["where"]["line"]) for finding in result["findings"]]
        if result["failing"] != EXECUTIONS or found != [("memory fault", line)]:
            raise Problem(f"{name}: fault {number} at line {line}, {options}: {result['failing']} executions fail, {found}")
        if not all(finding["replays"] for finding in result["findings"]):
            raise Problem(f"{name}: fault {number}, {options}: does not replay")


def check_correct(name, program, folder, options):
    for number in places(name):
        result = fuzz(program, folder, options, ["correct", str(number)])
        if result["failing"] != 0:
            raise Problem(f"{name}: correct {number}, {options}: {result['findings']}")


def check(name, optimisation, options):
    with expect.scratch() as folder:
        program = os.path.join(folder, name)
        expect.build(source_of(name), program, optimisation, "-fno-builtin-malloc", "-std=c++20")
        check_faults(name, program, folder, options)
        check_correct(name, program, folder, options)


def check_switch():
    with expect.scratch() as folder:
        program = os.path.join(folder, "faults")
        expect.build(source_of("faults"), program)
        result = fuzz(program, folder, ["--no-memory-faults"], ["faulty", "1"])
        if result["failing"] != 0:
            raise Problem(f"--no-memory-faults: {result['findings']}")


def check_item(item):
    if item == "switch":
        check_switch()
    else:
        check(*item)


if __name__ == "__main__":
    items = [(name, optimisation, options) for name in SOURCES for optimisation in ("-O0", "-O2") for options in WAYS]
    expect.run_all(check_item, [*items, "switch"], lambda item: item if item == "switch" else " ".join([*item[:2], *item[2]]))
