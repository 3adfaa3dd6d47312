#!/usr/bin/env python3
"""Raddle ends when it is asked to, whatever the program does, and says so when an execution did not come to its end."""

import os
import signal
import subprocess
import time

import expect
from expect import Problem

SOURCES = os.path.join(expect.TESTS, "limits")
# After a signal. Its own limit is two seconds; the rest is for a machine that has other things to do.
SECONDS = 2.5


def built(name, folder):
    program = os.path.join(folder, name)
    subprocess.run(["cc", "-O1", "-g", "-pthread", os.path.join(SOURCES, name + ".c"), "-o", program], check=True)
    return program


def ends(folder, command, options, number):
    arguments = [expect.RADDLE, command, *options, "--", built("deaf", folder)]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder) as process:
        time.sleep(0.5)
        if process.poll() is not None:
            raise Problem(f"{command} ended by itself: {process.stderr.read().decode()[-500:]}")
        process.send_signal(number)
        began = time.monotonic()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired as late:
            process.kill()
            raise Problem(f"{command} does not end") from late
        took = time.monotonic() - began
    if took > expect.allowed(SECONDS):
        raise Problem(f"{command} ended after {took:.1f} s")


def signals(folder):
    ends(folder, "run", [], signal.SIGTERM)
    ends(folder, "fuzz", [], signal.SIGTERM)
    ends(folder, "hunt", [], signal.SIGINT)


def other_signals(folder):
    ends(folder, "record", [], signal.SIGINT)
    ends(folder, "check", [], signal.SIGTERM)
    ends(folder, "explore", [], signal.SIGTERM)


def hang_is_no_success(folder):
    """Eight executions: all of them hang, or none, with a probability of 2 * 0.5^8 = 0.8 %; the seeds are fixed besides."""
    out = os.path.join(folder, "out")
    status, result = expect.raddle(["fuzz", "-n", "8", "--timeout", "300ms", "--out", out, "--", built("hangs_sometimes", folder)])
    if status != 3 or result["passed"] == 0 or result["inconclusive"] == 0:
        raise Problem(f"exit status {status}, {result['passed']} passed, {result['inconclusive']} inconclusive")
    replay = result["inconclusive_replay"]
    status, again = expect.raddle(["replay", "--timeout", "300ms", replay])
    if status != 3 or again["outcome"] != "limit":
        raise Problem(f"{replay}: exit status {status}, {again['outcome']}")


def budget_is_kept(folder):
    began = time.monotonic()
    status, result = expect.raddle(["fuzz", "-n", "100", "--budget", "1s", "--out", os.path.join(folder, "out"), "--",
                                    built("hangs_sometimes", folder)])
    took = time.monotonic() - began
    if took > expect.allowed(3) or not result["out_of_budget"]:
        raise Problem(f"{took:.1f} s, exit status {status}, out of budget: {result['out_of_budget']}")


def threads_without_end(folder):
    status, result = expect.raddle(["fuzz", "-n", "1", "--out", os.path.join(folder, "out"), "--",
                                    built("threads_without_end", folder)])
    reasons = [note["message"] for note in result["inconclusive_reasons"]]
    if status != 3 or not any("more than 8,192 threads" in reason for reason in reasons):
        raise Problem(f"exit status {status}, {[f['message'] for f in result['findings']]}, {reasons}")


def check(item):
    with expect.scratch() as folder:
        return item(folder)


if __name__ == "__main__":
    expect.run_all(check, [signals, other_signals, hang_is_no_success, budget_is_kept, threads_without_end],
                   lambda item: item.__name__, long=["other_signals"])
