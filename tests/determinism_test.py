#!/usr/bin/env python3
"""The same plan gives the same execution: for every program, strategy and seed the choice log is the same when it
runs again, and the same with kernel threads as with fibers.

usage: determinism_test.py [NAME...]   only the programs whose name contains one of these
"""

import sys

import expect
from expect import Problem

# (strategy, seed): several seeds for the strategies that draw, and options of theirs.
PLANS = [("random", "1"), ("pct", "1", "--depth", "2"), ("pos", "1"), ("round-robin", "1")]
if expect.FULL:
    PLANS += [("random", "2"), ("random", "987654321"), ("pct", "7"), ("pos", "2")]
# Twice with fibers, then with kernel threads.
TURNS = ("fiber", "fiber", "kernel")


def execution(program, plan, carrier):
    strategy, seed, *more = plan
    _, result = expect.raddle(["run", "--strategy", strategy, "--seed", seed, *more, "--carrier", carrier,
                               *program.options, "--", *program.command()])
    return result


def identity(result):
    message = result["finding"]["message"] if result["finding"] else ""
    return {"outcome": result["outcome"], "steps": result["steps"], "threads": result["threads"],
            "choice_log": result["choice_log"], "message": message}


def check_program(program):
    allowed = frozenset().union(*program.expect)
    logs = set()
    for plan in PLANS:
        first = None
        for turn, carrier in enumerate(TURNS, 1):
            result = execution(program, plan, carrier)
            outcome = "inconclusive" if result["outcome"] == "limit" else result["outcome"]
            if outcome not in allowed:
                raise Problem(f"{' '.join(plan)}, {carrier}: {result['outcome']}, "
                              f"{result['finding'] and result['finding']['message']} {result['stderr'][-300:]}")
            if first is None:
                first = identity(result)
                logs.add(first["choice_log"])
            elif identity(result) != first and not program.outside:
                raise Problem(f"{' '.join(plan)}, run {turn} ({carrier}): {identity(result)}, not {first}")
    return f"{len(logs)} different executions of {len(PLANS)} plans"


if __name__ == "__main__":
    # A timer ends those that never end by themselves: how far they came then is no decision of ours.
    endless = {frozenset(["livelock", "inconclusive"])}
    chosen = [p for p in expect.programs(sys.argv[1:]) if not endless & set(p.expect)]
    expect.run_all(check_program, chosen, lambda program: program.name, long=["threads_many_in_turn"])
