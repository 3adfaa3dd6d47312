#!/usr/bin/env python3
"""Objects that end too early in some schedules (lifetimes.cpp): a plain hunt finds each, and says nothing of its correct twin.

usage: lifetimes_test.py [NAME...]     only what has one of these in its name
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import expect  # noqa: E402
from expect import Problem  # noqa: E402

SOURCE = os.path.join(expect.TESTS, "memory", "lifetimes.cpp")
# What a use of an object that is gone is said to be: at the access, or at the call that uses a destroyed object.
KINDS = {"memory fault", "misuse"}


def names():
    with open(SOURCE, encoding="utf-8") as file:
        table = re.search(r"\(\*const all\[\]\)\(\) = \{(.*?)\};", file.read(), re.DOTALL)
    return [name.strip() for name in table.group(1).split(",")]


def hunt(program, how, number, status):
    folder = os.path.dirname(program)
    _, result = expect.raddle(["hunt", "--budget", "20s", "--out", os.path.join(folder, how), "--", program, how, str(number)],
                              statuses=(0, 1))
    shown = [finding for finding in result["findings"] if finding["level"] not in ("seen", "candidate")]
    if (1 if shown else 0) != status:
        raise Problem(f"{how} {number}: {[finding['message'] for finding in shown] or 'nothing found'}")
    return shown


def check(item):
    number, _ = item
    with expect.scratch() as folder:
        program = os.path.join(folder, "lifetimes")
        expect.build(SOURCE, program, "-std=c++20")
        shown = hunt(program, "faulty", number, 1)
        if not any(finding["kind"] in KINDS or finding["level"] in KINDS for finding in shown):
            raise Problem(f"{number}: {[(finding['kind'], finding['message']) for finding in shown]}")
        hunt(program, "correct", number, 0)


if __name__ == "__main__":
    wanted = [item for item in enumerate(names(), 1) if len(sys.argv) == 1 or any(text in item[1] for text in sys.argv[1:])]
    expect.run_all(check, wanted, lambda item: item[1])
