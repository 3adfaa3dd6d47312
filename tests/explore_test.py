#!/usr/bin/env python3
"""raddle explore on real programs: explore/NAME.cpp is right, and wrong when it is compiled with BROKEN.

usage: explore_test.py [NAME...]
  NAME   only the checks whose name contains one of these
"""

import glob
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time

import expect
from expect import Problem

PROGRAMS = os.path.join(expect.TESTS, "explore")

# Right programs whose schedules dfs does not get through in a test's time. dpor proves them all.
LARGE = 3000  # executions


def explore(folder, program, *options, statuses=(0, 1)):
    _, result = expect.raddle(["explore", "--out", os.path.join(folder, "out"), *options, "--", program], statuses=statuses)
    return result


def need(condition, what):
    if not condition:
        raise Problem(what)


def proved(result, what):
    # A program that sleeps is proved for the times that it says.
    complete = result["complete"] or (result["out_of_control"]["timed_waits"] > 0 and result["unfinished"] == 0)
    need(complete and result["failing"] == 0 and result["end"] == "exhausted",
         f"{what}: not proved: {json.dumps(result)[:600]}")


def preemptions(source):
    """How many the bug needs: 2, unless the source says otherwise."""
    with open(source, encoding="utf-8") as file:
        match = re.search(r"^// preemptions: (\d+)$", file.read(), re.M)
    return match.group(1) if match else "2"


def pair(name):
    """The right one is proved by dpor, and dfs agrees where it gets through; the broken one is broken by all."""
    with expect.scratch() as folder:
        right, broken = os.path.join(folder, name), os.path.join(folder, name + "_broken")
        source = os.path.join(PROGRAMS, name + ".cpp")
        expect.build(source, right)
        expect.build(source, broken, "-DBROKEN")
        dpor = explore(folder, right)
        proved(dpor, "dpor")
        dfs = explore(folder, right, "--strategy", "dfs", "--limit", str(LARGE))
        need(dfs["failing"] == 0, "dfs: the right program fails")
        need(dfs["executions"] >= dpor["executions"] - dpor["redundant"], "dpor executed more schedules than there are")
        kinds = set()
        for strategy in (["dpor"], ["icb", "--bound", preemptions(source)]):
            found = explore(folder, broken, "--strategy", *strategy)
            need(found["failing"] == 1 and len(found["findings"]) == 1, f"{strategy}: the bug was not found")
            finding = found["findings"][0]
            need(finding["replays"], f"{strategy}: {finding['replay_note']}")
            kinds.add(finding["kind"])
            status, replayed = expect.raddle(["replay", finding["replay"]])
            need(status == 1 and replayed["outcome"] == finding["kind"], "the replay differs")
        return f"{dpor['executions']} executions to the end, {', '.join(kinds)}"


TWO_THREADS = """
#include <mutex>
#include <thread>
std::mutex a, b;
void work(std::mutex& m, int n) { for (int i = 0; i < n; ++i) { m.lock(); m.unlock(); } }
int main() {
  std::thread one(work, std::ref(a), N), two(work, std::ref(b), M);
  one.join();
  two.join();
}
"""


def source_in(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def counts():
    """dfs, bfs and icb execute the same schedules, by preemptions too; one of independent threads is enough."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "two")
        expect.build(source_in(folder, "two.cpp", TWO_THREADS), program, "-DN=1", "-DM=1")
        dfs = explore(folder, program, "--strategy", "dfs")
        proved(dfs, "dfs")
        for strategy in ("bfs", "icb"):
            other = explore(folder, program, "--strategy", strategy)
            proved(other, strategy)
            need(other["by_preemptions"] == dfs["by_preemptions"], f"{strategy} executed other schedules than dfs")
        total = 0
        for bound, count in enumerate(dfs["by_preemptions"][:4]):
            total += count
            bounded = explore(folder, program, "--strategy", "icb", "--bound", str(bound))
            proved(bounded, f"icb --bound {bound}")
            need(bounded["executions"] == total, f"bound {bound}: {bounded['executions']} executions instead of {total}")
            need(f"at most {bound} preemption" in bounded["covered"], bounded["covered"])
        parallel = explore(folder, program, "--strategy", "dfs", "-j", "2")
        proved(parallel, "-j 2")
        need(parallel["by_preemptions"] == dfs["by_preemptions"], "-j 2 executed other schedules")
        dpor = explore(folder, program)
        proved(dpor, "dpor")
        need(dpor["executions"] == 1, f"dpor: {dpor['executions']} executions of one class")
        return f"{dfs['executions']} schedules, by preemptions {dfs['by_preemptions']}"


def checkpoint():
    """kill -9 at any moment loses the execution under way at most; another build is refused."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "two")
        source = source_in(folder, "two.cpp", TWO_THREADS)
        expect.build(source, program, "-DN=3", "-DM=3")
        whole = explore(folder, program, "--strategy", "icb", "--bound", "3")
        file = os.path.join(folder, "checkpoint")
        options = ["--strategy", "icb", "--bound", "3", "--checkpoint", file]
        command = [expect.RADDLE, "explore", *options, "--fork", "--", program]  # slower
        kills = 0
        first = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=folder)
        while True:
            begun = time.monotonic()  # a busy machine may need a while to begin
            while not os.path.exists(file) and first.poll() is None and time.monotonic() < begun + 30:
                time.sleep(0.01)
            time.sleep(0.1 * (1 + kills))  # 1,000 forked executions take longer than the first time
            if first.poll() is not None:
                break
            first.send_signal(signal.SIGKILL)
            first.wait()
            kills += 1
            before = os.path.getsize(file)
            if kills == 3:  # and in the middle of a record
                with open(file, "ab") as damaged:
                    damaged.write(b"\x40\x00\x00\x00d")
            if kills > 40:
                raise Problem("it does not get on")
            first = subprocess.Popen([*command[:2], "--resume", *command[2:]], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, cwd=folder)
            need(before > 0, "nothing was written")
        again = explore(folder, program, *options, "--resume")
        need(again["complete"] and again["by_preemptions"] == whole["by_preemptions"],
             f"{again['by_preemptions']} instead of {whole['by_preemptions']} after {kills} kills")

        def refused(what, pattern):
            done = subprocess.run([expect.RADDLE, "explore", *what, "--resume", "--", program], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, cwd=folder, check=False)
            need(done.returncode == 2 and re.search(pattern, done.stderr), f"{done.returncode}: {done.stderr}")

        refused(["--strategy", "dfs", "--checkpoint", file], "--strategy was icb, and is dfs")
        refused(["--checkpoint", source], "is no checkpoint")
        refused(["--checkpoint", file + ".none"], "No such file")
        expect.build(source, program, "-DN=3", "-DM=3", "-O2")
        refused(options, "its build was")
        need(kills > 0, "it ended before it could be killed")
        return f"{kills} kills, {whole['executions']} executions"


DIVERGES = """
#include <cstdio>
#include <mutex>
#include <thread>
int main(int argc, char** argv) {
  std::mutex m;
  // A file that an earlier execution left behind.
  std::FILE* file = std::fopen(argv[argc - 1], "a+");
  std::fseek(file, 0, SEEK_END);
  const bool first = std::ftell(file) < 3;
  std::fputc('x', file);
  std::fclose(file);
  auto work = [&] { m.lock(); m.unlock(); if (!first) { m.lock(); m.unlock(); } };
  std::thread one(work), two(work);
  one.join();
  two.join();
}
"""


def divergence():
    """What depends on earlier executions is noticed, with the step and both sides."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "diverges")
        expect.build(source_in(folder, "diverges.cpp", DIVERGES), program)
        state = os.path.join(folder, "state")
        _, result = expect.raddle(["explore", "--strategy", "dfs", "--decide", "sync", "--out", folder + "/out", "--",
                                   program, state],
                                  statuses=(3,))
        need(result["end"] == "diverged" and not result["complete"], "not noticed")
        need(result["divergence"]["step"] > 0 and "lock" in result["divergence"]["message"], str(result["divergence"]))
        return result["divergence"]["message"]


TIMER = """
#include <sys/timerfd.h>
#include <unistd.h>
#include <cstdint>
#include <mutex>
#include <thread>
int main() {
  std::mutex mutex;
  std::thread other([&] { std::lock_guard lock(mutex); });
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec soon{{0, 0}, {0, 5'000'000}};
  timerfd_settime(timer, 0, &soon, nullptr);
  std::uint64_t times = 0;
  if (read(timer, &times, sizeof times) != sizeof times) return 1;
  { std::lock_guard lock(mutex); }
  other.join();
}
"""


def timers():
    """Which thread comes first after a timer of the kernel's is not covered."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "timer")
        expect.build(source_in(folder, "timer.cpp", TIMER), program)
        result = explore(folder, program)
        need(not result["complete"] and result["out_of_control"]["kernel_timers"] == 1, str(result)[:400])
        need("timerfd" in result["not_covered"], result["not_covered"])
        return result["not_covered"]


def limits():
    """What was not covered is said."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "two")
        expect.build(source_in(folder, "two.cpp", TWO_THREADS), program, "-DN=3", "-DM=3")
        some = explore(folder, program, "--strategy", "dfs", "--limit", "50")
        need(not some["complete"] and some["executions"] == 50 and some["end"] == "limit", str(some)[:400])
        need(re.match(r"50 of an estimated [\d,]+ executions", some["covered"]), some["covered"])
        some = explore(folder, program, "--strategy", "bfs", "--time", "300ms")
        need(not some["complete"] and some["end"] == "time", str(some)[:400])
        level = explore(folder, program, "--strategy", "icb", "--limit", "300")
        need(level["covered"].startswith("all schedules with at most"), level["covered"])
        short = explore(folder, program, "--max-steps", "5", statuses=(3,))
        need(not short["complete"] and short["unfinished"] == short["executions"], str(short)[:400])
        # Wherever they are cut off, they do what they did before.
        for steps in range(8, 14):
            for strategy in ("dfs", "dpor"):
                cut = explore(folder, program, "--strategy", strategy, "--max-steps", str(steps), "--limit", "100", statuses=(3,))
                need(cut["end"] != "diverged" and cut["unfinished"] > 0, f"{strategy}, {steps} steps: {cut['end']}, {cut.get('divergence')}")
        return some["covered"]


def keep_going():
    """After a failure the rest is explored, and failures of the same kind are one finding."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "airline")
        expect.build(os.path.join(PROGRAMS, "airline.cpp"), program, "-DBROKEN")
        dpor = explore(folder, program, "--keep-going")
        need(dpor["complete"] and dpor["failing"] > 1, str(dpor)[:400])
        need(len(dpor["findings"]) == 1 and dpor["findings"][0]["count"] == dpor["failing"], str(dpor["findings"])[:400])
        need(not os.path.exists(os.path.join(folder, "out", "2.replay")), "more than one replay file")
        return f"{dpor['failing']} of {dpor['executions']}"


CHANGE = os.path.join(PROGRAMS, "change")
HEURISTICS = [mode + threads for threads in "AS" for mode in ("C", "CO", "M", "MO", "L", "LO", "F")]


# A change of nothing but a comment.
COMMENT_CHANGED = """--- a/inventory.cpp
+++ b/inventory.cpp
@@ -1,2 +1,2 @@
-// Clerks take things out of an inventory and write a journal. The change (inventory.patch) lets a
+// Clerks take items out of an inventory and write a journal. The change (inventory.patch) lets a
 // clerk leave without waiting for the lock when nothing is left. Since then a clerk may look at one
"""


def change_counts(folder, base, level="-O1"):
    """Executions to the bug that a change introduced: of the plain strategy, and with each heuristic."""
    program = os.path.join(folder, "inventory" + level)
    expect.build(os.path.join(CHANGE, "inventory.cpp"), program, level)
    plain = explore(folder, program, "--strategy", base)
    need(plain["failing"] == 1, "the bug was not found")
    found = {}
    for heuristic in HEURISTICS:
        result = explore(folder, program, "--strategy", "capp", "--base", base, "--heuristic", heuristic,
                         "--patch", os.path.join(CHANGE, "inventory.patch"), "--sources", CHANGE)
        need(result["failing"] == 1, f"{heuristic}: the bug was not found")
        found[heuristic] = result["executions"]
    return plain["executions"], found


def changed():
    """The best heuristic needs at most half the schedules; none leaves anything out."""
    with expect.scratch() as folder:
        plain, found = change_counts(folder, "icb")
        need(2 * min(found.values()) <= plain, f"{plain} without, {found}")
        # Whatever the compiler inlines: an operation of the library counts at the line that calls it, and what is inside a
        # std::atomic is a field of the atomic's owner.
        for level in ("-O0", "-O2"):
            need(change_counts(folder, "icb", level) == (plain, found), f"{level} differs from {plain}, {found}")
        capp = ["--strategy", "capp", "--sources", CHANGE, "--heuristic", "LS"]
        comment = source_in(folder, "comment.patch", COMMENT_CHANGED)
        nothing = explore(folder, os.path.join(folder, "inventory-O2"), *capp, "--patch", comment)
        need(any("No decision point matched the change by LS" in remark for remark in nothing["remarks"]),
             str(nothing["remarks"]))
        # Everything is covered all the same: the right program has as many schedules in every order.
        program = os.path.join(folder, "two")
        expect.build(source_in(folder, "two.cpp", TWO_THREADS), program, "-DN=1", "-DM=1")
        patch = source_in(folder, "two.patch", "--- a/two.cpp\n+++ b/two.cpp\n@@ -5,0 +5,1 @@\n+" +
                          TWO_THREADS.splitlines()[4] + "\n")
        capp = ["--strategy", "capp", "--sources", folder]
        all_of_them = explore(folder, program, "--strategy", "icb")
        for heuristic in ("LS", "MOA", "FA"):
            same = explore(folder, program, *capp, "--patch", patch, "--heuristic", heuristic)
            proved(same, heuristic)
            need(same["by_preemptions"] == all_of_them["by_preemptions"], f"{heuristic} executed other schedules")
        # Sources that are not the newer side: named lines, and the plain order.
        other = source_in(folder, "other.patch", "--- a/two.cpp\n+++ b/two.cpp\n@@ -5 +5 @@\n-x\n+something else\n")
        plainly = explore(folder, program, *capp, "--patch", other)
        need(plainly["by_preemptions"] == all_of_them["by_preemptions"] and
             any("two.cpp:5" in remark for remark in plainly["remarks"]), str(plainly["remarks"]))
        nonsense = explore(folder, program, *capp, "--patch", source_in(folder, "no.patch", "garbage\n"), "--limit", "2")
        need(any("nothing in it looks like" in remark for remark in nonsense["remarks"]), str(nonsense["remarks"]))
        # The same from git.
        git = ["git", "-C", folder, "-c", "user.name=x", "-c", "user.email=x@x"]
        for command in (["init", "-q"], ["add", "two.cpp"], ["commit", "-qm", "one"]):
            subprocess.run([*git, *command], check=True, capture_output=True)
        source_in(folder, "two.cpp", TWO_THREADS + "// more\n")
        subprocess.run([*git, "commit", "-qam", "two"], check=True, capture_output=True)
        told = explore(folder, program, *capp, "--changes", "HEAD~1..HEAD", "--limit", "3")
        need(any("The change: 1 line" in remark for remark in told["remarks"]), str(told["remarks"]))
        return f"{plain} with icb alone, " + ", ".join(f"{h} {n}" for h, n in found.items())


# Of 30 random programs at least 10 have few enough schedules to compare all of them; a plain run ends after the first 5. A
# mistake that a fifth of the programs show is missed with a probability of 0.8^5 = 0.33 by a plain run and of 0.11 by a full
# one; real_executions_test.cpp and random_programs_test.cpp compare the explorers on many more.
RANDOM_PROGRAMS = 30
COMPARED = 10 if expect.FULL else 5


def random_programs(name="interpreter"):
    """Real threads: dfs, icb and dpor reach the same final states, of which each is a finding."""
    compared, schedules, reduced = 0, 0, 0
    with expect.scratch() as folder:
        program = os.path.join(folder, name)
        expect.build(os.path.join(PROGRAMS, "random", name + ".cpp"), program, "-std=c++20")
        for seed in range(RANDOM_PROGRAMS):
            if compared == COMPARED and not expect.FULL:
                break

            def reached(*strategy, seed=seed):
                _, result = expect.raddle(["explore", "--keep-going", "--out", os.path.join(folder, "out"), "--strategy",
                                           *strategy, "--", program, str(seed)], statuses=(1,))
                places = [(finding["kind"], finding["where"]) for finding in result["findings"]]
                return result, {f"{kind} {where['function']} {where['line']}" for kind, where in places}
            dfs, states = reached("dfs", "--limit", "300")
            if not dfs["complete"]:
                continue
            icb, other = reached("icb")
            need(icb["complete"] and icb["by_preemptions"] == dfs["by_preemptions"] and other == states, f"icb, seed {seed}")
            dpor, other = reached("dpor")
            need(dpor["complete"] and other == states,
                 f"dpor, seed {seed}: {sorted(other)} instead of {sorted(states)}")
            compared += 1
            schedules += dfs["executions"]
            reduced += dpor["executions"]
    need(compared >= COMPARED, f"only {compared} programs are small enough")
    return f"{compared} programs, {schedules} schedules, dpor {reduced}"


def random_freeing():
    """The same where threads free what others use."""
    return random_programs("freeing")


def micro_steps(operations, thread):
    """What an operation of tests/explore/hidden is made of: functions of (variables, last, register, locks), None if it waits."""
    steps = []
    for letter in operations:
        v = 0 if letter in "lsia" else 1
        kind = letter.lower()

        def load(state, v=v):
            state["last"][thread] = state["v"][v]

        def store(state, v=v):
            state["v"][v] = 5 + thread

        def read(state, v=v):
            state["register"][thread] = state["v"][v]

        def write(state, v=v):
            state["v"][v] = state["register"][thread] + 1

        def add(state, v=v):
            state["v"][v] += 2

        def take(state):
            if state["mutex"] is not None:
                return False
            state["mutex"] = thread
            return True

        def give(state):
            state["mutex"] = None
        steps += {"l": [load], "s": [store], "i": [read, write], "a": [add], "m": [take, read, write, give],
                  "g": ["guarded"]}[kind]
    return steps


def truth(first, second):
    """Every final state that some order of all accesses leads to, by trying them all."""
    found, seen = set(), set()
    programs = (micro_steps(first, 0), micro_steps(second, 1))

    def go(at, inner, state):
        key = (at, inner, json.dumps(state))
        if key in seen:
            return
        seen.add(key)
        if all(at[t] == len(programs[t]) for t in (0, 1)):
            (a, b), (x, y) = state["v"], state["last"]
            found.add(((a * 7 + b) * 7 + x * 3 + y) % 251)
        for t in (0, 1):
            if at[t] == len(programs[t]):
                continue
            copy = json.loads(json.dumps(state))
            step, phase = programs[t][at[t]], inner[t]
            done = True
            if step != "guarded":
                if step(copy) is False:
                    continue
            elif phase == 0:  # tries the lock
                phase, done = (10 if copy["hidden"] else 1), False
                copy["hidden"] = copy["hidden"] or phase == 1
            elif phase == 1:
                copy["register"][t], phase, done = copy["v"][0] * 2, 2, False
            elif phase == 2:
                copy["v"][0], phase, done = copy["register"][t], 3, False
            elif phase == 3:
                copy["hidden"] = False
            else:  # in vain: twice two more
                copy["v"][1] += 2
                done = phase == 11
                phase = 11
            go(tuple(p + 1 if k == t and done else p for k, p in enumerate(at)),
               tuple(0 if k == t and done else phase if k == t else p for k, p in enumerate(inner)), copy)
    go((0, 0), (0, 0), {"v": [0, 0], "last": [0, 0], "register": [0, 0], "mutex": None, "hidden": False})
    return found


# Whether something is hidden does not depend on the random program; that enough is hidden to matter is asserted of all
# together: "ii" against "ii" alone reaches three final states, and one if the accesses are hidden.
HIDDEN_PROGRAMS = 40 if expect.FULL else 2


def hidden():
    """Nothing is called complete if an order that Raddle does not see leads to another final state."""
    random = __import__("random").Random(7)
    programs = [("ii", "ii")] + [tuple("".join(random.choice("lLsSiIaAgm") for _ in range(2)) for _ in (0, 1))
                                 for _ in range(HIDDEN_PROGRAMS - 1)]
    missed = {}
    with expect.scratch() as folder:
        source = os.path.join(PROGRAMS, "hidden")
        main, part = os.path.join(source, "main.cpp"), os.path.join(source, "hidden.cpp")

        def path(name):
            return os.path.join(folder, name)

        def plain(*options):
            subprocess.run(["g++", "-O1", "-pthread", *options], check=True)
        plain("-c", part, "-o", path("part.o"))
        plain("-shared", "-fPIC", part, "-o", path("libpart.so"))
        plain(main, part, "-o", path("unmodified"))
        expect.build(main, path("seen"), part)
        expect.build(main, path("object"), path("part.o"))
        expect.build(main, path("library"), path("libpart.so"), "-Wl,-rpath," + folder)
        expect.build(main, path("assembly"), part, "-DASSEMBLY")
        expect.build(main, path("opaque"), part, "-DASSEMBLY", "-DOPAQUE")
        named = {"object": ("object", "partly-instrumented", "load"), "library": ("libpart.so", "not-instrumented", None),
                 "opaque": ("opaque", "partly-instrumented", "load"), "unmodified": ("unmodified", "not-instrumented", None)}
        seen = ("seen", "assembly")
        for number, (first, second) in enumerate(programs):
            all_there_are = truth(first, second)
            other = ("dfs", "icb")[number % 2]
            for strategy, variant in itertools.product(("dpor", other), (*seen, *named)):
                _, result = expect.raddle(["explore", "--strategy", strategy, "--keep-going", "--out", path("out"), "--", path(variant),
                                           first, second], statuses=(1,))
                reached = {int(re.search(r"reached<(\d+)", finding["message"]).group(1)) for finding in result["findings"]}
                what = f"{strategy} {variant} {first} {second}: reached {sorted(reached)} of {sorted(all_there_are)}"
                need(reached <= all_there_are, what)
                need(result["complete"] == (variant in seen), f"{what}, complete: {result['complete']}")
                need(not result["complete"] or reached == all_there_are, what)
                hedges = ("what was seen", "the steps seen", "synchronisation calls")
                need(any(hedge in result["covered"] for hedge in hedges) == (variant not in seen), result["covered"])
                if variant not in seen:
                    image, why, example = named[variant]
                    code = result["unseen"][0]
                    need((code["image"], code["why"]) == (image, why) and (not example or example in code["for_example"]),
                         str(result["unseen"]))
                if reached != all_there_are:
                    missed[variant] = missed.get(variant, 0) + 1
        need(all(missed.get(variant, 0) > 0 for variant in named), f"nothing was hidden: {missed}")
    return f"{len(programs)} programs, final states missed and said so: {missed}"


def causal():
    """By values: fewer executions than by order, and deadlocks all the same. What was not seen is not claimed."""
    with expect.scratch() as folder:
        def built(name, *options, compiler=expect.CXX):
            program = os.path.join(folder, name + "".join(options).replace("-D", "_") + os.path.basename(compiler))
            if not os.path.exists(program):
                expect.build(os.path.join(PROGRAMS, "causal", name + ".cpp"), program, *options, compiler=compiler)
            return program

        by_values = ("--strategy", "causal")
        for name, kind in (("counter", "assertion"), ("crossing", "deadlock"), ("lost_signal", "deadlock"),
                           ("barrier", "assertion"), ("once", "assertion"), ("list", "assertion"), ("pair", "assertion")):
            right = explore(folder, built(name), *by_values)
            proved(right, f"causal, {name}")
            need(right["unknown"] == 0 and right["problem"] is None and right["covered"].startswith("all behaviours: "),
                 f"{name}: {right['covered']}")
            if name in ("counter", "list"):
                by_order = explore(folder, built(name), "--decide", "all", "--limit", str(right["executions"]))
                need(by_order["executions"] == right["executions"], f"{name}: dpor takes {by_order['executions']}")
            broken = explore(folder, built(name, "-DBROKEN"), *by_values, statuses=(1,))
            found = [finding["kind"] for finding in broken["findings"]]
            need(found == [kind] and broken["findings"][0]["replays"], f"{name}, broken: {found}")

        figure = built("figure")
        found = explore(folder, figure, *by_values, statuses=(1,))["executions"]
        for strategy, as_many in (("dpor", found), ("icb", 100 * found)):
            result = explore(folder, figure, "--strategy", strategy, "--decide", "sync", "--limit", str(as_many), statuses=(0,))
            need(result["executions"] == as_many, f"figure: causal takes {found}, {strategy} {result['executions']}")

        hidden_call = explore(folder, built("hidden"), *by_values, statuses=(0,))
        need(not hidden_call["complete"] and hidden_call["library_calls"] == ["rand"] and
             hidden_call["covered"].startswith("not complete: "), f"hidden: {hidden_call['covered']}")
        copy = explore(folder, built("copy"), *by_values, statuses=(3,))
        need(not copy["complete"] and "several places" in copy["problem"], f"copy: {copy['problem']}")

        # A schedule that is feasible by what was seen, and that the program does not follow: both sides, and a file.
        _, strays = expect.raddle(["explore", *by_values, "--keep-going", "--out", os.path.join(folder, "strays_out"), "--",
                                   built("strays"), os.path.join(folder, "state")], statuses=(1,))
        need(not strays["complete"] and re.search(r"at step \d+ it expects a step of thread \d+, and there was ", strays["problem"]),
             f"strays: {strays['problem']}")
        need(len(os.listdir(os.path.join(folder, "strays_out"))) == 2, "strays: not saved beside the failing execution")

        plain = built("crossing", compiler="c++")
        right = explore(folder, plain, *by_values, statuses=(0,))
        need(not right["complete"] and right["covered"].startswith("what locks, waits and signals allow"), right["covered"])
        broken = explore(folder, built("crossing", "-DBROKEN", compiler="c++"), *by_values, statuses=(1,))
        need([finding["kind"] for finding in broken["findings"]] == ["deadlock"], "crossing, broken and unmodified")


def only_order():
    with expect.scratch() as folder:
        source = os.path.join(folder, "one.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <thread>\nint main() { std::thread([] {}).join(); }\n")
        program = os.path.join(folder, "one")
        subprocess.run(["g++", "-std=c++17", "-pthread", "-o", program, source], check=True)
        done = subprocess.run([expect.RADDLE, "explore", "--strategy", "dfs", "--", program], capture_output=True, text=True,
                              cwd=folder, stdin=subprocess.DEVNULL, check=False)
        need("Covered: the only order of synchronisation calls." in done.stdout, done.stdout + done.stderr)


def usage():
    with expect.scratch() as folder:
        for options, pattern in ((["--bound", "2"], "--bound is for --strategy icb"),
                                 (["--resume"], "--resume needs --checkpoint"),
                                 (["--strategy", "random"], "`random' is not one of"),
                                 (["--strategy", "capp"], "needs to know what changed"),
                                 (["--patch", "x"], "are for --strategy capp"),
                                 (["--strategy", "capp", "--changes", "HEAD"], "two revisions"),
                                 (["--strategy", "capp", "--patch", "/nonexistent"], "cannot read /nonexistent"),
                                 (["--strategy", "causal", "--decide", "races"], "as with --decide all"),
                                 (["--strategy", "causal", "--checkpoint", "x"], "has no checkpoints"),
                                 (["--strategy", "causal", "-j", "2"], "one execution at a time"),
                                 (["--strategy", "causal", "--carrier", "kernel"], "memory at fixed places"),
                                 (["--limit", "0"], "is not a number from 1")):
            done = subprocess.run([expect.RADDLE, "explore", *options, "--", "/bin/true"], capture_output=True, text=True,
                                  cwd=folder, stdin=subprocess.DEVNULL, check=False)
            need(done.returncode == 2 and pattern in done.stderr, f"{options}: {done.returncode} {done.stderr}")


OTHERS = [counts, causal, random_programs, random_freeing, hidden, changed, checkpoint, divergence, timers, limits, keep_going, only_order, usage]


def main():
    wanted = [a for a in sys.argv[1:] if not a.startswith("--")]
    names = sorted(os.path.basename(p)[:-len(".cpp")] for p in glob.glob(os.path.join(PROGRAMS, "*.cpp")))
    names = [n for n in names if not wanted or any(w in n for w in wanted)]
    others = [o for o in OTHERS if not wanted or any(w in o.__name__ for w in wanted)]
    items = [(n, lambda n=n: pair(n)) for n in names] + [(o.__name__, o) for o in others]
    expect.run_all(lambda item: item[1](), items, lambda item: item[0])


main()
