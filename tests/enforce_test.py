#!/usr/bin/env python3
"""Properties that a program cannot violate, end to end: the examples fail without their properties and pass with them, natively, under
raddle fuzz and, the small ones, in all schedules; 41 protocols, each kept by one program and broken by another. RADDLE_BUILD
names the build tree.

usage: enforce_test.py [--executions N]
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

import expect

EXAMPLES = os.path.join(expect.TESTS, "..", "examples", "enforce")
DELAYS = os.path.join(expect.TESTS, "enforce", "delays")
PROTOCOLS = os.path.join(expect.TESTS, "enforce", "protocols")

# Program, properties, its argument, and in how many orders its events can come: 0, if this test does not know but goes through all;
# None, if there are too many for it. iteration: two rounds of one thread and two of the other, each undivided: 4 over 2. fair: in each
# of 3 rounds either may be first.
CASES = [
    ("philosophers", ["philosophers/one_fork"], [], 0),
    ("philosophers", ["philosophers/one_fork", "philosophers/seats"], ["circle"], None),
    ("iteration", ["iteration/iteration"], [], 6),
    ("exclusion", ["exclusion/exclusion_cfg"], [], 0),
    ("exclusion", ["exclusion/exclusion_srs"], [], 0),
    ("appenders", ["appenders/appenders"], [], 0),
    ("fair", ["fair/fair"], [], 8),
]
PROGRAMS = sorted({case[0] for case in CASES})


def need(condition, what):
    if not condition:
        sys.exit(f"enforce_test: {what}")


def run(*command, timeout=120):
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


def build(output, source, properties, *more):
    options = [option for name in properties for option in ("--mop", name)]
    compiler = [expect.CXX, *options] if properties else ["clang++-19"]
    done = run(*compiler, "-std=c++17", "-O1", "-g", "-pthread", source, *more, "-o", output)
    need(done.returncode == 0 and done.stderr == "", f"{' '.join(done.args)}\n{done.stderr}")


def raddle(folder, command, *arguments):
    done = run(expect.RADDLE, command, "--json", "--out", os.path.join(folder, "out"), *arguments, timeout=600)
    need(done.returncode in (0, 1), f"{done.args}: {done.stderr}")
    return json.loads(done.stdout)


def check_case(folder, number, executions):
    name, properties, arguments, orders = CASES[number]
    what = f"{name} with {' and '.join(properties)}"
    kept = os.path.join(folder, f"kept{number}")
    build(kept, os.path.join(EXAMPLES, name, f"{name}.cpp"), [os.path.join(EXAMPLES, f"{one}.mop") for one in properties])
    if number == 0:
        check_deadlock(folder, kept)
    for _ in range(5):
        done = run(kept, *arguments)
        need(done.returncode == 0, f"{what} fails natively:\n{done.stdout}{done.stderr}")
    result = raddle(folder, "fuzz", "-n", str(executions), "--", kept, *arguments)
    need(result["failing"] == 0 and result["executions"] == executions, f"{what} fails: {json.dumps(result)[:1000]}")
    if orders is None:
        return
    result = raddle(folder, "explore", "--", kept, *arguments)
    need(result["failing"] == 0 and result["end"] == "exhausted", f"{what}: {json.dumps(result)[:1000]}")
    need(orders in (0, result["executions"] - result["redundant"]), f"{what}: {result['covered']} instead of {orders}")


def check_free(folder, name):
    """The schedules of a seed are always the same: what fails once, fails."""
    program = os.path.join(folder, f"free_{name}")
    build(program, os.path.join(EXAMPLES, name, f"{name}.cpp"), [])
    need(raddle(folder, "fuzz", "-n", "100", "--", program)["failing"] > 0, f"{name} does not fail by itself")


def check_deadlock(folder, program):
    """One property alone lets philosophers wait for each other in a circle; that is said within a second, and found by fuzz."""
    result = raddle(folder, "fuzz", "-n", "200", "--", program, "circle")
    need(result["failing"] > 0, "philosophers in a circle never get stuck under fuzz")
    for _ in range(300):
        done = run(program, "circle", timeout=30)
        if done.returncode != 0:
            need(done.returncode == 3 and "philosophers are stuck" in done.stderr and done.stderr.count("OneFork.acquire") >= 3,
                 f"stuck philosophers: {done.returncode}\n{done.stderr}")
            break


def check_instrumented(folder):
    """With hooks as well: what Raddle links into the program is not the program's unseen code."""
    program = os.path.join(folder, "instrumented")
    build(program, os.path.join(EXAMPLES, "iteration", "iteration.cpp"), [os.path.join(EXAMPLES, "iteration", "iteration.mop")],
          "--instrument")
    result = raddle(folder, "explore", "--", program)
    need(result["instrumented"] and result["unseen"] == [] and result["failing"] == 0 and result["end"] == "exhausted",
         f"iteration, instrumented: {json.dumps(result)[:1000]}")


def explored(folder, status, *arguments):
    done = run(expect.RADDLE, "explore", "--out", os.path.join(folder, "out"), *arguments, timeout=600)
    need(done.returncode == status, f"{done.args}: {done.returncode} instead of {status}\n{done.stdout}{done.stderr}")
    return " ".join(done.stdout.split()), done.stderr


def check_proofs(folder, number):
    """With hooks all schedules are seen, and the exploration says what that means for the property; and only then."""
    name, properties, arguments, orders = CASES[number]
    if orders is None:
        return
    program = os.path.join(folder, f"proved{number}")
    build(program, os.path.join(EXAMPLES, name, f"{name}.cpp"), [os.path.join(EXAMPLES, f"{one}.mop") for one in properties],
          "--instrument")
    result = raddle(folder, "explore", "--", program, *arguments)
    need(result["properties"] and all(one["proved"] for one in result["properties"]), f"{name}: {json.dumps(result)[:1000]}")
    need(result["complete"] and result["unseen"] == [], f"{name}: {json.dumps(result)[:1000]}")
    named = result["properties"][0]["name"]
    told, _ = explored(folder, 0, "--", program, *arguments)
    need(f"Property {named} holds, and never deadlocks, in all schedules." in told, f"{name}: {told}")
    told, _ = explored(folder, 0, "--limit", "1", "--", program, *arguments)
    need("holds, and never" not in told, f"{name}, one execution: {told}")
    if name == "philosophers":
        told, _ = explored(folder, 1, "--", program, "circle")
        need("holds, and never" not in told, f"{name} circle: {told}")
        need(not raddle(folder, "explore", "--", program, "circle")["properties"][0]["proved"], "philosophers in a circle are proved")


def check_delays(folder):
    """`get* put`: an event that may go has to wait, nobody has to, nothing helps, or that is not known."""
    program = os.path.join(folder, "delays")
    build(program, os.path.join(DELAYS, "delays.cpp"), [os.path.join(DELAYS, "delays.mop")], "--instrument")
    told, _ = explored(folder, 1, "--", program, "free")
    need("waits for property GetsThenPut: event get" in told, f"get* put does not get stuck: {told}")

    def delays(*arguments):
        return raddle(folder, "explore", "--delay-events", *arguments)

    result = delays("--", program, "free")
    held = result["delays"]["held"]
    need(result["delays"]["enforceable"] is True and result["delays"]["least"] and len(held) == 1, json.dumps(result["delays"]))
    need((held[0]["event"]["event"], held[0]["event"]["thread"]) == ("put", 2) and not held[0]["never"], json.dumps(held))
    until = held[0]["until"]
    need([(one["event"], one["thread"], one["number"]) for one in until] == [("get", 1, 2)], json.dumps(held))
    told, _ = explored(folder, 0, "--delay-events", "--", program, "free")
    need("Enforceable, if events are held back: `GetsThenPut.put' (T2 at delays.cpp:" in told, told)
    need(" goes after `GetsThenPut.get' (T1 at delays.cpp:" in told and "As it is, with nothing held back" in told, told)

    told, _ = explored(folder, 0, "--delay-events", "--", program, "ordered")
    need("Enforceable as it is: no event has to be held back." in told, told)
    for way in ("backwards", "under-lock"):
        result = delays("--", program, way)
        need(result["delays"]["enforceable"] is False and result["findings"] and not result["complete"], f"{way}: {result}")
        told, _ = explored(folder, 1, "--delay-events", "--", program, way)
        need("Not enforceable: whatever is held back, some execution fails." in told and "FAILING" in told, f"{way}: {told}")

    told, _ = explored(folder, 3, "--delay-events", "--", program, "sleeping")
    need("Not known" in told and "--clock adversarial" in told, told)
    told, _ = explored(folder, 0, "--delay-events", "--clock", "adversarial", "--", program, "sleeping")
    need("Enforceable, if events are held back" in told, told)
    told, _ = explored(folder, 3, "--delay-events", "--", program, "nothing")
    need("No event of an enforced property was seen" in told, told)
    told, _ = explored(folder, 3, "--delay-events", "--limit", "2", "--", program, "free")
    need("Not known: the exploration ended early" in told, told)
    for wrong in (["--strategy", "dfs"], ["-j", "2"], ["--keep-going"], ["--checkpoint", os.path.join(folder, "file")]):
        _, error = explored(folder, 2, "--delay-events", *wrong, "--", program, "free")
        need("--delay-events" in error, f"{wrong}: {error}")
    free = os.path.join(folder, "without")
    build(free, os.path.join(DELAYS, "delays.cpp"), [])
    _, error = explored(folder, 2, "--delay-events", "--", free, "free")
    need("contains no property whose events could be held back" in error, error)


def check_circle(folder):
    """One fork each in a circle gets stuck; whoever holds the last one back keeps that from happening."""
    program = os.path.join(folder, "circle")
    build(program, os.path.join(expect.TESTS, "fix", "philosophers.cpp"), [os.path.join(expect.TESTS, "fix", "one_fork.mop")])
    result = raddle(folder, "explore", "--delay-events", "--", program, "left")
    need(result["delays"]["enforceable"] is True and result["delays"]["held"], json.dumps(result["delays"])[:1000])


def check_protocols(folder):
    program = os.path.join(folder, "protocols")
    files = sorted(os.path.join(PROTOCOLS, name) for name in os.listdir(PROTOCOLS) if name.endswith(".mop"))
    build(program, os.path.join(PROTOCOLS, "protocols.cpp"), files)
    names = run(program).stdout.split()
    need(len(names) >= 40, f"only {len(names)} protocols")
    for name in names:
        good = run(program, name, "good")
        need((good.returncode, good.stdout + good.stderr) == (0, ""), f"{name} good: {good.stdout}{good.stderr}")
        bad = run(program, name, "bad")
        need(bad.returncode == 1 and bad.stdout.startswith(f"{name} violated at "), f"{name} bad: {bad.stdout}{bad.stderr}")


def main():
    executions = 10000 if os.environ.get("RADDLE_TEST_FULL") == "1" else 200
    if sys.argv[1:2] == ["--executions"]:
        executions = int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(check_protocols, folder), pool.submit(check_instrumented, folder)]
        jobs += [pool.submit(check_delays, folder), pool.submit(check_circle, folder)]
        jobs += [pool.submit(check_free, folder, name) for name in PROGRAMS]
        jobs += [pool.submit(check_proofs, folder, i) for i in range(len(CASES))]
        jobs += [pool.submit(check_case, folder, i, executions) for i in range(len(CASES))]
        for job in jobs:
            job.result()


if __name__ == "__main__":
    main()
