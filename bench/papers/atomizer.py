"""Flanagan and Freund (2004): the share of the atomic blocks that were exercised in which the Atomizer finds no violation. The paper
says: over 90 % of the methods that were annotated as atomic, in 100,000 lines of Java.

A block is static: the place where a region of a lock begins, or, apart, a member function. Each program, and its fixed twin, is
executed with -n seeds of each of three strategies; a block counts once, and is atomic if no execution shows otherwise.
"""

import json
import os
import subprocess

import common

STRATEGIES = ("random", "pct", "pos")


def is_birth(function):
    """Class::Class or Class::~Class"""
    parts = function.split("::")
    return len(parts) > 1 and parts[-1].lstrip("~") == parts[-2]


def exercised(trace):
    """(places at which regions of locks begin, member functions) that the recorded execution went through."""
    regions, functions = set(), set()
    with subprocess.Popen([common.RADDLE, "trace", "--json", trace], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            event = json.loads(line)
            if event["type"] != "event":
                continue
            where = event["where"]
            if event["kind"] == "acquire" and event["depth"] == 1 and not event["by_wait"]:
                regions.add((where["file"], where["line"]))
            elif event["kind"] == "enter" and "address" in event and where["file"].startswith(common.ROOT) \
                    and not is_birth(where["function"]):
                functions.add(where["function"])
    return regions, functions


def violated(trace, blocks):
    """Where the blocks were entered that are not atomic."""
    result = common.raddle("analyze", "--detector", "atomizer", "--atomic", blocks, trace)
    return [finding["steps"][0] for finding in result["findings"] if finding["kind"] == "atomicity"]


class Blocks:
    def __init__(self):
        self.all, self.violated = set(), set()

    def atomic(self):
        return len(self.all - self.violated)

    def __str__(self):
        return f"{self.atomic()} of {len(self.all)}" if self.all else "-"


def look(subject, seeds, folder):
    program = subject.build(folder)
    trace = os.path.join(folder, "trace")
    regions, functions = Blocks(), Blocks()
    for strategy in STRATEGIES:
        for seed in range(1, seeds + 1):
            common.raddle("record", "-o", trace, "--strategy", strategy, "--seed", str(seed), "--", program)
            in_regions, in_functions = exercised(trace)
            regions.all |= in_regions
            functions.all |= in_functions
            regions.violated |= {(step["file"], step["line"]) for step in violated(trace, "locks")}
            functions.violated |= {step["function"] for step in violated(trace, "functions")}
    functions.all |= functions.violated  # static ones, and scopes that are annotated
    return regions, functions


def table(arguments):
    common.head("program", "regions of locks: atomic", "fixed twin", "member functions: atomic", "fixed twin")
    # of the programs, of their twins: [regions, functions]
    totals = [[[0, 0], [0, 0]], [[0, 0], [0, 0]]]

    def one(subject):
        with common.scratch() as folder:
            return [look(s, arguments.n or 2, folder) for s in (subject, subject.twin())]

    chosen = common.chosen(common.subjects(), arguments.names)
    for subject, seen in zip(chosen, common.each(one, chosen, arguments.j)):
        for number, pair in enumerate(seen):
            for kind, blocks in enumerate(pair):
                totals[number][kind][0] += blocks.atomic()
                totals[number][kind][1] += len(blocks.all)
        (regions, functions), (twin_regions, twin_functions) = seen
        common.row(subject.name, regions, twin_regions, functions, twin_functions)

    def share(number, kind):
        part, whole = totals[number][kind]
        return f"{part} of {whole}, {100 * part / whole:.0f} %" if whole else "-"

    common.row("all", share(0, 0), share(1, 0), share(0, 1), share(1, 1))
    print("\nPaper: over 90 %.")
