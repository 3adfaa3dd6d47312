#!/usr/bin/env python3
"""raddle hunt on programs of known cause (tests/programs/causes): each fails, and its explanation names the cause, the
object and the two lines that the program's own comments name; its twin, compiled with -DFIXED, does not fail.

    // cause: lost-update          the field "cause" of the explanation
    // object: stats.requests      what the field "object" begins or ends with; "or" between what it may be
    // [first] ... // [last]       mark the lines of the fields "first" and "last"
    // nowhere: first              that one is of no line of the program, and has no place
    // says: ...                   words of its sentences or its suggestion, if the program names any
    // seen: ...                   likewise, of the instrumented program alone: the unmodified one does not show so much
    // fails: ...                  words of the line that says how it fails, of the instrumented program
    // never: ...                  words that none of them, and no step, may have: advice that would not help
    // shows: ...                  words that one of its steps has
    // causes: 1                   however many ways it fails, these are at most so many
    // also: -O0                   so compiled, its explanation names the same
    // unmodified: CAUSE A B       compiled with -O0 and without hooks, that cause, and its two places
    // level: misuse               nothing fails; a primitive is misused, also in the unmodified program
    // level: confirmed            nothing fails; what happened is wrong all the same
    // without a place: -O2        so optimised, the misuse is a jump at the end of its function, which leaves no place

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
    seen = re.search(r"^// seen: (.+)$", text, re.M)
    facts["seen"] = seen[1] if seen else ""
    fails = re.search(r"^// fails: (.+)$", text, re.M)
    facts["fails"] = fails[1] if fails else ""
    facts["never"] = re.findall(r"^// never: (.+)$", text, re.M)
    facts["shows"] = re.findall(r"^// shows: (.+)$", text, re.M)
    level = re.search(r"^// level: (.+)$", text, re.M)
    facts["level"] = level[1] if level else "failing"
    facts["also"] = re.findall(r"^// also: (.+)$", text, re.M)
    facts["placeless"] = re.findall(r"^// without a place: (.+)$", text, re.M)
    unmodified = re.search(r"^// unmodified: (.+)$", text, re.M)
    facts["unmodified"] = unmodified[1].split() if unmodified else []
    causes = re.search(r"^// causes: (.+)$", text, re.M)
    facts["causes"] = int(causes[1]) if causes else 0
    nowhere = re.findall(r"^// nowhere: (.+)$", text, re.M)
    for mark in ("first", "last"):
        if mark in nowhere:
            facts[mark], facts["any " + mark] = 0, [0]
            continue
        marked = [number for number, line in enumerate(lines, 1) if re.search(rf"// .*\[{mark}\]", line)]
        # What fails in many ways may come to light at any of them.
        if len(marked) != 1 and not facts["causes"]:
            raise Problem(f"{source}: {len(marked)} lines are marked [{mark}]")
        facts[mark] = marked[0]
        facts["any " + mark] = marked
    return facts


def names_the_cause(source):
    facts = expected(source)
    name = os.path.basename(source)
    if facts["level"] == "misuse":
        return names_the_misuse(source, facts)
    for option in ("-O1", *facts["also"]):
        with expect.scratch() as folder:
            program = os.path.join(folder, name[:-4])
            expect.build(source, program, "-std=c++20", option)
            _, result = expect.raddle(["hunt", "--budget", "20s", "--out", os.path.join(folder, "out"), "--", program],
                                      statuses=(1,))
        found = [finding for finding in result["findings"] if finding["level"] == facts["level"]]
        if not found:
            raise Problem(f"{option}: nothing is {facts['level']}")
        if found[0]["explanation"] is None:
            raise Problem(f"{option}: not explained: {found[0]}")
        told = is_right(found[0]["explanation"], facts, name)
        if facts["fails"] not in found[0].get("message", ""):
            raise Problem(f"{option}: it does not fail so: {found[0]['message']}")
        if facts["causes"] and result["failing"] > facts["causes"]:
            raise Problem(f"{option}: {result['failing']} causes: {[one['explanation'] for one in found]}")
    if facts["unmodified"]:
        names_it_unmodified(source, facts["unmodified"])
    return told


def names_it_unmodified(source, expected_facts):
    with expect.scratch() as folder:
        program = os.path.join(folder, os.path.basename(source)[:-4])
        expect.build(source, program, "-std=c++20", "-O0", compiler="c++")
        _, result = expect.raddle(["hunt", "--budget", "3s", "--out", os.path.join(folder, "out"), "--", program],
                                  statuses=(1,))
    explanation = result["findings"][0]["explanation"]
    if explanation is None:
        raise Problem("unmodified: not explained")
    places = [f"{os.path.basename(explanation[mark]['where']['file'])}:{explanation[mark]['where']['line']}"
              for mark in ("first", "last")]
    if [explanation["cause"], *places] != expected_facts:
        raise Problem(f"unmodified: {explanation['cause']} {places}: {explanation['sentences']}")


def names_the_misuse(source, facts):
    """The same by hunt, explore and replay, of instrumented and of unmodified programs, where the library's headers have frames."""
    name = os.path.basename(source)
    with expect.scratch() as folder:
        program = os.path.join(folder, name[:-4])
        for compiler, options in ((expect.CXX, ("-O1",)), ("c++", ("-O0",)), ("c++", ("-O2",))):
            expect.build(source, program, "-std=c++20", *options, compiler=compiler)
            commands = [["hunt", "--budget", "3s"]]
            # An unmodified program does not show its atomic variables, so that exploring may not come there.
            if compiler == expect.CXX:
                commands.append(["explore", "--decide", "sync"])
            for command in commands:
                out = os.path.join(folder, "out")
                _, result = expect.raddle([*command, "--out", out, "--", program], statuses=(1,))
                faults = [one for one in result["findings"] if one["kind"] == "memory fault"]
                if compiler == expect.CXX and faults and not result["misuses"]:
                    # The memory of what is misused is gone, too: that fails, by the same cause.
                    if command[0] == "hunt":
                        told = is_right(faults[0]["explanation"], facts, name)
                    continue
                if not result["misuses"]:
                    raise Problem(f"{command[0]}, {compiler} {options[0]}: no misuse")
                misuse = result["misuses"][0]
                known = compiler == expect.CXX or options[0] not in facts["placeless"]
                if (f"{name}:{facts['last']})" in misuse["what"]) != known or (f"{name}:" in misuse["what"]) != known:
                    raise Problem(f"{command[0]}, {compiler} {options[0]}: {misuse}")
                # Without optimisation the places of locks are in the library's headers: who held it is not said then.
                if misuse["explanation"] is not None:
                    expected_here = dict(facts) if known else {**facts, "last": None}
                    if compiler != expect.CXX:
                        expected_here["seen"] = ""
                    told = is_right(misuse["explanation"], expected_here, name)
                elif options != ("-O0",):
                    raise Problem(f"{command[0]}, {compiler} {options[0]}: not explained: {misuse}")
                _, again = expect.raddle(["replay", misuse["replay"]], statuses=(1,))
                if again["misuse_explanations"] != [misuse["explanation"]]:
                    raise Problem(f"{command[0]}, {compiler} {options[0]}: the replay says {again['misuse_explanations']}")
        return told


def is_right(explanation, facts, name):
    if explanation["cause"] != facts["cause"]:
        raise Problem(f"cause {explanation['cause']}, not {facts['cause']}: {explanation['sentences']}")
    named = explanation["object"]
    if not any(named.startswith(one) or named.endswith(one) for one in facts["object"].split(" or ")):
        raise Problem(f"object {named}, not {facts['object']}")
    for mark in ("first", "last"):
        where = explanation[mark]["where"]
        if facts[mark] is None:
            if where["line"] != 0 or "where is not known" not in explanation["sentences"][0]:
                raise Problem(f"{mark} is {where}, which nobody can know: {explanation['sentences']}")
        elif facts[mark] == 0:
            if where["file"] or where["line"] != 0:
                raise Problem(f"{mark} is {where}, which is nowhere: {explanation['sentences']}")
        elif os.path.basename(where["file"]) != name or where["line"] not in facts["any " + mark]:
            raise Problem(f"{mark} is {where}, not line {facts[mark]}: {explanation['sentences']}")
    text = " ".join([explanation["title"], explanation["summary"], explanation["suggestion"], *explanation["sentences"]])
    for said in (facts["says"], facts["seen"]):
        if said not in text:
            raise Problem(f"not said: {said}: {text}")
    steps = [step["what"] for step in explanation["steps"]]
    for never in facts["never"]:
        if any(never in words for words in (text, *steps)):
            raise Problem(f"said: {never}: {text} {steps}")
    for shown in facts["shows"]:
        if not any(shown in step for step in steps):
            raise Problem(f"no step: {shown}: {steps}")
    if explanation["cause"] == "came-between" and not here_is_last(explanation):
        raise Problem(f"what goes wrong is not marked: {explanation['steps']}")
    for ugly in ("_M_", "(vptr)", "0x", "std::thread::_State"):
        if ugly in text:
            raise Problem(f"{ugly} in: {text}")
    return f"{explanation['title']}"


def here_is_last(explanation):
    """The step that is marked is the last one of the thread that was disturbed, where it came so far."""
    thread = explanation["last"]["thread"]
    own = [step for step in explanation["steps"] if step["thread"] == thread]
    return own[-1]["violates"] or explanation["last"]["where"]["line"] not in [step["where"]["line"] for step in own]


def twin_is_silent(source):
    with expect.scratch() as folder:
        program = os.path.join(folder, os.path.basename(source)[:-4])
        expect.build(source, program, "-std=c++20", "-DFIXED")
        _, result = expect.raddle(["hunt", "--budget", "500ms", "--out", os.path.join(folder, "out"), "--", program],
                                  statuses=(0,))
    if result["failing"]:
        raise Problem(f"the fixed twin fails: {result['findings'][0]['message']}")
    if result["misuses"]:
        raise Problem(f"the fixed twin: {result['misuses'][0]['what']}")
    return f"{result['executions']} executions"


def main():
    words = sys.argv[1:]
    sources = sorted(glob.glob(os.path.join(SOURCES, "**", "*.cpp"), recursive=True))
    if len(sources) < 30:
        sys.exit(f"only {len(sources)} programs in {SOURCES}")
    items = [(check, source) for source in sources for check in (names_the_cause, twin_is_silent)
             if not words or any(word in os.path.basename(source) for word in words)]
    expect.run_all(lambda item: item[0](item[1]), items,
                   lambda item: f"{os.path.basename(item[1])[:-4]} {item[0].__name__}")


main()
