#!/usr/bin/env python3
"""Every program under tests/programs has exactly the outcomes that it announces, on both carriers, and every
failing execution replays to the same outcome, every time, on both carriers. See expect.py for the words.

usage: programs_test.py [NAME...]   only the programs whose name contains one of these
"""

import os
import re
import subprocess
import sys

import expect
from expect import Problem

# A replay starts the program anew, 10-20 ms. Replays of executions that end only by a watchdog or a limit cost
# as much as that takes; their programs ask for fewer. A plain run makes 10 of each finding on each carrier: 30
# programs fail, so a mistake that breaks one replay in 100 of any program shows with a probability of
# 1 - (99/100)^600 = 0.998.
REPLAYS = int(os.environ.get("RADDLE_TEST_REPLAYS", "100" if expect.FULL else "10"))


def outcomes(result):
    seen = {finding["kind"] for finding in result["findings"]}
    if result["passed"] > 0:
        seen.add("passed")
    if result["inconclusive"] > 0:
        seen.add("inconclusive")
    return seen


def check_outcomes(program, result, complete):
    seen = outcomes(result)
    reasons = [note["message"] for note in result["inconclusive_reasons"]]
    allowed = frozenset().union(*program.expect)
    if seen - allowed:
        kinds = {f["kind"]: f"{f['message']} (first seed {f['first_seed']}) {f['stderr'][-300:]}"
                 for f in result["findings"]}
        details = "\n".join([f"{kind}: {kinds.get(kind, reasons)}" for kind in sorted(seen - allowed)])
        raise Problem(f"expected {show(program.expect)}, saw also\n{details}")
    for wanted in program.expect:
        if complete and not wanted & seen:
            raise Problem(f"never saw {'/'.join(sorted(wanted))} in {result['executions']} executions, "
                          f"only {', '.join(sorted(seen))}")


def show(wanted):
    return " | ".join("/".join(sorted(part)) for part in wanted)


def check_findings(program, result):
    for finding in result["findings"]:
        if not finding["replays"]:
            raise Problem(f"does not replay: {finding['replay_note']}")
        if program.cycle is not None and len(finding["cycle"]) != program.cycle:
            raise Problem(f"a cycle of {program.cycle} expected, this is what was found: {finding['cycle']}")
        if program.marked:
            where = finding["where"]
            if (os.path.basename(where["file"]) != os.path.basename(program.source)
                    or where["line"] not in program.marked):
                raise Problem(f"it fails in line {program.marked}, not at {where}")
        if program.output and not re.search(program.output, finding["stdout"] + finding["stderr"]):
            raise Problem(f"`{program.output}' is not in the output: {finding['stdout'][-500:]!r}")
        if not finding["threads"] or not any(thread["stack"] for thread in finding["threads"]):
            raise Problem("a finding without a stack")
    if program.message:
        messages = [finding["message"] for finding in result["findings"]]
        messages += [note["message"] for note in result["inconclusive_reasons"]]
        for message in messages:
            if not re.search(program.message, message):
                raise Problem(f"`{program.message}' does not match: {message}")
    misuses = [note["message"] for note in result["misuses"]]
    misuses += [misuse for finding in result["findings"] for misuse in finding["misuses"]]
    if program.misuse and not any(re.search(program.misuse, misuse) for misuse in misuses):
        raise Problem(f"no misuse matches `{program.misuse}': {misuses}")
    if not program.misuse and misuses:
        raise Problem(f"misuse reported: {misuses}")


def check_replays(program, findings):
    times = min(program.replays, REPLAYS) if program.replays is not None else REPLAYS
    for finding in findings:
        for carrier in expect.CARRIERS:
            for turn in range(1, times + 1):
                status, replay = expect.raddle(["replay", "--carrier", carrier, finding["replay"]])
                if (status != 1 or not replay["same"] or replay["outcome"] != finding["kind"]
                        or replay["finding"]["message"] != finding["message"]):
                    found = replay["finding"]["message"] if replay["finding"] else replay["outcome"]
                    raise Problem(f"replay {turn} with {carrier}: {found}, not {finding['message']}; "
                                  f"exit {status}, difference: {replay['difference']}")


def check_native(program):
    """What it asserts is what the C library does. Natively a pause is only likely to be long enough for the other
    threads: on a busy machine it may take another try."""
    for _ in range(3):
        try:
            done = subprocess.run(program.command(), stdin=subprocess.DEVNULL, capture_output=True, timeout=30,
                                  check=False)
        except subprocess.TimeoutExpired:
            end = "does not end"
            continue
        if done.returncode == 0:
            break
        end = f"ends with {done.returncode}: {done.stderr[-500:]!r}"
    else:
        raise Problem(f"natively it {end}")
    if program.output and not re.search(program.output, done.stdout.decode()):
        raise Problem(f"natively it does not print `{program.output}'")


def check_program(program):
    if not os.path.exists(program.binary):
        raise Problem(f"{program.binary} is not built")
    if program.native and program.always_passes():
        check_native(program)
    if program.output and program.always_passes():
        _, run = expect.raddle(["run", *program.options, "--", *program.command()])
        if not re.search(program.output, run["stdout"]):
            raise Problem(f"`{program.output}' is not in the output: {run['stdout'][-500:]!r}")
    with expect.scratch() as out:
        for carrier in expect.CARRIERS:
            fewer = min(program.seeds, max(10, program.seeds // 10))
            seeds = program.seeds if carrier == "fiber" else fewer
            _, result = expect.raddle(["fuzz", "--keep-going", "-n", str(seeds), "--seed", "1", "--carrier", carrier,
                                       "--out", os.path.join(out, carrier), *program.options, "--",
                                       *program.command()])
            if result["executions"] != seeds:
                raise Problem(f"{carrier}: {result['executions']} executions of {seeds}")
            try:
                check_outcomes(program, result, complete=seeds == program.seeds)
                check_findings(program, result)
            except Problem as problem:
                raise Problem(f"{carrier}: {problem}") from problem
            if program.seconds is not None and result["seconds"] > expect.allowed(program.seconds):
                raise Problem(f"{carrier}: took {result['seconds']:.1f} s")
            if carrier == "fiber":
                first = result
            elif seeds == program.seeds and result["failing"] != first["failing"]:
                raise Problem(f"the same seeds fail {first['failing']} times as fibers, {result['failing']} times as "
                              "kernel threads")
        check_replays(program, first["findings"])
    share = f"{first['failing']} of {first['executions']} fail" if first["failing"] else ""
    return f"{first['executions_per_second']:.0f}/s {share}"


if __name__ == "__main__":
    expect.run_all(check_program, expect.programs(sys.argv[1:]), lambda program: program.name)
