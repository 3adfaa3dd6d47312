"""CAPP (Luo's dissertation, 4.1.2): executions up to the bug that a change brought in, of plain `icb` and of each of the 14
heuristics over it, for every change in tests/explore/change, without and with optimisation.

The dissertation has no table for CAPP; its baseline, Chess, is our `icb`.
"""

import glob
import itertools
import os

import common

CHANGES = os.path.join(common.ROOT, "tests", "explore", "change")
MODES = ("C", "CO", "M", "MO", "L", "LO", "F")
HEURISTICS = [mode + threads for threads in "AS" for mode in MODES]
LEVELS = ("-O0", "-O1", "-O2")


def changes(names):
    found = sorted(os.path.basename(p)[: -len(".patch")] for p in glob.glob(os.path.join(CHANGES, "*.patch")))
    return [c for c in found if not names or any(name in c for name in names)]


def explored(program, folder, limit, *options):
    """Executions up to the failure; None if there was none."""
    result = common.raddle("explore", "--limit", str(limit), "--out", os.path.join(folder, "out"), *options, "--", program)
    return result["executions"] if result["failing"] else None


def counts(change, level, folder, limit):
    """{heuristic: executions}, "icb" for none."""
    source = os.path.join(CHANGES, change + ".cpp")
    program = common.Subject(change, source).build(folder, level)
    found = {"icb": explored(program, folder, limit, "--strategy", "icb")}
    for heuristic in HEURISTICS:
        found[heuristic] = explored(program, folder, limit, "--strategy", "capp", "--base", "icb", "--heuristic", heuristic,
                                    "--patch", os.path.join(CHANGES, change + ".patch"), "--sources", CHANGES)
    return found


def shown(number, limit):
    return f"> {limit}" if number is None else str(number)


def table(arguments):
    limit = arguments.n or 20000
    levels = arguments.levels.split(",") if arguments.levels else LEVELS
    common.head("change", "", "icb", *HEURISTICS)
    ratios = {level: {h: [] for h in HEURISTICS} for level in levels}

    def one(item):
        with common.scratch() as folder:
            return counts(*item, folder, limit)

    chosen = changes(arguments.names)
    found = common.each(one, [(change, level) for change in chosen for level in levels], arguments.j)
    for change in chosen:
        rows = {level: next(found) for level in levels}
        for level, heuristic in itertools.product(levels, HEURISTICS):
            ratios[level][heuristic].append((rows[level][heuristic] or limit) / (rows[level]["icb"] or limit))
        same = {}
        for level, row in rows.items():
            same.setdefault(tuple(row.items()), []).append(level)
        for number, (row, at) in enumerate(same.items()):
            cells = dict(row)
            common.row(change if number == 0 else "", ", ".join(at), *(shown(cells[h], limit) for h in ("icb", *HEURISTICS)))
    print("\nExecutions against plain `icb`: geometric mean of the ratios, and changes for which fewer, as many, more were needed.\n")
    common.head("", "", *HEURISTICS)
    for level in levels:
        common.row("ratio", level, *(f"{common.geometric_mean(ratios[level][h]):.2f}" for h in HEURISTICS))
        common.row("fewer, same, more", level, *(f"{sum(r < 1 for r in ratios[level][h])}, {sum(r == 1 for r in ratios[level][h])}, "
                                                  f"{sum(r > 1 for r in ratios[level][h])}" for h in HEURISTICS))
