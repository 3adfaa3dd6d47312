#!/usr/bin/env python3
"""The figures of Park and Sen (2008) fail as often under random scheduling as computed, and so do the deadlocks.

The computation is exact. A thread stops before every operation that another thread could notice: begin and end of
a thread, create, join, lock, unlock. At each such point the next thread is drawn uniformly from those that can move
(a lock that is held, a thread that has not ended: those who want them cannot). The model below walks all states of
the program under that rule.

The seeds are fixed, so the measured share is the same on every run; four standard deviations say that it is what
chance gives (a right implementation with other seeds would miss them once in 16,000 times).
"""

import functools
import math
import os
import sys

import expect
from expect import Problem

FREE = -1
UNBORN = -1


class Model:
    """Threads as lists of operations; thread 0 is main. probability() is that of a failed assertion or a deadlock."""

    def __init__(self, threads, locks):
        self.threads = [tuple(thread) for thread in threads]
        self.locks = locks

    def probability(self):
        sys.setrecursionlimit(10000)
        places = (0,) + (UNBORN,) * (len(self.threads) - 1)
        # Enough balance was seen by: one bit a thread.
        return self.failing(places, (FREE,) * self.locks, 100, 0)

    @functools.lru_cache(maxsize=None)
    def failing(self, places, owners, balance, covered):
        enabled = [t for t in range(len(places)) if self.can_move(t, places, owners)]
        if not enabled:
            done = places[0] == len(self.threads[0])
            return 0.0 if done else 1.0
        return sum(self.after(t, places, owners, balance, covered) for t in enabled) / len(enabled)

    def can_move(self, thread, places, owners):
        place = places[thread]
        if place == UNBORN or place == len(self.threads[thread]):
            return False
        operation, what = self.threads[thread][place]
        if operation == "lock":
            return owners[what] == FREE
        if operation == "join":
            return places[what] == len(self.threads[what])
        return True

    def after(self, thread, places, owners, balance, covered):
        places, owners = list(places), list(owners)
        operation, what = self.threads[thread][places[thread]]
        places[thread] += 1
        if operation == "lock":
            owners[what] = thread
        elif operation == "unlock":
            owners[what] = FREE
        elif operation == "create":
            places[what] = 0
        while places[thread] < len(self.threads[thread]):
            operation, what = self.threads[thread][places[thread]]
            if operation == "balance?":
                covered |= (balance >= 70) << thread
            elif operation == "withdraw":
                balance -= 70
                if balance < 0:
                    return 1.0
            elif operation != "if covered":
                break
            elif not covered >> thread & 1:
                places[thread] += what  # over the block
            places[thread] += 1
        return self.failing(tuple(places), tuple(owners), balance, covered)


def lock(number, *inside):
    return [("lock", number), *inside, ("unlock", number)]


def thread(*parts):
    return [("begin", 0), *[operation for part in parts for operation in part], ("end", 0)]


def main(count):
    numbers = range(1, count + 1)
    return [("create", number) for number in numbers] + [("join", number) for number in numbers]


WITHDRAW = lock(0, ("withdraw", 0))
SPEND = lock(0, ("balance?", 0)) + [("if covered", len(WITHDRAW))] + WITHDRAW


def figure1():
    return Model([main(2), thread(SPEND), thread(SPEND)], 1)


def figure2():
    return Model([main(2), thread(SPEND), thread(*[lock(1 + f) for f in range(6)], SPEND)], 7)


def figure3():
    return Model([main(2), thread(lock(1, *SPEND)), thread(lock(1, *SPEND))], 2)


def two_locks():
    return Model([main(2), thread(lock(0, *lock(1))), thread(lock(1, *lock(0)))], 2)


def philosophers():
    seats = range(5)
    return Model([main(5)] + [thread(lock(seat, *lock((seat + 1) % 5))) for seat in seats], 5)


def account(name):
    return os.path.join(expect.BUILD, "examples", name)


def program(name):
    return expect.named(name).binary


# What, the model, the program, executions, and the bounds that the share must keep besides.
CASES = [
    ("figure 1", figure1, lambda: account("account"), 1000, 0.35, 0.65),
    ("figure 1, fixed", None, lambda: account("account_fixed"), 1000, 0, 0),
    ("figure 2", figure2, lambda: program("fig2"), 4000, 0, 0.10),
    ("figure 3", figure3, lambda: program("fig3"), 1000, 0, 0),
    ("two locks", two_locks, lambda: program("two_locks"), 1000, 0, 1),
    ("two locks, fixed", None, lambda: program("two_locks_fixed"), 1000, 0, 0),
    ("five philosophers", philosophers, lambda: program("philosophers"), 4000, 0, 1),
    ("five philosophers, fixed", None, lambda: program("philosophers_fixed"), 1000, 0, 0),
]


def check(case):
    _, model, binary, executions, low, high = case
    expected = model().probability() if model else 0.0
    with expect.scratch() as out:
        _, result = expect.raddle(["fuzz", "--keep-going", "--strategy", "random", "--seed", "1", "-n",
                                   str(executions), "--out", os.path.join(out, "found"), "--", binary()])
    if result["executions"] != executions or result["inconclusive"] != 0:
        raise Problem(f"{result['executions']} executions, {result['inconclusive']} inconclusive")
    share = result["failing"] / executions
    sigma = math.sqrt(expected * (1 - expected) / executions)
    text = f"computed {expected:.4f}, measured {share:.4f} ({executions} executions, sigma {sigma:.4f})"
    if not low <= share <= high:
        raise Problem(f"{text}: not in {low} to {high}")
    if abs(share - expected) > 4 * sigma:
        raise Problem(f"{text}: {abs(share - expected) / sigma if sigma else math.inf:.1f} sigma away")
    return text


if __name__ == "__main__":
    expect.run_all(check, CASES, lambda case: case[0])
