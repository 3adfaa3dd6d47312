#!/usr/bin/env python3
"""Raddle ends when it is asked to, whatever the program does, and says so when an execution did not come to its end."""

import os
import re
import resource
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
    for limit in (["--timeout", "300ms"], []):  # it ends by itself, too
        status, again = expect.raddle(["replay", *limit, replay])
        if status != 3 or again["outcome"] != "limit":
            raise Problem(f"{replay} {limit}: exit status {status}, {again['outcome']}")


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


def threads_without_end_keep_the_budget(folder):
    """Executions that are cut off by our own limit: a hunt of them ends in time, with no verdict and little memory, and at a signal."""
    program = built("threads_without_end", folder)
    began = time.monotonic()
    status, result = expect.raddle(["hunt", "--budget", "3s", "--out", os.path.join(folder, "out"), "--", program])
    took = time.monotonic() - began
    if status != 3 or result["failing"] or took > expect.allowed(8):
        raise Problem(f"exit status {status}, {result['failing']} failing, {took:.1f} s")
    arguments = [expect.RADDLE, "hunt", "--budget", "60s", "--out", os.path.join(folder, "out2"), "--", program]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder) as process:
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        asked = time.monotonic()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired as late:
            process.kill()
            raise Problem("it does not end") from late
        if time.monotonic() - asked > expect.allowed(SECONDS):
            raise Problem(f"it ended {time.monotonic() - asked:.1f} s after a signal")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    if most > 2048:
        raise Problem(f"{most:.0f} MB")
    return f"{took:.1f} s, at most {most:.0f} MB"


def no_progress(folder):
    """Without a time limit, an execution that computes for a minute and comes to no decision is ended; one that waits is not."""
    program = os.path.join(folder, "computes")
    with open(program + ".c", "w", encoding="utf-8") as file:
        file.write("int main(void) { for (volatile long i = 0;; ++i) {} }\n")
    subprocess.run(["cc", "-O1", "-g", program + ".c", "-o", program], check=True)
    began = time.monotonic()
    status, result = expect.raddle(["run", "--", program], statuses=(3,))
    took = time.monotonic() - began
    if "no progress for 60 s" not in result["finding"]["message"] or not 59 < took < expect.allowed(75):
        raise Problem(f"exit status {status} after {took:.0f} s: {result['finding']['message']}")


def go_is_named(folder):
    """What cannot be controlled is said first. A program with Go's section stands for one."""
    program, section = os.path.join(folder, "gopher"), os.path.join(folder, "section")
    with open(program + ".c", "w", encoding="utf-8") as file:
        file.write("int main(void) { return 0; }\n")
    with open(section, "w", encoding="utf-8") as file:
        file.write("x")
    subprocess.run(["cc", program + ".c", "-o", program], check=True)
    for is_go in (False, True):
        if is_go:
            subprocess.run(["objcopy", "--add-section", f".go.buildinfo={section}", program], check=True)
        for command in (["run"], ["hunt", "--budget", "1s", "--out", os.path.join(folder, "out")]):
            done = subprocess.run([expect.RADDLE, *command, "--", program], capture_output=True, text=True, check=False, timeout=expect.PATIENCE)
            # A container that refuses personality() has a warning of its own before it.
            said = [line for line in done.stderr.splitlines() if "address randomisation cannot be" not in line]
            first = said[0] if said else ""
            if ("cannot be controlled: the Go runtime" in first) != is_go:
                raise Problem(f"{command}, Go {is_go}: {done.stderr}")
        done = subprocess.run([expect.RADDLE, "doctor", "--", program], capture_output=True, text=True, check=False, timeout=expect.PATIENCE)
        if ("bad   Go" in done.stdout) != is_go:
            raise Problem(done.stdout)


def budgets_by_default(_):
    """Every command that goes on by itself says for how long."""
    for command in ("fuzz", "explore", "hunt", "minimize", "suite"):
        text = subprocess.run([expect.RADDLE, command, "--help"], capture_output=True, text=True, check=True).stdout
        line = next((line for line in text.splitlines() if re.match(r" +--(time,--)?budget\b", line)), "")
        if not re.search(r"T=\d+[sm]", line):
            raise Problem(f"{command}: {line}")


def check(item):
    with expect.scratch() as folder:
        return item(folder)


if __name__ == "__main__":
    expect.run_all(check, [signals, other_signals, hang_is_no_success, budget_is_kept, threads_without_end,
                            threads_without_end_keep_the_budget, no_progress, go_is_named, budgets_by_default],
                   lambda item: item.__name__, long=["other_signals", "no_progress"])
