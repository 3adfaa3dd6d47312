"""Table 1 and Table 2 of Hammer et al. (2008): violations of each of the 14 patterns, benign or not, whether the specified bug was
found, what checking costs in time and memory.

A violation is counted once for each static place, over all executions of the program (-n for each of three strategies; the paper
executed each program at most twice, on threads that really run at the same time). Those in the program with the bug whose objects
or functions are the bug's are malign, all others, and all in the fixed twin, benign.
"""

import collections
import os
import re

import common

STRATEGIES = ("random", "pct", "pos")

# The paper's: number of malign violations for pattern 1, 2, ..., 14; benign ones (Table 2); bug found; slowdown; tuples.
TABLE_1 = {
    "account": ("account", "1", "", "yes", 3.1, "4K"),
    "airline_tickets": ("airlinesTckts", "1 2 0 2 0 0 1 0 0 1 0 1", "", "yes", 6.2, "20K"),
    "allocation_vector": ("AllocationV", "", "", "no", 25, "10K"),
    "bubble_sort": ("bubbleSort", "1 1 2 1 1 1 0 0 2 1 2 1 1 1", "", "yes", 2.1, "4K"),
    "buffer_writer": ("BufWriter", "0 2 2 0 3 0 7 8 2 2 2 2 2 2", "7 7 7 7 7 4 4 4 2 2 2 2 2 2", "yes", 1.3, "357"),
    "critical_section": ("Critical", "0 0 1 1 1", "", "yes", 1.7, "10"),
    "double_checked": ("DCL", "0 1 0 0 0 0 0 0 1 0 1", "", "yes", 26, "275"),
    "linked_list": ("LinkedList", "1", "", "yes", 1.6, "32"),
    "lottery": ("Lottery", "0 2 0 3", "", "yes", 6.7, "205K"),
    "manager": ("Manager", "1 1 0 1 1 1 1 1 3 3 1 1 1 2", "0 3 2 0 0 0 0 0 0 0 1 1 1", "yes", 1.7, "6"),
    "merge_sort": ("MergeSort", "", "", "no", 4.0, "154"),
    "ping_pong": ("PingPong", "2 1 1 0 1", "", "yes", 3.1, "221"),
    "shop": ("Shop", "0 2", "", "no", 7.0, "2K"),
    "vector": ("Vector", "0 4 0 0 0 0 0 0 0 0 8 1", "", "", 43, "1K"),
    "array_list": ("ArrayL. (syn)", "0 1 0 0 0 0 0 0 0 3 3 1 3 2", "", "", 40, "365"),
    "bounded_queue": ("ArrayBlQ.", "0 1 8 0 2 1 2 0 1 5 6 9 1", "", "", 39, "406"),
    "linked_queue": ("LinkedBlQ.", "4 4 8 4 6 3 1 0 4 2", "", "", 45, "274"),
    "sun_account": ("Sun's Accnt", "1", "", "yes", 4.3, "40K"),
    "file_writer": ("FileWriter", "", "", "no", 1.3, "2K"),
    "delay_queue": ("DelayQueue", "3 5 9 4 3 9 8 6 2 1 1 1 6 6", "", "", 33, "728"),
}
OTHERS = [common.own(name, name) for name in ("sun_account", "file_writer", "delay_queue")]


def patterns_in(text):
    return {number: int(count) for number, count in enumerate(text.split(), 1) if int(count)}


def told(patterns):
    """"2: 4, 11: 8" of {2: 4, 11: 8}."""
    return ", ".join(f"{number}: {count}" for number, count in sorted(patterns.items())) or "-"


def bug_of(subject):
    with open(subject.source, encoding="utf-8") as file:
        return re.compile(re.match(r"// bug: (.*)", file.readline()).group(1))


def names_of(finding):
    steps = finding["steps"]
    return " ".join([finding["what"], finding["object"], *(s["object"] for s in steps), *(s["function"] for s in steps)])


def violations(program, bug, seeds):
    """(malign, benign): {pattern: number of places}"""
    places = {True: collections.defaultdict(set), False: collections.defaultdict(set)}
    for strategy in STRATEGIES:
        for seed in range(1, seeds + 1):
            result = common.raddle("check", "--no-predict", "--detector", "atomset", "--strategy", strategy, "--seed", str(seed), "--", program)
            for finding in result["findings"]:
                about = bug is not None and bug.search(names_of(finding)) is not None
                places[about][finding["pattern"]].add(finding["id"])
    return tuple({number: len(ids) for number, ids in places[about].items()} for about in (True, False))


def added(first, second):
    return dict(collections.Counter(first) + collections.Counter(second))


def cost(subject, rounds):
    """What it takes natively and under check. That the program returns 1 counts as a pass: the report of a failing execution has
    costs of its own."""
    with common.scratch() as folder:
        check = [common.RADDLE, "check", "--no-predict", "--json", "--ok-exit", "1", "--detector", "atomset", "--", subject.build(folder, "-O2")]
        return common.median_use({"native": [subject.build(folder, "-O2", native=True)], "check": check}, rounds)


def table(arguments):
    seeds = arguments.n or 2
    common.head("subject (paper's name)", "malign, pattern: places", "paper", "benign", "paper", "bug found", "paper", "slowdown",
                "paper", "MiB: check, natively", "tuples in the paper")
    slowdowns, malign_all, benign_all = [], 0, 0

    def one(subject):
        with common.scratch() as folder:
            malign, benign = violations(subject.build(folder), bug_of(subject), seeds)
            return malign, added(benign, violations(subject.twin().build(folder), None, seeds)[1])

    chosen = common.chosen(common.subjects() + OTHERS, arguments.names)
    for subject, (malign, benign) in zip(chosen, common.each(one, chosen, arguments.j)):
        paper = TABLE_1.get(subject.name)
        use = cost(subject, arguments.rounds)
        slowdown = use["check"][0] / use["native"][0]
        slowdowns.append(slowdown)
        malign_all += sum(malign.values())
        benign_all += sum(benign.values())
        name, theirs, theirs_benign, found, theirs_slowdown, tuples = paper or ("", "", "", "", "", "")
        common.row(f"{subject.name} ({name})" if name else subject.name, told(malign), told(patterns_in(theirs)) if name else "",
                   told(benign), told(patterns_in(theirs_benign)) if name else "", "yes" if malign else "no", found,
                   f"{slowdown:.1f}", theirs_slowdown, f"{use['check'][1]:.0f}, {use['native'][1]:.0f}", tuples)
    whole = malign_all + benign_all
    share = f"{100 * malign_all / whole:.0f} %" if whole else "none"
    print(f"\nMalign: {malign_all} of {whole} violations, {share} (paper: 89 %). Slowdown: geometric mean "
          f"{common.geometric_mean(slowdowns):.1f}x (paper: 14x on average).")
