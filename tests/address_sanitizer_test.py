#!/usr/bin/env python3
"""Programs built with AddressSanitizer run under control as docs/commands.md says: its own threads' beginnings and ends are
not in the way, the same seed gives the same execution, and what it finds is a failure that replays.

usage: address_sanitizer_test.py [NAME...]   only the cases whose name contains one of these
"""

import glob
import os
import subprocess
import sys

import expect
from expect import Problem

PROGRAM = r"""
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
struct Job { int number = 0; };
std::mutex mutex;
std::condition_variable done;
int finished = 0;
int main(int argc, char**) {
  auto job = std::make_unique<Job>();
  std::thread user([&, raw = job.get()] {
    { std::lock_guard<std::mutex> lock(mutex); ++finished; }
    done.notify_one();
    std::lock_guard<std::mutex> lock(mutex);
    if (argc > 1) ++raw->number;
  });
  std::thread other([] { std::lock_guard<std::mutex> lock(mutex); });
  {
    std::unique_lock<std::mutex> lock(mutex);
    done.wait(lock, [] { return finished == 1; });
  }
  { std::lock_guard<std::mutex> lock(mutex); job.reset(); }
  user.join();
  other.join();
}
"""
# gcc's runtime is a library, clang's is linked into the program.
COMPILERS = ("g++", "clang++-19")


def build(folder, compiler):
    source = os.path.join(folder, "program.cpp")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    program = os.path.join(folder, "program")
    subprocess.run([compiler, "-std=c++17", "-g", "-O1", "-pthread", "-fsanitize=address", source, "-o", program], check=True)
    return program


def right_program(folder, compiler):
    program = build(folder, compiler)
    logs = set()
    for seed in range(1, 11):
        results = [expect.raddle(["run", "--carrier", carrier, "--seed", str(seed), "--", program])[1]
                   for carrier in expect.CARRIERS]
        for result in results:
            if result["outcome"] != "passed" or result["choice_log"] != results[0]["choice_log"]:
                raise Problem(f"seed {seed}: {result['outcome']}, {result['choice_log']}, first {results[0]['choice_log']}")
        logs.add(results[0]["choice_log"])
    return f"{len(logs)} different executions of 10 seeds"


def use_after_free(folder, compiler):
    program = build(folder, compiler)
    out = os.path.join(folder, "out")
    status, result = expect.raddle(["fuzz", "-n", "300", "--out", out, "--", program, "wrong"])
    if status != 1:
        raise Problem(f"exit {status}: {result}")
    replay = glob.glob(os.path.join(out, "*.replay"))[0]
    for _ in range(3):
        status, again = expect.raddle(["replay", replay])
        if status != 1:
            raise Problem(f"the replay ended with {status}: {again}")
    return result["findings"][0]["message"]


CASES = [right_program, use_after_free]


def check_case(item):
    case, compiler = item
    with expect.scratch() as folder:
        return case(folder, compiler)


if __name__ == "__main__":
    wanted = [c for c in CASES if not sys.argv[1:] or any(word in c.__name__ for word in sys.argv[1:])]
    items = [(case, compiler) for case in wanted for compiler in COMPILERS]
    expect.run_all(check_case, items, lambda item: f"{item[0].__name__}, {item[1]}")
