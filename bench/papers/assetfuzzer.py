"""Lai, Cheung and Chan (2010), Table 2: the same programs under monitoring with random schedules, RaceFuzzer, AtomFuzzer and
AssetFuzzer (here `random`, `race`, `atom` with the paper's atomic blocks, `asset`), with the same number of executions each: -n for
each candidate of `asset`, as in the paper, and never fewer than FEWEST or more than MOST.

  failures      different ones, by kind and place (the paper: uncaught exceptions)
  bugs          memory locations with a confirmed violation; for `atom`, locks (the paper goes by locations, too)
  violations    different violations that the detector of atomic sets saw, under `random` and under `asset`
  detected      share of the executions in which it saw any

The paper's own figures: the text at hand has lost its digits. What it says in words: `asset` finds ten times the violations of
`random`, detects at least three times as often, has at least as many failures as each of the others in every program, and the most
bugs in all but two.
"""

import os

import common

SUBJECTS = [
    common.subject("string_buffer", "StringBuffer"),
    *(common.own(c, "collections", "COLLECTION=" + c, paper=c)
      for c in ("ArrayList", "LinkedList", "HashSet", "TreeSet", "LinkedHashSet")),
    common.own("moldyn", "moldyn", paper="moldyn"),
    common.own("raytracer", "raytracer", paper="raytracer"),
    common.own("cache", "cache", paper="cache4j"),
    common.own("crawler 1", "crawler", "CRAWLER=1", paper="hedc"),
    common.own("crawler 2", "crawler", "CRAWLER=2", paper="weblech"),
    common.Subject("account_copy", os.path.join(common.ROOT, "tests", "confirming", "account_copy.cpp"), paper="section 2"),
]
TOOLS = ("random", "race", "atom", "asset")
OPTIONS = {"random": ("--observe", "asset"), "race": (), "atom": ("--atomic", "locks"), "asset": ("--observe", "asset")}
FEWEST = 60
MOST = 200


def confirmed(result):
    return [entry for entry in result.get("pursued", []) if entry["level"] != "candidate"]


def seen(result):
    return sum(1 for entry in result.get("pursued", []) if entry["seen"])


def rate(result):
    return f"{result['observed'] / result['executions']:.2f}" if result["executions"] and "observed" in result else "-"


def bugs(result):
    return len({entry["object"] for entry in confirmed(result)})


def table(arguments):
    each = arguments.n or 2
    others = [s for s in common.subjects() if s.name not in ("string_buffer",)]
    common.head("program", "paper's", "failures: random", "race", "atom", "asset", "bugs: race", "atom", "asset",
                "violations: random", "asset", "detected: random", "asset", "executions")
    totals = {tool: 0 for tool in TOOLS}
    fewer = []

    def one(subject):
        with common.scratch() as folder:
            program = subject.build(folder)
            candidates = common.fuzz(program, "asset", 1, folder)["candidates"]
            executions = min(max(each * candidates, FEWEST), MOST)
            return executions, {tool: common.fuzz(program, tool, executions, folder, *OPTIONS[tool]) for tool in TOOLS}

    chosen = common.chosen(SUBJECTS + others, arguments.names)
    for subject, (executions, results) in zip(chosen, common.each(one, chosen, arguments.j)):
        failures = {tool: len(result["findings"]) for tool, result in results.items()}
        for tool in TOOLS:
            totals[tool] += failures[tool]
        if failures["asset"] < max(failures.values()):
            fewer.append(subject.name)
        common.row(subject.name, subject.paper, *(failures[tool] for tool in TOOLS), *(bugs(results[tool]) for tool in TOOLS[1:]),
                   seen(results["random"]), seen(results["asset"]), rate(results["random"]), rate(results["asset"]), executions)
    print("\nDifferent failures in all: " + ", ".join(f"{tool} {count}" for tool, count in totals.items()) +
          ". Programs in which asset has fewer than another: " + (", ".join(fewer) or "none") + ".")
