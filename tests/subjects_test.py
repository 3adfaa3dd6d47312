#!/usr/bin/env python3
"""The papers' programs (subjects/NAME.cpp, and NAME_fixed.cpp without the bug): which detectors see the documented bug,
and what else they say.

usage: subjects_test.py [--table] [NAME...]
  --table   print the table of docs/subjects.md instead
  NAME      only the subjects whose name contains one of these

A subject's source begins with comment lines of the form `// key: value`:

  bug                  regular expression; a finding is about the bug if it is found in what the finding says, in the
                       objects or in the functions of its steps
  paper                who describes it
  seen by              kinds of findings about the bug; exactly these, or `none`
  seen with functions  atomicity and serializability, when functions are blocks, too
  seen annotated       what is seen when it is compiled with SUBJECT_ANNOTATED

Findings are those of all executions together (every strategy below, every seed), the same places counted once.
"""

import collections
import glob
import os
import re
import sys

import expect
from expect import Problem

SUBJECTS = os.path.join(expect.TESTS, "subjects")
STRATEGIES = ("random", "pct", "pos")
SEEDS = range(1, 6)
KINDS = ("race", "lockset", "atomicity", "serializability", "atomic-set", "lock-order")
FUNCTIONS = ("--atomic", "functions", "--detector", "atomizer,serial")

# Table 1 of Hammer et al.: patterns with malign violations, and whether the specified bug was found.
TABLE_1 = {
    "account": ("account", "1", "yes"),
    "airline_tickets": ("airlinesTckts", "1, 2, 4, 7, 10, 12", "yes"),
    "allocation_vector": ("AllocationV", "", "no"),
    "bubble_sort": ("bubbleSort", "1-6, 9-14", "yes"),
    "buffer_writer": ("BufWriter", "2, 3, 5, 7-14", "yes"),
    "critical_section": ("Critical", "3-5", "yes"),
    "double_checked": ("DCL", "2, 9, 11", "yes"),
    "linked_list": ("LinkedList", "1", "yes"),
    "lottery": ("Lottery", "2, 4", "yes"),
    "manager": ("Manager", "1, 2, 4-14", "yes"),
    "merge_sort": ("MergeSort", "", "no"),
    "ping_pong": ("PingPong", "1-3, 5", "yes"),
    "shop": ("Shop", "2", "no"),
    "vector": ("Vector", "2, 11, 12", "(library)"),
    "array_list": ("ArrayL. (syn)", "2, 10-14", "(library)"),
    "bounded_queue": ("ArrayBlQ.", "2, 3, 5-7, 9-13", "(library)"),
    "linked_queue": ("LinkedBlQ.", "1-7, 9, 10", "(library)"),
}


class Subject:
    def __init__(self, source):
        self.source = source
        self.name = os.path.basename(source)[:-len(".cpp")]
        keys = {}
        with open(source, encoding="utf-8") as file:
            for line in file:
                match = re.match(r"// ([a-z ]+): (.*)", line)
                if not match:
                    break
                keys[match.group(1)] = match.group(2)
        self.bug = re.compile(keys.pop("bug"))
        keys.pop("paper")
        self.expected = {"plain": kinds_in(keys.pop("seen by"))}
        self.expected["functions"] = kinds_in(keys.pop("seen with functions"))
        if "seen annotated" in keys:
            self.expected["annotated"] = kinds_in(keys.pop("seen annotated"))
        if keys:
            raise Problem(f"{source}: unknown words {sorted(keys)}")


def kinds_in(text):
    kinds = set() if text == "none" else {kind.strip() for kind in text.split(",")}
    if not kinds <= set(KINDS):
        raise Problem(f"unknown kinds in '{text}'")
    return kinds


def subjects(names):
    sources = [s for s in sorted(glob.glob(os.path.join(SUBJECTS, "*.cpp"))) if not s.endswith("_fixed.cpp")]
    found = [Subject(source) for source in sources]
    return [s for s in found if not names or any(name in s.name for name in names)]


def names_of(finding):
    steps = finding["steps"]
    return " ".join([finding["what"], finding["object"], *(s["object"] for s in steps), *(s["function"] for s in steps)])


class Findings:
    """Of one program in all executions: by kind, the ids of those about the bug and of the others."""

    def __init__(self, program, bug, options, fixed):
        self.about = collections.defaultdict(dict)
        self.others = collections.defaultdict(dict)
        self.patterns = set()
        self.struck = 0
        for strategy in STRATEGIES:
            for seed in SEEDS:
                # What others show is predict_test's matter; here, one seed of each.
                predicts = [] if seed == SEEDS[0] and strategy == STRATEGIES[0] else ["--no-predict"]
                _, result = expect.raddle(["check", "--strategy", strategy, "--seed", str(seed), *predicts, *options, "--", program],
                                          statuses=(0, 1))
                if result["problems"]:
                    raise Problem(f"{program}, {strategy}, seed {seed}: {result['problems'][0]}")
                if fixed and result["outcome"] != "passed":
                    raise Problem(f"{program}, {strategy}, seed {seed}: {result['outcome']}")
                self.struck += result["outcome"] != "passed"
                for finding in result["findings"]:
                    ours = bug.search(names_of(finding))
                    (self.about if ours else self.others)[finding["kind"]][finding["id"]] = finding["what"]
                    if ours and finding["kind"] == "atomic-set":
                        self.patterns.add(finding["pattern"])

    def everything(self):
        found = collections.defaultdict(dict)
        for part in (self.about, self.others):
            for kind, ids in part.items():
                found[kind].update(ids)
        return found


def look(subject):
    """{way: (findings of the subject, findings of its twin)}"""
    seen = {}
    with expect.scratch() as folder:
        bug, twin = os.path.join(folder, subject.name), os.path.join(folder, subject.name + "_fixed")
        for way in subject.expected:
            if way != "functions":  # the same programs as "plain", before
                defines = ["-DSUBJECT_ANNOTATED"] if way == "annotated" else []
                expect.build(subject.source, bug, *defines)
                expect.build(subject.source.replace(".cpp", "_fixed.cpp"), twin, *defines)
            options = FUNCTIONS if way == "functions" else ()
            seen[way] = (Findings(bug, subject.bug, options, False), Findings(twin, subject.bug, options, True))
    return seen


def check(subject):
    seen = look(subject)
    for way, (bug, twin) in seen.items():
        kinds = {kind for kind, ids in bug.about.items() if ids}
        if kinds != subject.expected[way]:
            raise Problem(f"{way}: the bug is seen as {sorted(kinds)}, not as {sorted(subject.expected[way])}")
        if way == "functions":
            continue  # a function may do two things, one after the other: that is so by definition
        for kind, ids in twin.everything().items():
            raise Problem(f"{way}: the fixed twin has {kind}: {list(ids.values())}")
    if seen["plain"][0].struck == 0:
        raise Problem("the bug never struck")
    return f"struck in {seen['plain'][0].struck} of {len(STRATEGIES) * len(SEEDS)} executions"


def count(ids):
    return str(len(ids)) if ids else "-"


def by_kind(found, skip=()):
    parts = [f"{kind} {len(ids)}" for kind, ids in sorted(found.items()) if ids and kind not in skip]
    return ", ".join(parts) if parts else "-"


def print_table(chosen):
    print("| subject | race | lockset | atomizer | serial | atomset (patterns) | with functions: atomizer, serial "
          "| others | twin | twin, with functions | 004: name, patterns, found |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    totals = collections.defaultdict(collections.Counter)
    for subject in chosen:
        seen = look(subject)
        for way in seen:
            shown = subject.name + (", annotated" if way == "annotated" else "")
            bug, twin = seen[way]
            if way == "functions":
                continue
            functions = "" if way == "annotated" else ", ".join(
                count(seen["functions"][0].about[kind]) for kind in ("atomicity", "serializability"))
            twin_functions = "" if way == "annotated" else by_kind(seen["functions"][1].everything())
            patterns = ", ".join(map(str, sorted(bug.patterns)))
            cells = [count(bug.about[kind]) for kind in KINDS[:5]]
            if patterns:
                cells[4] += f" ({patterns})"
            paper = ": ".join(filter(None, TABLE_1[subject.name][:2])) + "; " + TABLE_1[subject.name][2] \
                if subject.name in TABLE_1 and way == "plain" else ""
            print(f"| {shown} | {' | '.join(cells)} | {functions} | {by_kind(bug.others)} | "
                  f"{by_kind(twin.everything())} | {twin_functions} | {paper} |", flush=True)
            for kind in KINDS:
                totals[kind].update(about=len(bug.about[kind]), others=len(bug.others[kind]),
                                    twin=len(twin.everything()[kind]))
    print("\n| kind | about the bug | others in the program with the bug | in the fixed twin | false |")
    print("|---|---|---|---|---|")
    for kind in KINDS:
        n = totals[kind]
        false = n["others"] + n["twin"]
        share = f"{100 * false / (false + n['about']):.0f} %" if false + n["about"] else "-"
        print(f"| {kind} | {n['about']} | {n['others']} | {n['twin']} | {share} |")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--table"]
    chosen = subjects(arguments)
    if "--table" in sys.argv:
        print_table(chosen)
    else:
        expect.run_all(check, chosen, lambda subject: subject.name)


main()
