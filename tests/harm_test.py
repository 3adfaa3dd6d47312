#!/usr/bin/env python3
"""What counts and what does not: harm is shown where there is some, a declared block counts without it, a race that was seen counts, and
correct programs that give up a lock in between are silent. With the programs of tests/harm, and some of tests/programs.

usage: harm_test.py [NAME...]     only what has one of these in its name
"""

import glob
import os
import subprocess
import sys

import expect
from expect import Problem

SOURCES = os.path.join(expect.TESTS, "harm")
PROGRAMS = os.path.join(expect.TESTS, "programs")
SILENT = ["blocking_queue", "dispatcher", "handler_queue", "id_dispenser", "locked_log", "locked_pushes", "permits", "stats_pair", "weak_owner"]
OPTIONS = ["-std=c++17", "-O1", "-g", "-pthread", "-Wall", "-Wextra", "-Werror", "-I", os.path.join(expect.TESTS, "..", "include"),
           "-I", PROGRAMS]


def build(source, folder, instrumented, *options):
    program = os.path.join(folder, os.path.basename(source)[:-len(".cpp")] + (".instrumented" if instrumented else ""))
    done = subprocess.run([expect.CXX if instrumented else "c++", *OPTIONS, *options, source, "-o", program],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(done.stderr)
    return program


def hunt(program, folder, status, *options, budget="2s"):
    _, result = expect.raddle(["hunt", "--budget", budget, *options, "--out", os.path.join(folder, "out"), "--", program],
                              statuses=(status,))
    return result


def at_level(result, level):
    return [finding for finding in result["findings"] if finding["level"] == level]


def replays_as_harmful(found):
    """The replay says what the hunt said, level and harm."""
    for finding in found:
        if finding["replay"] is None:
            continue
        _, again = expect.raddle(["replay", finding["replay"]], statuses=(1,))
        if not again["same"]:
            raise Problem(f"{finding['replay']} does not replay: {again['difference']}")
        told = again["confirmed"]
        if told["level"] != "harmful" or told["harm"] != finding["harm"]:
            raise Problem(f"{finding['replay']}: {told['level']}, {told['harm']} instead of {finding['harm']}")


def shows_harm(name, objects, words):
    """What the instrumented program leaves in memory, and what the unmodified one prints."""
    source = os.path.join(SOURCES, name + ".cpp")
    with expect.scratch() as folder:
        program = build(source, folder, True)
        found = at_level(hunt(program, folder, 1), "harmful")
        if not found:
            raise Problem("no harm was found")
        for finding in found:
            shown = [(one["name"], one["here"], one["serially"]) for one in finding["harm"]["objects"]]
            if shown[0] != objects:
                raise Problem(f"{shown} instead of {objects}")
            if "is taken for one unit" not in finding["inference"] or finding["declared"]:
                raise Problem(f"what it rests on: {finding['inference']}")
        replays_as_harmful(found)
        found = at_level(hunt(build(source, folder, False), folder, 1), "harmful")
        replays_as_harmful(found)
        if not found or (found[0]["harm"]["written_here"], found[0]["harm"]["written_serially"]) != words:
            raise Problem(f"unmodified: {[finding['harm'] for finding in found]}")


        for instrumented in (True, False):
            result = hunt(build(source, folder, instrumented, "-DFIXED"), folder, 0, budget="1s")
            if result["confirmed"] or result["failing"]:
                raise Problem(f"the fixed twin: {result['findings'][0]}")


def text_of_harm():
    """What a person reads: both outcomes, and what the finding rests on."""
    with expect.scratch() as folder:
        program = build(os.path.join(SOURCES, "lost_update.cpp"), folder, True)
        done = subprocess.run([expect.RADDLE, "hunt", "--budget", "2s", "--out", os.path.join(folder, "out"), "--", program],
                              capture_output=True, text=True, check=False, timeout=expect.PATIENCE)
        text = " ".join(done.stdout.split())
        for words in ("HARMFUL", "counter.value_ is 2 serially; here it is 1", "is taken for one unit"):
            if words not in text:
                raise Problem(f"not said: {words}: {done.stdout}")


def returned_harm():
    """Without memory and without output, the exit status shows it; without that, nobody can see harm."""
    with expect.scratch() as folder:
        source = os.path.join(SOURCES, "lost_update.cpp")
        found = at_level(hunt(build(source, folder, False, "-DRETURN"), folder, 1, "--ok-exit", "4"), "harmful")
        if not found or found[0]["harm"]["written_here"] != ["exit status 4"]:
            raise Problem(f"the exit status differs: {[finding['harm'] for finding in found]}")
        result = hunt(build(source, folder, False, "-DQUIET"), folder, 0)
        if result["seen"] < 1 or any(finding["harm"]["found"] for finding in at_level(result, "seen")):
            raise Problem(f"nothing that can be seen differs: {result['findings']}")
        hunt(build(source, folder, True, "-DQUIET"), folder, 1)


def lost_update():
    shows_harm("lost_update", ("counter.value_", "1", ["2"]), (["1"], ["2"]))


def check_then_act():
    shows_harm("check_then_act", ("cache.loads_", "2", ["1"]), (["2"], ["1"]))


def inference_can_be_left_out():
    """--no-joint, --atomic and --suppressions: nothing is said then, of the same program."""
    with expect.scratch() as folder:
        program = build(os.path.join(SOURCES, "lost_update.cpp"), folder, True)
        hunt(program, folder, 0, "--no-joint", "--atomic", "annotated", budget="1s")
        path = os.path.join(folder, "suppressions")
        with open(path, "w", encoding="utf-8") as file:
            file.write("function:increment\n")
        result = hunt(program, folder, 0, "--suppressions", path, "--strict", budget="1s")
        if result["findings"]:
            raise Problem(f"suppressed, but {result['findings'][0]['what']}")


def inference_can_be_left_out_in_part():
    """Each switch leaves out its own part, and what an annotation declares stays."""
    with expect.scratch() as folder:
        # One function takes the lock twice: a frame, and no joint unit.
        program = build(os.path.join(SOURCES, "lost_update.cpp"), folder, True)
        if not at_level(hunt(program, folder, 1, "--no-joint"), "harmful"):
            raise Problem("--no-joint leaves out a block of one function")
        if not at_level(hunt(program, folder, 1, "--atomic", "annotated,frames", "--no-joint"), "harmful"):
            raise Problem("--atomic frames leaves out an invocation that takes the lock twice")
        hunt(program, folder, 0, "--no-joint", "--atomic", "annotated,locks", budget="1s")
        declared = build(os.path.join(SOURCES, "declared.cpp"), folder, True)
        if not at_level(hunt(declared, folder, 1, "--no-joint", "--atomic", "annotated"), "confirmed"):
            raise Problem("what is annotated is left out")


def a_race_can_be_suppressed():
    with expect.scratch() as folder:
        program = build(os.path.join(SOURCES, "relaxed_publication.cpp"), folder, True)
        found = at_level(hunt(program, folder, 1), "confirmed")
        if not found or found[0]["kind"] != "race":
            raise Problem(f"no race: {found}")
        path = os.path.join(folder, "suppressions")
        with open(path, "w", encoding="utf-8") as file:
            file.write("file:*/relaxed_publication.cpp\n")
        result = hunt(program, folder, 0, "--suppressions", path, budget="1s")
        if any(finding["kind"] == "race" for finding in result["findings"]):
            raise Problem(f"suppressed, but {result['findings'][0]['what']}")


def misuse_counts():
    """With one execution as with many, and although it passes."""
    with expect.scratch() as folder:
        program, trace = os.path.join(folder, "misuse"), os.path.join(folder, "trace")
        subprocess.run(["cc", "-g", "-O1", "-pthread", "-I", PROGRAMS, os.path.join(PROGRAMS, "misuse_unlock_other.c"), "-o", program], check=True)
        out = ["--out", os.path.join(folder, "out")]
        for command in (["run"], ["record", "-o", trace], ["check"], ["fuzz", "-n", "3", *out], ["explore", *out], ["hunt", "--budget", "1s", *out]):
            expect.raddle([*command, "--", program], statuses=(1,))


def declared_counts():
    with expect.scratch() as folder:
        program = build(os.path.join(SOURCES, "declared.cpp"), folder, True)
        found = at_level(hunt(program, folder, 1), "confirmed")
        if not found or not found[0]["declared"] or found[0]["inference"] is not None:
            raise Problem("what an annotation declares counts")


def declared_unit_counts():
    """RADDLE_UNIT, or a function of a class with an annotated set: that is declared, also if it is all that a thread does."""
    with expect.scratch() as folder:
        source = os.path.join(SOURCES, "declared_unit.cpp")
        for how in ([], ["-DSET"]):
            found = at_level(hunt(build(source, folder, True, *how), folder, 1), "confirmed")
            if not found or not found[0]["declared"] or found[0]["inference"] is not None:
                raise Problem(f"{how}: what an annotation declares counts: {found}")
            hunt(build(source, folder, True, "-DFIXED", *how), folder, 0, budget="1s")


def seen_race_counts():
    with expect.scratch() as folder:
        source = os.path.join(SOURCES, "relaxed_publication.cpp")
        found = at_level(hunt(build(source, folder, True), folder, 1, budget="1s"), "confirmed")
        if not found or found[0]["kind"] != "race" or not found[0]["replay"]:
            raise Problem(f"a race that every execution shows is certain: {found}")
        hunt(build(source, folder, True, "-DFIXED"), folder, 0, budget="1s")


def silent(name):
    with expect.scratch() as folder:
        for instrumented in (False, True):
            program = build(os.path.join(PROGRAMS, name + ".cpp"), folder, instrumented)
            result = hunt(program, folder, 0, budget="10s" if expect.FULL else "2s")
            if result["confirmed"] or result["failing"]:
                raise Problem(f"it is correct, but {result['findings'][0]}")
        return f"{result['executions']} executions, {result['seen']} seen without harm"


def subject(source):
    """With its own check at the end taken for a pass, the bug is still found, by its harm or as a race."""
    with expect.scratch() as folder:
        program = build(source, folder, True)
        result = hunt(program, folder, 1, "--ok-exit", "1", budget="20s" if expect.FULL else "5s")
        found = at_level(result, "harmful") + at_level(result, "confirmed") + at_level(result, "failing")
        return f"{found[0]['level']}: {found[0].get('what') or found[0]['message']}"


SUBJECTS = [source for source in sorted(glob.glob(os.path.join(expect.TESTS, "subjects", "*.cpp"))) if "_fixed" not in source]
CHECKS = {check.__name__: check for check in (lost_update, check_then_act, text_of_harm, returned_harm, inference_can_be_left_out,
                                                   inference_can_be_left_out_in_part, a_race_can_be_suppressed, misuse_counts, declared_counts,
                                              declared_unit_counts,
                                              seen_race_counts)}
CHECKS |= {f"finds {os.path.basename(source)[:-4]}": lambda source=source: subject(source) for source in SUBJECTS}
CHECKS |= {f"silent about {name}": lambda name=name: silent(name) for name in SILENT}


if __name__ == "__main__":
    wanted = sys.argv[1:]
    names = [name for name in CHECKS if not wanted or any(part in name for part in wanted)]
    expect.run_all(lambda name: CHECKS[name](), names, str, long=[name for name in names if name.startswith("finds ")][3:])
