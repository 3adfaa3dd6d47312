#!/usr/bin/env python3
"""Recording, end to end: the same execution gives the same trace every time and on both carriers, whatever happens to
the program or to the recorder the file can be read, and objects compiled with -fsanitize=thread give events, too.

usage: record_test.py [NAME...]   only the cases whose name contains one of these
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import expect
from expect import Problem

CXX = os.path.join(expect.BUILD, "bin/raddle-c++")

ACCOUNT = r"""
#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
struct Limits { int daily = 5; int total = 9; };
class Account {
 public:
  virtual ~Account() = default;
  void add(int n) { std::lock_guard<std::mutex> lock(mutex_); balance_ += n; history_.push_back(n); check(); }
 private:
  void check() { if (balance_ > 10'000) throw std::runtime_error("rich"); limits_.daily = balance_; }
  std::mutex mutex_;
  long balance_ = 0;
  Limits limits_;
  std::vector<int> history_;
};
std::atomic<int> done{0};
int main() {
  std::vector<std::unique_ptr<Account>> accounts;
  for (int i = 0; i < 3; ++i) accounts.push_back(std::make_unique<Account>());
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) accounts[(i + t) % 3]->add(i);
      done.fetch_add(1, std::memory_order_release);
    });
  }
  for (auto& thread : threads) thread.join();
  try { accounts[0]->add(20'000); } catch (const std::exception&) {}
  return done.load() == 3 ? 0 : 1;
}
"""

LOCALS = r"""
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
struct Shared { int count = 0; std::mutex guard; std::condition_variable ready; };
__attribute__((noinline)) void bump(std::mutex& m, int& n) { std::lock_guard<std::mutex> lock(m); ++n; }
static void first() { std::mutex inner; int n = 0; bump(inner, n); }
static void second() { volatile char pad[24]; std::mutex other; int n = 0; pad[0] = 0; bump(other, n); bump(other, n); }
void work(Shared& s) { bump(s.guard, s.count); first(); second(); first(); s.ready.notify_one(); }
int main() {
  Shared shared;
  std::mutex own;
  std::atomic<int> ended{0};
  std::thread one(work, std::ref(shared)), two([&] { work(shared); ++ended; });
  { std::lock_guard<std::mutex> lock(own); }
  one.join(); two.join();
  return shared.count == 2 ? 0 : 1;
}
"""

SPINS = r"""
#include <thread>
struct Gate {
  volatile bool open = false;
  volatile bool closed = false;
  bool is_open() const { return open || closed; }
};
Gate gate;
volatile int ready;
int main() {
  std::thread one([] { ready = 1; while (!gate.is_open()) {} }), two([] { while (!gate.open) {} });
  while (ready == 0) {}
  gate.open = true;
  one.join();
  two.join();
}
"""

DETACHED = r"""
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
sem_t ended;
static void* work(void*) { free(malloc(40)); sem_post(&ended); return nullptr; }
int main() {
  sem_init(&ended, 0, 0);
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_detach(thread);
  }
  for (int i = 0; i < 4; ++i) sem_wait(&ended);
  free(malloc(50));
}
"""

PRIVATE_ATOMICS = r"""
#include <atomic>
#include <thread>
std::atomic<int> total;
static void work() {
  std::atomic<int> own{0};
  for (int i = 0; i < 3; ++i) own.fetch_add(i);
  total += own.load();
}
int main() {
  std::thread one(work), two(work);
  one.join();
  two.join();
  return total == 6 ? 0 : 1;
}
"""

ENDLESS = r"""
#include <mutex>
#include <thread>
int value;
std::mutex mutex;
int main() {
  std::thread other([] { for (;;) { std::lock_guard<std::mutex> lock(mutex); ++value; } });
  for (;;) { std::lock_guard<std::mutex> lock(mutex); ++value; }
}
"""

CRASH = r"""
#include <mutex>
#include <thread>
struct Node { int value; Node* next; };
Node* list;
std::mutex mutex;
int main() {
  std::thread t([] { std::lock_guard<std::mutex> lock(mutex); list->next->value = 1; });
  t.join();
}
"""

FORKS = r"""
#include <sys/wait.h>
#include <unistd.h>
#include <mutex>
#include <thread>
std::mutex mutex;
int counter;
static void work() { for (int i = 0; i < 50; ++i) { std::lock_guard<std::mutex> lock(mutex); ++counter; } }
int main() {
  std::thread a(work);
  pid_t child = fork();
  if (child == 0) { for (int i = 0; i < 100000; ++i) ++counter; _exit(counter > 0 ? 7 : 8); }
  int status = 0;
  waitpid(child, &status, 0);
  a.join();
  return WEXITSTATUS(status) == 7 ? 0 : 1;
}
"""


# Workers fill their own buffers and add up under a lock; one of them publishes what it made without order.
OWN_MEMORY = r"""
#include <mutex>
#include <thread>
#include <vector>
struct Report { int lines = 0; long sum = 0; };
std::mutex mutex;
long total;
Report* published;
static void work(int id) {
  std::vector<long> own(2000);
  for (int round = 0; round < 20; ++round)
    for (std::size_t i = 0; i < own.size(); ++i) own[i] += static_cast<long>(i) * id;
  long sum = 0;
  for (long value : own) sum += value;
  if (id == 1) {
    auto* report = new Report;
    report->lines = 20;
    report->sum = sum;
    published = report;
  }
  std::lock_guard<std::mutex> lock(mutex);
  total += sum;
}
int main() {
  std::thread one(work, 1), two(work, 2);
  for (int i = 0; i < 10; ++i) {
    if (Report* report = published) return report->lines == 20 ? (one.join(), two.join(), 0) : 1;
    std::this_thread::yield();
  }
  one.join();
  two.join();
  return published->lines == 20 ? 0 : 1;
}
"""

# Correct: what is shared is under a lock, and the results are handed over by joining.
CORRECT = r"""
#include <condition_variable>
#include <map>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>
struct Queue {
  void put(std::string text) { { std::lock_guard lock(mutex); texts.push(std::move(text)); } ready.notify_one(); }
  void close() { { std::lock_guard lock(mutex); closed = true; } ready.notify_all(); }
  bool take(std::string& text) {
    std::unique_lock lock(mutex);
    ready.wait(lock, [&] { return closed || !texts.empty(); });
    if (texts.empty()) return false;
    text = std::move(texts.front());
    texts.pop();
    return true;
  }
  std::mutex mutex;
  std::condition_variable ready;
  std::queue<std::string> texts;
  bool closed = false;
};
int main() {
  Queue queue;
  std::vector<std::map<char, int>> counts(3);
  std::vector<std::thread> threads;
  for (auto& own : counts)
    threads.emplace_back([&queue, &own] {
      std::map<char, int> letters;
      for (std::string text; queue.take(text);) for (char c : text) ++letters[c];
      own = letters;
    });
  for (int i = 0; i < 40; ++i) queue.put("line " + std::to_string(i * 7919) + " of a text that somebody wrote");
  queue.close();
  for (auto& thread : threads) thread.join();
  int sum = 0;
  for (auto& own : counts) for (auto& [c, n] : own) sum += c == 'l' ? n : 0;
  return sum == 40 ? 0 : 1;
}
"""


def build(folder, text, *options, compiler=CXX):
    source = os.path.join(folder, "program.cpp")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    program = os.path.join(folder, "program")
    command = [compiler, "-std=c++17", "-g", "-pthread", source, "-o", program, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"{' '.join(command)}\n{done.stderr}")
    return program


def record(program, trace, *options, statuses=(0, 1, 3)):
    return expect.raddle(["record", "-o", trace, *options, "--", program], statuses=statuses)


def events(trace, *options, status=0):
    done = subprocess.run([expect.RADDLE, "trace", "--json", *options, trace], capture_output=True, text=True,
                          check=False)
    if done.returncode != status:
        raise Problem(f"trace: exit {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def in_words(trace):
    """Addresses of threads' stacks are the carrier's own; everything in words must agree."""
    words = [{k: v for k, v in event.items() if k not in ("address", "value", "context", "program")}
             for event in events(trace)]
    if not expect.FIXED_ADDRESSES:  # what has no name is called by its address
        words = json.loads(re.sub(r'"0x[0-9a-f]+"', '"an address"', json.dumps(words)))
    return words


def same_every_time(folder):
    told = []
    for options in (["-O0"], ["-O2"]):
        program = build(folder, ACCOUNT, *options)
        for strategy in ("random", "pct", "pos"):
            first = None
            for carrier in ("fiber", "kernel", "fiber"):
                trace = os.path.join(folder, "trace")
                status, result = record(program, trace, "--strategy", strategy, "--carrier", carrier)
                if status != 0:
                    raise Problem(f"{options} {strategy} {carrier}: {result['outcome']} {result['stderr']}")
                words = in_words(trace)
                if first is None:
                    first = words
                elif words != first:
                    at = next(i for i, (a, b) in enumerate(zip(words, first)) if a != b)
                    raise Problem(f"{options} {strategy}: event {at} on {carrier} is {words[at]}, was {first[at]}")
            told.append(len(first))
    return f"{told} events"


def unmodified(folder):
    program = build(folder, ACCOUNT, "-O1", compiler="g++")
    trace = os.path.join(folder, "trace")
    status, result = record(program, trace)
    if status != 0 or result["trace"]["instrumented"]:
        raise Problem(f"{status} {result}")
    kinds = {event.get("kind") for event in events(trace)}
    for kind in ("acquire", "release", "fork", "join", "allocate", "begin", "end"):
        if kind not in kinds:
            raise Problem(f"no {kind} in {sorted(map(str, kinds))}")
    return f"{result['trace']['events']} events"


def locals_by_name(folder):
    """Locks on stacks and threads of an unmodified program have the names of the source, whoever uses them first."""
    wanted = {"shared.guard in main", "shared.ready in main", "own in main", "inner in first", "other in second"}
    for options in (["-O0"], ["-O2"]):
        program = build(folder, LOCALS, *options, compiler="g++")
        for carrier in ("fiber", "kernel"):
            for seed in range(1, 6):
                trace = os.path.join(folder, "trace")
                record(program, trace, "--carrier", carrier, "--seed", str(seed))
                told = events(trace)
                names = {event["object"] for event in told if event.get("kind") in ("acquire", "notify")}
                if names != wanted:
                    raise Problem(f"{options} {carrier}, seed {seed}: {sorted(names)}, not {sorted(wanted)}")
                threads = {event["id"]: event["name"] for event in told if event["type"] == "thread"}
                if threads != {0: "T0 main", 1: "T1 work", 2: "T2 main::{lambda#1}"}:
                    raise Problem(f"{options} {carrier}, seed {seed}: {threads}")
    return "20 executions"


def spins(folder):
    """Loops that wait for a plain variable: the same execution with and without a recording, and no endless one."""
    largest = 0
    for options in (["-O0"], ["-O2"]):
        program = build(folder, SPINS, *options)
        for carrier in ("fiber", "kernel"):
            for seed in range(1, 6):
                trace = os.path.join(folder, "trace")
                same = ["--carrier", carrier, "--seed", str(seed), "--timeout", "30s"]
                _, recorded = record(program, trace, *same)
                _, plain = expect.raddle(["run", *same, "--", program])
                logs = recorded["choice_log"], plain["choice_log"]
                if recorded["outcome"] != "passed" or logs[0] != logs[1]:
                    raise Problem(f"{options} {carrier}, seed {seed}: {recorded['outcome']} {logs}")
                largest = max(largest, os.path.getsize(trace))
    # A chunk of 256 KiB is written before anybody looks for a loop, and another one if a step fell into the first.
    if largest > 10 << 20:
        raise Problem(f"a trace of {largest} bytes")
    return f"traces of at most {largest} bytes"


def detached(folder):
    """What a carrier allocates for a thread is no event, whoever gives it back."""
    program = build(folder, DETACHED, "-O1")
    trace = os.path.join(folder, "trace")
    count = 0
    for seed in range(1, 6):
        listed = []
        for carrier in ("fiber", "kernel"):
            record(program, trace, "--carrier", carrier, "--seed", str(seed))
            listed.append(in_words(trace))
        if listed[0] != listed[1]:
            at = next(i for i, (a, b) in enumerate(zip(*listed)) if a != b)
            raise Problem(f"seed {seed}: event {at} is {listed[0][at]}, with kernel threads {listed[1][at]}")
        count += len(listed[0])
    return f"{count} events"


def private_atomics(folder):
    """Atomic operations on what no other thread can see: decision points in both versions of a function, or in none."""
    for options in (["-O0"], ["-O2"]):
        program = build(folder, PRIVATE_ATOMICS, *options)
        for seed in ("1", "2"):
            _, recorded = record(program, os.path.join(folder, "trace"), "--seed", seed)
            _, plain = expect.raddle(["run", "--seed", seed, "--", program])
            if recorded["choice_log"] != plain["choice_log"]:
                raise Problem(f"{options}, seed {seed}: {recorded['steps']} steps recorded, {plain['steps']} not")


def sanitizer_objects(folder):
    """-fsanitize=thread by both compilers, linked with libraddle.so instead of libtsan."""
    told = []
    for compiler in ("g++", "clang++-19"):
        source = os.path.join(folder, "program.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write(ACCOUNT)
        made = os.path.join(folder, "program.o")
        program = os.path.join(folder, "program")
        library = os.path.join(expect.BUILD, "bin")
        for command in ([compiler, "-std=c++17", "-O1", "-g", "-fsanitize=thread", "-c", source, "-o", made],
                        [compiler, made, "-o", program, f"-L{library}", "-lraddle", f"-Wl,-rpath,{library}", "-pthread"],
                        [program]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise Problem(f"{' '.join(command)}: {done.stderr}")
        trace = os.path.join(folder, "trace")
        status, result = record(program, trace)
        if status != 0 or not result["trace"]["instrumented"]:
            raise Problem(f"{compiler}: {status} {result}")
        listed = events(trace)
        for kind in ("read", "write", "enter", "exit", "atomic update", "acquire"):
            if not any(event.get("kind") == kind for event in listed):
                raise Problem(f"{compiler}: no {kind}")
        writes = [event for event in listed if event.get("kind") == "write"]
        if not any(event.get("value") not in (None, 0) for event in writes):
            raise Problem(f"{compiler}: no write has its value")
        told.append(f"{compiler} {len(listed)}")
    return ", ".join(told)


def killed(folder):
    """Whoever dies, recorder or program: what happened until then is in the file."""
    program = build(folder, ENDLESS, "-O1")
    told = []
    for victim in ("raddle", "program"):
        trace = os.path.join(folder, f"{victim}.trace")
        recorder = subprocess.Popen([expect.RADDLE, "record", "--max-steps", "1000000000", "-o", trace, "--", program],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            wait_for(lambda: os.path.exists(trace) and os.path.getsize(trace) > 20_000)
            # While it is being written; a copy, since the program may write faster than anybody reads.
            shutil.copy(trace, trace + ".copy")
            events(trace + ".copy", "--salvage", "--steps", "0..20")
            if victim == "raddle":
                recorder.kill()
            else:
                # The execution is the youngest process of that name; its parent is the fork server.
                pids = subprocess.run(["pgrep", "-n", "-f", f"^{program}$"], capture_output=True, text=True,
                                      check=True).stdout.split()
                os.kill(int(pids[0]), signal.SIGKILL)
            recorder.wait(timeout=60)
        finally:
            if recorder.poll() is None:
                recorder.kill()
        listed = events(trace, "--salvage", "--steps", "0..1000")
        if len(listed) < 1000:
            raise Problem(f"{victim} killed: only {len(listed)} events")
        told.append(f"{victim}: {os.path.getsize(trace)} bytes")
        wait_for(lambda: subprocess.run(["pgrep", "-f", f"^{program}$"], capture_output=True,
                                        check=False).returncode != 0)
    return ", ".join(told)


def wait_for(condition):
    limit = time.monotonic() + expect.allowed(60)
    while not condition():
        if time.monotonic() > limit:
            raise Problem("waited for a minute in vain")
        time.sleep(0.02)


def crash(folder):
    """A bad access is the program's, not the hook's that looked first; and it is the end of the trace."""
    for options in (["-O0"], ["-O2"]):
        program = build(folder, CRASH, *options)
        trace = os.path.join(folder, "trace")
        status, result = record(program, trace)
        if status != 1 or result["outcome"] != "crash":
            raise Problem(f"{status} {result['outcome']}")
        place = result["finding"]["where"]
        if not place["file"].endswith("program.cpp") or place["line"] != 8:
            raise Problem(f"{options}: the crash is at {place}")
        if events(trace)[-1].get("outcome") != "crash":
            raise Problem(f"the trace ends with {events(trace)[-1]}")
    return ""


def forks(folder):
    program = build(folder, FORKS, "-O1")
    trace = os.path.join(folder, "trace")
    status, result = record(program, trace)
    if status != 0:
        raise Problem(f"{status} {result}")
    count = sum(event.get("kind") == "write" for event in events(trace, "--object", "counter"))
    if count != 50:
        raise Problem(f"{count} writes: the forked child's do not count")
    return ""


def analyzed(trace):
    done = subprocess.run([expect.RADDLE, "analyze", "--json", trace], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise Problem(f"analyze: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def shared_only(folder):
    """The same findings in the same words, from a smaller file; and everybody is told that it is one."""
    told = []
    # Functions stay: without optimisation, each call of the library's smallest ones. Of a program that shares all it has
    # nothing is left out, and how a trace is cut into blocks depends on how fast it is written: a twentieth up or down.
    for name, text, least_saved in (("own", OWN_MEMORY, (0.5, 0.98)), ("correct", CORRECT, (0.2, 0.6)),
                                    ("account", ACCOUNT, (-0.1, -0.1))):
        for options, least in zip((["-O0"], ["-O2"]), least_saved):
            program = build(folder, text, *options)
            for seed in ("1", "2"):
                whole, part = os.path.join(folder, "whole"), os.path.join(folder, "part")
                _, all_of_it = record(program, whole, "--seed", seed)
                _, some = record(program, part, "--seed", seed, "--shared-only")
                if some["choice_log"] != all_of_it["choice_log"] or some["outcome"] != all_of_it["outcome"]:
                    raise Problem(f"{name} {options}, seed {seed}: another execution")
                counts = some["trace"]
                if not counts["shared_only"] or counts["accesses"] - counts["accesses_kept"] != \
                        all_of_it["trace"]["events"] - counts["events"]:
                    raise Problem(f"{name}: {counts}, of {all_of_it['trace']}")
                share = os.path.getsize(part) / os.path.getsize(whole)
                if share > 1 - least:
                    raise Problem(f"{name} {options}: {share:.2f} of the bytes")
                expected, found = analyzed(whole), analyzed(part)
                if expected.pop("shared_only") or not found.pop("shared_only"):
                    raise Problem(f"{name}: analyze does not say which trace has shared accesses only")
                for differs in ("file", "events"):
                    expected.pop(differs), found.pop(differs)
                if expected != found:
                    at = next(key for key in expected if expected[key] != found.get(key))
                    raise Problem(f"{name} {options}, seed {seed}: {at} is {found.get(at)}, was {expected[at]}")
                races = [f for f in found["findings"] if f["kind"] == "race"]
                if (name == "own") != bool(races):
                    raise Problem(f"{name} {options}, seed {seed}: {len(races)} races")
                kinds = {event.get("kind") for event in events(part)}
                if not kinds.issuperset({"acquire", "release", "fork", "join", "write"}):
                    raise Problem(f"{name}: {kinds}")
            told.append(f"{name} {options[0]} {share:.3f}")
    for command, wanted in ((["trace", part], "shared accesses only"), (["trace", "--stats", part], "shared accesses only"),
                            (["analyze", part], "shared accesses only")):
        done = subprocess.run([expect.RADDLE, *command], capture_output=True, text=True, check=False)
        if wanted not in " ".join(done.stdout.split()):
            raise Problem(f"{command}: {done.stdout[:500]}")
    return ", ".join(told)


def shared_only_ends(folder):
    """Whoever ends the recording: no other file is left, and what is in the trace can be read."""
    program = build(folder, ENDLESS, "-O1")
    inside = os.path.join(folder, "inside")
    os.mkdir(inside)
    for ending in (signal.SIGKILL, signal.SIGINT):
        trace = os.path.join(inside, "trace")
        recorder = subprocess.Popen([expect.RADDLE, "record", "--max-steps", "1000000000", "--shared-only", "-o", trace,
                                     "--", program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    start_new_session=True)
        try:
            wait_for(lambda: os.path.exists(trace) and os.path.getsize(trace) > 17)
            time.sleep(0.2)
            recorder.send_signal(ending)
            recorder.wait(timeout=expect.allowed(60))
        finally:
            if recorder.poll() is None:
                recorder.kill()
        if os.listdir(inside) != ["trace"]:
            raise Problem(f"{ending}: {os.listdir(inside)}")
        listed = events(trace, "--steps", "0..1000")
        if not listed[0]["shared_only"] or (ending == signal.SIGINT) != (len(listed) > 1000):
            raise Problem(f"{ending}: {listed[0]}, {len(listed)} events")
        wait_for(lambda: subprocess.run(["pgrep", "-f", f"^{program}$"], capture_output=True,
                                        check=False).returncode != 0)
        os.remove(trace)
    return ""


def full_disk(folder):
    program = build(folder, ACCOUNT, "-O1")
    done = subprocess.run([expect.RADDLE, "record", "-o", "/dev/full", "--", program], capture_output=True, text=True,
                          check=False)
    if done.returncode != 2 or "/dev/full" not in done.stderr or "No space left" not in done.stderr:
        raise Problem(f"exit {done.returncode}: {done.stderr}")
    return ""


CASES = [same_every_time, unmodified, locals_by_name, spins, detached, private_atomics, sanitizer_objects,
         killed, crash, forks, shared_only, shared_only_ends, full_disk]


def check_case(case):
    with expect.scratch() as folder:
        return case(folder)


def main():
    wanted = [c for c in CASES if not sys.argv[1:] or any(word in c.__name__ for word in sys.argv[1:])]
    expect.run_all(check_case, wanted, lambda case: case.__name__)


if __name__ == "__main__":
    main()
