#!/usr/bin/env python3
"""The strategies that confirm, on the programs of their papers.

Figures 1 to 4 of Park and Sen (2008) under `atom`, each unmodified (blocks found on the stack, --atomic frames) and
annotated (raddle-c++, --atomic annotated). With a pause probability of 1 every execution of figures 1 and 2 fails;
with 0.5 as often as the model below computes, which walks all states of the program under Algorithm 2; figure 3, and
figure 4 with input 'n', never.

The account of Lai, Cheung and Chan (2010): `asset` confirms R(x.c) W'(x.c) W'(x.s) R(x.s), pattern 11 of Hammer et al.,
and the copy ends inconsistent; `race`, and `atom` with locks as blocks, do not see it, as their paper says.
"""

import functools
import itertools
import json
import math
import os
import re
import subprocess
import sys

import expect
from expect import Problem
from figures_test import Model, lock, main, thread

INCLUDE = os.path.join(expect.TESTS, "..", "include")
AGAIN = "again"  # an acquisition of a lock that the block has had before


class AtomModel(Model):
    """Model under Algorithm 2 with pause probability q."""

    def __init__(self, threads, locks, q):
        super().__init__(threads, locks)
        self.q = q

    def probability(self):
        sys.setrecursionlimit(10000)
        self.held, self.freed = frozenset(), frozenset()
        places = (0,) + (-1,) * (len(self.threads) - 1)
        return self.failing(places, (-1,) * self.locks, 100, (0, frozenset(), frozenset()))

    def operation(self, thread_number, places):
        return self.threads[thread_number][places[thread_number]]

    def can_move(self, thread_number, places, owners):
        place = places[thread_number]
        if 0 <= place < len(self.threads[thread_number]) and self.operation(thread_number, places)[0] == AGAIN:
            return owners[self.operation(thread_number, places)[1]] == -1
        return super().can_move(thread_number, places, owners)

    @functools.lru_cache(maxsize=None)
    def failing(self, places, owners, balance, covered):
        covered, held, freed = covered
        enabled = [t for t in range(len(places)) if self.can_move(t, places, owners)]
        if not enabled:
            return 0.0 if places[0] == len(self.threads[0]) else 1.0
        return self.decide(enabled, places, owners, balance, covered, held, freed)

    def decide(self, enabled, places, owners, balance, covered, held, freed):
        free = [t for t in enabled if t not in held]
        if not free:  # one is let go at random
            return sum(self.execute(t, places, owners, balance, covered, held - {t}, freed) for t in enabled) / len(enabled)
        total = 0.0
        for t in free:
            run = functools.partial(self.execute, t, places, owners, balance, covered, held, freed - {t})
            if self.operation(t, places)[0] == AGAIN and t not in freed:
                total += self.q * self.decide(enabled, places, owners, balance, covered, held | {t}, freed)
                total += (1 - self.q) * run()
            else:
                total += run()
        return total / len(free)

    def execute(self, t, places, owners, balance, covered, held, freed):
        operation, what = self.operation(t, places)
        owners = list(owners)
        if operation in ("lock", AGAIN):
            owners[what] = t
            met = {o for o in held if o != t and self.operation(o, places) == (AGAIN, what)}
            held, freed = held - met, freed | met
        # The rest is as in the model of random schedules, which knows the lock as taken already.
        places = list(places)
        places[t] += 1
        if operation == "unlock":
            owners[what] = -1
        elif operation == "create":
            places[what] = 0
        while places[t] < len(self.threads[t]):
            operation, what = self.threads[t][places[t]]
            if operation == "balance?":
                covered |= (balance >= 70) << t
            elif operation == "withdraw":
                balance -= 70
                if balance < 0:
                    return 1.0
            elif operation != "if covered":
                break
            elif not covered >> t & 1:
                places[t] += what
            places[t] += 1
        return self.failing(tuple(places), tuple(owners), balance, (covered, frozenset(held), frozenset(freed)))


WITHDRAW = [(AGAIN, 0), ("withdraw", 0), ("unlock", 0)]
SPEND = lock(0, ("balance?", 0)) + [("if covered", len(WITHDRAW))] + WITHDRAW
MODELS = {
    "figure1": ([main(2), thread(SPEND), thread(SPEND)], 1),
    "figure2": ([main(2), thread(SPEND), thread(*[lock(1 + f) for f in range(6)], SPEND)], 7),
}


def build(source, folder, instrumented, *options):
    program = os.path.join(folder, os.path.basename(source)[: -len(".cpp")] + ("_instrumented" if instrumented else ""))
    expect.build(source, program, "-I" + INCLUDE, *options, compiler=expect.CXX if instrumented else "g++")
    return program


def fuzz(program, executions, *options, arguments=()):
    with expect.scratch() as out:
        _, result = expect.raddle(["fuzz", "--keep-going", "-n", str(executions), "--out", os.path.join(out, "found"),
                                   *options, "--", program, *arguments], statuses=(0, 1))
    if result["inconclusive"] != 0:
        raise Problem(f"{program} {options}: {result['inconclusive']} inconclusive")
    return result


def atom(figure, instrumented, q, executions, arguments=()):
    source = os.path.join(expect.TESTS, "figures", figure + ".cpp")
    with expect.scratch() as folder:
        program = build(source, folder, instrumented)
        result = fuzz(program, executions, "--strategy", "atom", "--pause-probability", str(q), "--atomic",
                      "annotated" if instrumented else "frames", arguments=arguments)
    return result


def check_always(figure, instrumented):
    result = atom(figure, instrumented, 1, 1000)
    if result["failing"] != 1000 or result["violating"] != 1000:
        raise Problem(f"{result['failing']} of 1000 failed, {result['violating']} with a violation")
    if not any(entry["level"] == "failing" for entry in result["pursued"]):
        raise Problem(f"not confirmed: {result['pursued']}")
    if not all(finding["replays"] for finding in result["findings"]):
        raise Problem("a finding does not replay")
    return "1000 of 1000"


def check_half(figure, instrumented):
    executions = 2000
    expected = AtomModel(*MODELS[figure], 0.5).probability()
    sure = AtomModel(*MODELS[figure], 1).probability()
    if abs(sure - 1) > 1e-9:
        raise Problem(f"the model says {sure} with q = 1")
    share = atom(figure, instrumented, 0.5, executions)["failing"] / executions
    sigma = math.sqrt(expected * (1 - expected) / executions)
    text = f"computed {expected:.4f}, measured {share:.4f}, sigma {sigma:.4f}"
    if abs(share - expected) > 4 * sigma:
        raise Problem(text)
    return text


def check_never(figure, instrumented, *arguments):
    result = atom(figure, instrumented, 1, 10000, arguments)
    if result["executions"] != 10000 or result["failing"] != 0 or result["errors"] != 0 or result["pursued"]:
        raise Problem(f"{result['failing']} failed, {result['pursued']}")
    return "0 of 10000"


def check_account():
    folder_of = os.path.join(expect.TESTS, "confirming")
    with expect.scratch() as folder:
        bug = build(os.path.join(folder_of, "account_copy.cpp"), folder, True)
        twin = build(os.path.join(folder_of, "account_copy_fixed.cpp"), folder, True)
        result = fuzz(bug, 1000, "--strategy", "asset")
        torn = [p for p in result["pursued"] if p["pattern"] == 11 and p["level"] == "failing"]
        if not torn:
            raise Problem(f"pattern 11 was not confirmed with a failing execution: {result['pursued']}")
        share = sum(p["realised"] for p in torn) / sum(p["executions"] for p in torn)
        random = fuzz(bug, 1000, "--strategy", "random")["failing"] / 1000
        for strategy, *options in (("race",), ("atom", "--atomic", "locks")):
            other = fuzz(bug, 1000, "--strategy", strategy, *options)
            if any(p["realised"] for p in other["pursued"]):
                raise Problem(f"{strategy} claims to have found it")
        fixed = fuzz(twin, 10000, "--strategy", "asset")
        if fixed["failing"] != 0 or fixed["confirmed"] != 0:
            raise Problem(f"the fixed twin: {fixed['confirmed']} confirmed, {fixed['failing']} failing")
    return f"pattern 11 in {share:.2f} of its executions; random fails in {random:.2f}"


def nameless(pursued):
    """Objects without a name are called by their addresses, which may be random here."""
    return pursued if expect.FIXED_ADDRESSES else json.loads(re.sub(r"0x[0-9a-f]+", "0x", json.dumps(pursued)))


def check_shares():
    """What became of each candidate is the same with one worker and with two, and every execution is for one of them."""
    source = os.path.join(expect.TESTS, "subjects", "linked_list.cpp")
    with expect.scratch() as folder:
        program = build(source, folder, True)
        alone = nameless(fuzz(program, 300, "--strategy", "asset")["pursued"])
        together = nameless(fuzz(program, 300, "--strategy", "asset", "-j", "2")["pursued"])
        if together != alone:
            others = [(one, two) for one, two in itertools.zip_longest(alone, together) if one != two]
            raise Problem(f"-j 2 shares the executions out in another way: {others[0][0]} and {others[0][1]}")
        if sum(p["executions"] for p in alone) != 300:
            raise Problem("executions without a candidate")
        observed = fuzz(program, 200, "--strategy", "random", "--observe", "asset")["pursued"]
    if any(p["looked"] != 200 or p["realised"] for p in observed) or not any(p["seen"] for p in observed):
        raise Problem(f"random executions, looked at: {observed}")
    # A candidate that was confirmed has more than its tries: at least half of the executions are for such.
    good = sum(p["executions"] for p in alone if p["level"] != "candidate")
    if good < 150:
        raise Problem(f"{good} of 300 executions were for what comes about")
    return f"{good} of 300 for what comes about"


def check_philosophers():
    """Four philosophers, unmodified: the cycle that `random` hardly closes is closed nearly always; none with a waiter."""
    folder_of = os.path.join(expect.TESTS, "confirming")
    with expect.scratch() as folder:
        program = build(os.path.join(folder_of, "philosophers4.cpp"), folder, False)
        gated = build(os.path.join(folder_of, "philosophers4_gated.cpp"), folder, False)
        two = build(os.path.join(folder_of, "two_cycles.cpp"), folder, False)
        random = fuzz(program, 1000, "--strategy", "random")["failing"] / 1000
        result = fuzz(program, 200, "--strategy", "deadlock")
        share = result["failing"] / 200
        silent = fuzz(gated, 2000, "--strategy", "deadlock")
        both = fuzz(two, 200, "--strategy", "deadlock")
    if [p["level"] for p in result["pursued"]] != ["failing"] or result["findings"][0]["kind"] != "deadlock":
        raise Problem(f"not confirmed: {result['pursued']}")
    # Held back at the second fork, everybody arrives there, whatever the order: every execution ends in the deadlock.
    if share < 0.99 or random > 0.2:
        raise Problem(f"deadlock {share}, random {random}")
    if silent["confirmed"] != 0 or silent["failing"] != 0:
        raise Problem(f"with a waiter: {silent['confirmed']} confirmed, {silent['failing']} failing")
    if both["confirmed"] != 1:
        raise Problem(f"of two cycles, one behind a gate: {both['pursued']}")
    return f"{share:.2f} of the executions; random {random:.3f}; none with a waiter"


def check_subject(name):
    """A bug between two synchronised calls: `asset` brings it about, and the program fails; in the fixed twin nothing is
    confirmed by any strategy. bench/confirming --twins does the latter for all twins, and longer."""
    source = os.path.join(expect.TESTS, "subjects", name + ".cpp")
    with expect.scratch() as folder:
        result = fuzz(build(source, folder, True), 200, "--strategy", "asset")
        if not any(p["level"] == "failing" for p in result["pursued"]):
            raise Problem(f"not confirmed with a failing execution: {result['pursued']}")
        twin = build(source.replace(".cpp", "_fixed.cpp"), folder, True)
        for strategy in ("atom", "asset", "race", "deadlock"):
            fixed = fuzz(twin, 500, "--strategy", strategy)
            if fixed["confirmed"] or fixed["failing"]:
                raise Problem(f"the fixed twin under {strategy}: {fixed['pursued']}")
    return f"fails in {result['failing'] / 200:.2f}"


def check_freed():
    """A use that random schedules always have after the free: only a profile that also lets each thread run on shows that it can
    come before it. Then the strategy brings it about at once; of the repaired program it confirms nothing."""
    source = os.path.join(expect.TESTS, "..", "bench", "rare", "programs", "freed_node.cpp")
    with expect.scratch() as folder:
        result = fuzz(build(source, folder, True), 200, "--strategy", "lifetime")
        fixed = fuzz(build(source, folder, True, "-DFIXED"), 200, "--strategy", "lifetime")
    failing = [p for p in result["pursued"] if p["level"] == "failing"]
    if not failing or result["findings"][0]["kind"] != "memory fault":
        raise Problem(f"not confirmed with a failing execution: {result['pursued']}")
    if fixed["confirmed"] or fixed["failing"]:
        raise Problem(f"the fixed twin: {fixed['pursued']}")
    return f"{result['failing']} of 200 executions fail"


def check_lacking():
    """Without a candidate nothing is executed, and the report says what the profile did not have."""
    with expect.scratch() as folder:
        program = build(os.path.join(expect.TESTS, "confirming", "account_copy_fixed.cpp"), folder, True)
        for strategy, lacks in (("race", "no two accesses that race"), ("lifetime", "no block that one thread uses"),
                                ("deadlock", "no locks that threads take in a cycle")):
            done = subprocess.run([expect.RADDLE, "fuzz", "--strategy", strategy, "--out", os.path.join(folder, "found"), "--", program],
                                  capture_output=True, text=True, check=False)
            text = " ".join(done.stdout.split())
            if done.returncode != 0 or lacks not in text or not re.search(r"The profile, \d\d executions, shows no candidate", text):
                raise Problem(f"{strategy}: exit status {done.returncode}, {done.stdout}{done.stderr}")
    return None


def check_created():
    """Table 1 of Park and Sen: StringBuffer 0.78, the buffers 0.64 to 0.73. With 300 executions a share of 0.9 is measured
    with a sigma of 0.017; we had 0.91, 0.97, 0.98, 0.98."""
    shares = []
    with expect.scratch() as folder:
        for name, blocks, least in (("string_buffer", "locks", 0.78), ("vector", "locks", 0.78),
                                    ("bounded_queue", "functions", 0.78), ("linked_queue", "functions", 0.78)):
            program = build(os.path.join(expect.TESTS, "subjects", name + ".cpp"), folder, True)
            result = fuzz(program, 300, "--strategy", "atom", "--atomic", blocks, "--observe", "atom")
            shares.append(f"{name} {result['observed'] / 300:.2f}")
            if any(entry["looked"] != 300 for entry in result["pursued"]) or result["observed"] < least * 300:
                raise Problem(f"{name}: a violation came about in {result['observed']} of 300")
    return ", ".join(shares)


CASES = [("figure 1, q = 1", lambda: check_always("figure1", False)),
         ("figure 1, q = 1, annotated", lambda: check_always("figure1", True)),
         ("figure 2, q = 1", lambda: check_always("figure2", False)),
         ("figure 2, q = 1, annotated", lambda: check_always("figure2", True)),
         ("figure 1, q = 0.5", lambda: check_half("figure1", False)),
         ("figure 2, q = 0.5", lambda: check_half("figure2", False)),
         ("figure 2, q = 0.5, annotated", lambda: check_half("figure2", True)),
         ("figure 3", lambda: check_never("figure3", False)),
         ("figure 3, annotated", lambda: check_never("figure3", True)),
         ("figure 4, input n", lambda: check_never("figure4", False, "n")),
         ("figure 4, input y", lambda: check_yes()),
         ("the account of Lai et al.", check_account),
         ("executions are shared out", check_shares),
         ("four philosophers", check_philosophers),
         ("a use that comes late", check_freed),
         ("no candidate", check_lacking),
         ("violations that atom creates", check_created)]
CASES += [(name, functools.partial(check_subject, name))
          for name in ("allocation_vector", "merge_sort", "shop", "string_buffer")]


def check_yes():
    if atom("figure4", False, 1, 100, ("y",))["failing"] != 100:
        raise Problem("figure 4 with input y does not fail always")
    return "100 of 100"


if __name__ == "__main__":
    expect.run_all(lambda case: case[1](), CASES, lambda case: case[0])
