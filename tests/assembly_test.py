#!/usr/bin/env python3
"""Programs that synchronise by inline assembly, built with raddle-c++: nothing is said about them. With -DBUG each has a real
race, which is found in every execution: the wrong access comes after all that its thread synchronises."""

import json
import os
import subprocess

import expect
from expect import Problem

SOURCES = os.path.join(expect.TESTS, "assembly")
RACES_ON = {"spin_lock": "balance", "ticket_lock": "balance", "stack": "node::number", "barrier_flag": "data", "count": "counter"}
EXECUTIONS = 200


def loud(result):
    return [finding for finding in result["findings"] if finding["inference"] is None]


def analysed(program, status):
    done = subprocess.run([expect.RADDLE, "check", "--json", "--", program], capture_output=True, text=True, check=False)
    if done.returncode != status:
        raise Problem(f"check ends with {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def check(name):
    source = os.path.join(SOURCES, name + ".cpp")
    with expect.scratch() as folder:
        good, bad = os.path.join(folder, "good"), os.path.join(folder, "bad")
        expect.build(source, good)
        expect.build(source, bad, "-DBUG")
        if found := loud(analysed(good, 0)):
            raise Problem(f"said of the correct program: {found[0]['what']}")
        found = loud(analysed(bad, 1))
        if not any(one["kind"] == "race" and RACES_ON[name] in one["object"] for one in found):
            raise Problem(f"the race is not found: {[one['what'] for one in found]}")
        for strategy in ("random", "pos"):
            _, result = expect.raddle(["fuzz", "--strategy", strategy, "-n", str(EXECUTIONS), "--out", folder, "--", good])
            if result["executions"] != EXECUTIONS or result["inconclusive"] != 0 or result["failing"] != 0:
                raise Problem(f"{strategy}: {result['failing']} failing, {result['inconclusive']} inconclusive")


def hidden(name):
    """A race that assembly may order, which nobody can read, says so."""
    with expect.scratch() as folder:
        program = os.path.join(folder, name)
        expect.build(os.path.join(SOURCES, name + ".cpp"), program)
        found = analysed(program, 0)["findings"]
        doubts = [one["maybe_ordered_by"] for one in found if one["kind"] == "race"]
        if doubts != [["a part of " + name]]:
            raise Problem(f"not a race in doubt: {found}")


def item(name):
    return hidden(name) if name == "hidden_lock" else check(name)


if __name__ == "__main__":
    expect.run_all(item, [*sorted(RACES_ON), "hidden_lock"], str)
