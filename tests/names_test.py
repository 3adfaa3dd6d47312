#!/usr/bin/env python3
"""Names and lines as a person would write them: the lines of calls on a stack, the locks that are held, locks without a
variable's name.

usage: names_test.py [NAME...]     only what has one of these in its name
"""

import json
import os
import re
import subprocess
import sys

import expect
from expect import Problem

SOURCES = os.path.join(expect.TESTS, "names")


def marked_lines(source):
    with open(source, encoding="utf-8") as file:
        lines = enumerate(file.read().splitlines(), 1)
    return {match[1]: number for number, line in lines if (match := re.search(r"// \[(\w+)\]", line))}


def expect_lines(findings, source):
    lines = marked_lines(source)
    wanted = [lines[name] for name in ("access", "step", "twice", "work")]
    stacks = [step["stack"] for finding in findings if finding["kind"] == "race" for step in finding["steps"]
              if step["line"] == lines["access"]]
    if not stacks:
        raise Problem(f"no race at line {lines['access']}: {findings}")
    for stack in stacks:
        seen = [frame["line"] for frame in stack]
        if seen[:len(wanted)] != wanted or len({frame["file"] for frame in stack}) != 1:
            raise Problem(f"{stack} instead of lines {wanted}")


def calls():
    """The lines of the calls, live and from a file; a file that is read after the program was built anew has none."""
    source = os.path.join(SOURCES, "calls.cpp")
    with expect.scratch() as folder:
        program, trace = os.path.join(folder, "calls"), os.path.join(folder, "trace")
        expect.build(source, program)
        _, live = expect.raddle(["check", "--", program])
        expect_lines(live["findings"], source)
        subprocess.run([expect.RADDLE, "record", "-o", trace, "--", program], check=True, capture_output=True)
        _, read = expect.raddle(["analyze", trace])
        expect_lines(read["findings"], source)
        os.rename(program, program + ".old")
        expect.build(source, program)
        _, later = expect.raddle(["analyze", trace])
        for finding in later["findings"]:
            for step in finding["steps"]:
                callers = [frame["line"] for frame in step["stack"][1:] if frame["function"] == "work"]
                if any(line != 0 and line != marked_lines(source)["work"] for line in callers):
                    raise Problem(f"a line of another build: {step['stack']}")


def last_call():
    """A call in the place of a return keeps the line of the function that makes it."""
    source = os.path.join(SOURCES, "last_call.cpp")
    with expect.scratch() as folder:
        program = os.path.join(folder, "last_call")
        expect.build(source, program, "-O2")
        _, result = expect.raddle(["fuzz", "-n", "1", "--out", os.path.join(folder, "out"), "--", program], statuses=(1,))
    steps = result["findings"][0]["steps"]
    unlocks = [step["where"]["line"] for step in steps if step["what"].startswith("unlock")]
    if unlocks != [marked_lines(source)["unlock"]]:
        raise Problem(f"unlocked at {unlocks}: {steps}")


def hoisted_read():
    """What the optimiser reads once for all rounds of a loop is read at the update in it."""
    source = os.path.join(SOURCES, "hoisted_read.cpp")
    with expect.scratch() as folder:
        program = os.path.join(folder, "hoisted_read")
        for option in ("-O1", "-O2", "-O0"):
            expect.build(source, program, "-std=c++20", option)
            _, result = expect.raddle(["check", "--detector", "race", "--", program], statuses=(1,))
            places = {(os.path.basename(step["file"]), step["line"]) for finding in result["findings"] for step in finding["steps"]}
            if places != {("hoisted_read.cpp", marked_lines(source)["update"])}:
                raise Problem(f"{option}: {places}")


# How the lock is taken: what is held.
HELD = {"guard": ["config.mutex_"], "unique": ["config.mutex_"], "scoped": ["config.mutex_", "config.other_"],
        "recursive": ["config.recursive_"], "reading": ["config.shared_ (shared)"], "writing": ["config.shared_"],
        "pthread": ["config.plain_"], "early": []}


def held_locks():
    """check, hunt, its explanation and its replay agree about what is held."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "held_locks")
        expect.build(os.path.join(SOURCES, "held_locks.cpp"), program, "-std=c++20")
        for how, wanted in HELD.items():
            _, checked = expect.raddle(["check", "--", program, how])
            out = os.path.join(folder, how)
            _, hunted = expect.raddle(["hunt", "--budget", "1s", "--failing-only", "--out", out, "--", program, how],
                                      statuses=(1,))
            for result in (checked, hunted):
                for step in [s for f in result["findings"] if f["kind"] == "race" for s in f["steps"]]:
                    expected = wanted if step["thread"] == 0 else []
                    if step["object"] == "config.value_" and step["locks"] != expected:
                        raise Problem(f"{how}: T{step['thread']} holds {step['locks']}, not {expected}")
            failing = next(f for f in hunted["findings"] if f.get("explanation"))
            _, replayed = expect.raddle(["replay", failing["replay"]], statuses=(1,))
            told = [one["explanation"]["sentences"] for one in (failing, replayed)]
            if told[0] != told[1]:
                raise Problem(f"{how}: the hunt says {told[0]}, its replay {told[1]}")
            names = [name.replace(" (shared)", "") for name in wanted]
            says = any(f"T0 holds {name}" in " ".join(told[0]) for name in names)
            if says != bool(wanted):
                raise Problem(f"{how}: {told[0]}")


PLACES = ("library", "vector", "unique_ptr", "map", "deque", "shared_ptr", "malloc", "local")


def nameless_locks():
    """No sentence has a bare address. The fixed twin has no cycle."""
    with expect.scratch() as folder:
        library = os.path.join(folder, "libpool.so")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-pthread", os.path.join(SOURCES, "pool.c"), "-o", library], check=True)
        source = os.path.join(SOURCES, "nameless_locks.cpp")
        for compiler in (expect.CXX, "g++"):
            program = os.path.join(folder, "locks")
            options = ["-std=c++20", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", f"-Wl,-rpath,{folder}"]
            for output, more in ((program, []), (program + "_fixed", ["-DFIXED"])):
                subprocess.run([compiler, *options, *more, source, library, "-o", output], check=True)
            for place in PLACES:
                _, result = expect.raddle(["check", "--detector", "deadlock", "--", program, place])
                found = [finding for finding in result["findings"] if finding["kind"] == "lock-order"]
                if not found:
                    raise Problem(f"{compiler}, {place}: no cycle of locks")
                words = json.dumps([[f["what"], f["object"], [(s["object"], s["locks"]) for s in f["steps"]]] for f in found])
                if re.search(r"\b0x[0-9a-f]{6,}", words):
                    raise Problem(f"{compiler}, {place}: {words}")
            _, result = expect.raddle(["check", "--detector", "deadlock", "--", program + "_fixed", PLACES[0]], statuses=(0,))
            if result["findings"]:
                raise Problem(f"{compiler}: the fixed twin has {result['findings'][0]['what']}")


def descriptors():
    """A descriptor has the number that the program knows it by."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "empty_pipe")
        expect.build(os.path.join(SOURCES, "empty_pipe.cpp"), program)
        for command in (["fuzz", "-n", "1", "--out", os.path.join(folder, "out")], ["run"]):
            done = subprocess.run([expect.RADDLE, *command, "--", program], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  check=False)
            text = done.stdout + done.stderr
            if done.returncode != 1 or "waits to read from descriptor 40" not in text:
                raise Problem(text)


CHECKS = {check.__name__: check for check in (calls, last_call, hoisted_read, held_locks, nameless_locks, descriptors)}

if __name__ == "__main__":
    wanted_names = sys.argv[1:]
    chosen = [name for name in CHECKS if not wanted_names or any(part in name for part in wanted_names)]
    expect.run_all(lambda name: CHECKS[name](), chosen, str)
