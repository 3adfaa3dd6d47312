#!/usr/bin/env python3
"""raddle hunt on programs of known cause (tests/programs/causes): each fails, and its explanation names the cause, the
object and the two lines that the program's own comments name; its twin, compiled with -DFIXED, does not fail.

    // cause: lost-update          the field "cause" of the explanation
    // object: stats.requests      what the field "object" begins or ends with
    // [first] ... // [last]       mark the lines of the fields "first" and "last"
    // says: ...                   words of its sentences or its suggestion, if the program names any

usage: causes_test.py [NAME...]     only what has one of these in its name
"""

import glob
import os
import re
import sys

import expect
from expect import Problem

SOURCES = os.path.join(expect.TESTS, "programs", "causes")


def expected(source):
    with open(source, encoding="utf-8") as file:
        lines = file.read().splitlines()
    text = "\n".join(lines)
    facts = {key: re.search(rf"^// {key}: (.+)$", text, re.M)[1] for key in ("cause", "object")}
    says = re.search(r"^// says: (.+)$", text, re.M)
    facts["says"] = says[1] if says else ""
    for mark in ("first", "last"):
        marked = [number for number, line in enumerate(lines, 1) if re.search(rf"// .*\[{mark}\]", line)]
        if len(marked) != 1:
            raise Problem(f"{source}: {len(marked)} lines are marked [{mark}]")
        facts[mark] = marked[0]
    return facts


def names_the_cause(source):
    facts = expected(source)
    name = os.path.basename(source)
    with expect.scratch() as folder:
        program = os.path.join(folder, name[:-4])
        expect.build(source, program, "-std=c++20")
        _, result = expect.raddle(["hunt", "--budget", "20s", "--out", os.path.join(folder, "out"), "--", program],
                                  statuses=(1,))
    failing = [finding for finding in result["findings"] if finding["level"] == "failing"]
    if not failing:
        raise Problem("nothing fails")
    explanation = failing[0]["explanation"]
    if explanation is None:
        raise Problem(f"not explained: {failing[0]['message']}")
    if explanation["cause"] != facts["cause"]:
        raise Problem(f"cause {explanation['cause']}, not {facts['cause']}: {explanation['sentences']}")
    named = explanation["object"]
    if not named.startswith(facts["object"]) and not named.endswith(facts["object"]):
        raise Problem(f"object {named}, not {facts['object']}")
    for mark in ("first", "last"):
        where = explanation[mark]["where"]
        if os.path.basename(where["file"]) != name or where["line"] != facts[mark]:
            raise Problem(f"{mark} is {where}, not line {facts[mark]}: {explanation['sentences']}")
    text = " ".join([explanation["title"], explanation["summary"], explanation["suggestion"], *explanation["sentences"]])
    if facts["says"] not in text:
        raise Problem(f"not said: {facts['says']}: {text}")
    for ugly in ("_M_", "(vptr)", "0x", "std::thread::_State"):
        if ugly in text:
            raise Problem(f"{ugly} in: {text}")
    return f"{explanation['title']}"


def twin_is_silent(source):
    with expect.scratch() as folder:
        program = os.path.join(folder, os.path.basename(source)[:-4])
        expect.build(source, program, "-std=c++20", "-DFIXED")
        _, result = expect.raddle(["hunt", "--budget", "500ms", "--out", os.path.join(folder, "out"), "--", program],
                                  statuses=(0, 1))
    if result["failing"]:
        raise Problem(f"the fixed twin fails: {result['findings'][0]['message']}")
    return f"{result['executions']} executions"


def main():
    words = sys.argv[1:]
    sources = sorted(glob.glob(os.path.join(SOURCES, "*.cpp")))
    if len(sources) < 30:
        sys.exit(f"only {len(sources)} programs in {SOURCES}")
    items = [(check, source) for source in sources for check in (names_the_cause, twin_is_silent)
             if not words or any(word in os.path.basename(source) for word in words)]
    expect.run_all(lambda item: item[0](item[1]), items,
                   lambda item: f"{os.path.basename(item[1])[:-4]} {item[0].__name__}")


main()
