#!/usr/bin/env python3
"""raddle hunt, end to end: it finds and explains the bug of every failing subject and of the programs without locks, it
finds nothing in their fixed twins, what it claims replays, it can be interrupted and go on; what bad input gets.

usage: hunt_test.py [NAME...]     only what has one of these in its name
"""

import contextlib
import glob
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import expect
from expect import Problem

ACCOUNT = os.path.join(expect.BUILD, "examples", "account")
FIXED = os.path.join(expect.BUILD, "examples", "account_fixed")
PROGRAMS = os.path.join(expect.BUILD, "tests", "programs")
PROGRAMS_SOURCES = os.path.join(expect.TESTS, "programs")
SCREEN_AND_A_HALF = 48  # lines of one finding, of a terminal with 32
FIELDS = {"command", "candidates", "confirmed", "seen", "failing", "findings"}


def hunt(*arguments, statuses=(0, 1, 3), cwd=None):
    command = [expect.RADDLE, "hunt", *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=expect.PATIENCE,
                          check=False, cwd=cwd)
    if done.returncode not in statuses:
        raise Problem(f"exit status {done.returncode}: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done


def build(source, folder):
    program = os.path.join(folder, os.path.basename(source)[:-len(".cpp")])
    expect.build(source, program)
    return program


def check_replays(findings):
    for finding in findings:
        if finding["level"] != "failing" or not finding.get("replay"):
            continue
        if not finding["replays"]:
            raise Problem(f"a failure that does not replay was claimed: {finding['message']}")
        _, again = expect.raddle(["replay", finding["replay"]], statuses=(1,))
        if not again["same"] or again["finding"]["kind"] != finding["kind"]:
            raise Problem(f"{finding['replay']} does not replay: {again['difference']}")


def check_explained(finding):
    """In steps of the execution that is saved, the smallest, not of the one that failed first."""
    if finding["explanation"] is None:
        raise Problem(f"not explained: {finding['message']}")
    _, shown = expect.raddle(["replay", finding["replay"]], statuses=(1,))
    steps = [step["step"] for step in finding["explanation"]["steps"]]
    if steps != [step["step"] for step in shown["explanation"]["steps"]] or max(steps, default=0) > shown["steps"]:
        raise Problem(f"steps {steps} of {shown['steps']}; the replay says {[step['step'] for step in shown['explanation']['steps']]}")


def finds_the_bug(source):
    with expect.scratch() as folder:
        program = build(source, folder)
        out = os.path.join(folder, "out")
        _, result = expect.raddle(["hunt", "--budget", "30s", "--out", out, "--", program], statuses=(1,))
        if not FIELDS <= set(result) or result["failing"] < 1:
            raise Problem(f"nothing fails: {json.dumps(result)[:400]}")
        levels = [finding["level"] for finding in result["findings"]]
        order = ["failing", "confirmed", "harmful", "seen", "candidate"]
        if not all(level in order for level in levels):
            raise Problem(f"levels {levels}")
        check_replays(result["findings"])
        first = result["findings"][0]
        if first["minimised"] is None or first["minimised"]["after"]["preemptions"] > 3:
            raise Problem(f"not minimized: {first['minimised']}")
        for finding in result["findings"]:
            if finding["level"] == "failing" and finding["replay"] and finding["part_of"] is None:
                check_explained(finding)
        return f"{result['executions']} executions, {first['explanation']['title']}"


def finds_nothing(source):
    with expect.scratch() as folder:
        program = build(source, folder)
        budget = "4s" if expect.FULL else "1s"  # some 600 executions a second
        _, result = expect.raddle(["hunt", "--budget", budget, "--out", os.path.join(folder, "out"), "--", program],
                                  statuses=(0,))
        if result["failing"]:
            raise Problem(f"the fixed twin fails: {result['findings'][0]['message']}")
        return f"{result['executions']} executions, {result['confirmed']} confirmed"


def freed_memory(_):
    """A use after free is found though nothing fails by it, ordered or not; and correct programs that free are silent."""
    folder_of = os.path.join(expect.TESTS, "programs", "freed")
    for name, kinds in (("unordered", {"memory fault", "use-after-free", "race"}),
                        ("under_lock", {"memory fault"}), ("counted", set()), ("rethrown", set())):
        source = os.path.join(folder_of, f"{name}.cpp")
        for options, wanted in (((), kinds), (("-DFIXED",), set())):
            with expect.scratch() as folder:
                program = os.path.join(folder, name)
                expect.build(source, program, *options)
                _, result = expect.raddle(["hunt", "--budget", "2s", "--out", os.path.join(folder, "out"), "--", program],
                                          statuses=(1,) if wanted else (0,))
                found = {one["kind"] for one in result["findings"] if one["level"] in ("confirmed", "failing", "harmful")}
                if found != wanted:
                    raise Problem(f"{name} {options}: found {found} instead of {wanted}")
    return "found, and nothing in those that are right"


def line_of(source, mark):
    with open(source, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if f"[{mark}]" in line)


def published(_):
    """Races on what a pointer leads to are one finding, which names the pointer; one on the pointer itself is that finding.
    What a thread knows by other ways is not said to come by the pointer."""
    for name, pointer in (("relaxed_pointer", "router.current_"), ("lazy_instance", "Catalogue::only_"), ("known_before", None)):
        source = os.path.join(expect.TESTS, "programs", "published", f"{name}.cpp")
        with expect.scratch() as folder:
            program = os.path.join(folder, name)
            expect.build(source, program, "-std=c++20")
            arguments = ["--budget", "3s", "--out", os.path.join(folder, "out"), "--", program]
            _, result = expect.raddle(["hunt", *arguments], statuses=(1,))
            races = [one["finding"] if "finding" in one else one for one in result["findings"] if one["level"] == "confirmed"]
            if pointer is None:
                if not races or any(one["published"] for one in races):
                    raise Problem(f"{name}: {[one['published'] for one in races]}")
                continue
            reached = [one for one in races if one["published"]]
            firsts = [one for one in races if one["part_of"] is None]
            if not reached or len(firsts) != 1:
                raise Problem(f"{name}: {len(reached)} by a pointer, {len(firsts)} on their own")
            for one in reached:
                store, load = one["published"]
                if not store["object"].startswith(pointer) or store["line"] != line_of(source, "store"):
                    raise Problem(f"{name}: {store}")
                if any(step["file"] != source for step in one["steps"]):
                    raise Problem(f"{name}: not a place of the program: {one['steps']}")
            text = " ".join(hunt(*arguments, statuses=(1,)).stdout.split())
            wanted = ["1 confirmed besides", "memory_order_release", "of the same cause", pointer]
            if name == "relaxed_pointer":
                if (load["line"], load["order"], store["order"]) != (line_of(source, "load"), "relaxed", "relaxed"):
                    raise Problem(f"{name}: {load}")
                made = [step["line"] for one in reached for step in one["steps"] if step["object"].startswith("Routes::")]
                if line_of(source, "made") not in made:
                    raise Problem(f"{name}: written at {made}")
            elif not firsts[0]["object"].startswith(pointer):
                raise Problem(f"{name}: first is {firsts[0]['object']}")
            missing = [words for words in wanted if words not in text]
            if missing or "_ZN" in text or " in > " in text:
                raise Problem(f"{name}: {missing} in {text}")
            expect.build(source, program, "-std=c++20", "-DFIXED")
            expect.raddle(["hunt", *arguments], statuses=(0,))
    return "by their pointers"


def announced(_):
    """Races that an atomic variable would have ordered are one finding, which names the variable, its two places and what they lack."""
    source = os.path.join(expect.TESTS, "programs", "published", "relaxed_flag.cpp")
    with expect.scratch() as folder:
        program = os.path.join(folder, "relaxed_flag")
        expect.build(source, program, "-std=c++20")
        arguments = ["--budget", "3s", "--out", os.path.join(folder, "out"), "--", program]
        _, result = expect.raddle(["hunt", *arguments], statuses=(1,))
        races = [one for one in result["findings"] if one["level"] == "confirmed"]
        if len(races) != 2 or len([one for one in races if one["part_of"] is None]) != 1:
            raise Problem(f"{[(one['what'], one['part_of']) for one in races]}")
        for one in races:
            places = [(step["object"].split()[0], step["line"], step["order"]) for step in one["announced"]]
            if places != [("station.ready_", line_of(source, mark), "relaxed") for mark in ("store", "load")]:
                raise Problem(f"{places}")
        text = " ".join(hunt(*arguments, statuses=(1,)).stdout.split())
        for words in ("1 confirmed besides", "write station.ready_ with memory_order_release", "read it with memory_order_acquire",
                      "of the same cause"):
            if words not in text:
                raise Problem(f"not said: {words}: {text}")
        expect.build(source, program, "-std=c++20", "-DFIXED")
        expect.raddle(["hunt", *arguments], statuses=(0,))
    return "by its flag"


def late_races(_):
    """Which plain accesses race is learnt from what is executed in order, too: whatever the seed, the same schedules are covered."""
    source = os.path.join(expect.TESTS, "programs", "freed", "closed_by_both.cpp")
    for options, status in ((("-O0",), 1), (("-O0", "-DFIXED"), 0), (("-O1", "-DGLOBAL"), 1), (("-O1", "-DGLOBAL", "-DFIXED"), 0)):
        with expect.scratch() as folder:
            program = os.path.join(folder, "program")
            expect.build(source, program, *options)
            kinds = set()
            for seed in range(1, 7):
                text = " ".join(hunt("--seed", str(seed), "--budget", "20s", "--out", os.path.join(folder, str(seed)), "--", program,
                                     statuses=(status,)).stdout.split())
                covered = re.search(r"(\d+) failing, .*Covered: all schedules: (\d+) executions", text)
                if not covered:
                    raise Problem(f"{options}, seed {seed}: {text[-700:]}")
                kinds.add(covered.groups())
            if len(kinds) != 1:
                raise Problem(f"{options}: schedules and failures {kinds}")
            for decide in ("races", "all"):
                _, explored = expect.raddle(["explore", "--decide", decide, "--keep-going", "--out", os.path.join(folder, "out"), "--", program],
                                            statuses=(status,))
                different = explored["executions"] - explored["redundant"]
                if different != int(next(iter(kinds))[1]):
                    raise Problem(f"{options}: {kinds}, but {different} explored with {decide}")
    return f"{kinds}"


def rare(name, folder, *options):
    """A program of bench/rare, or its twin."""
    program = os.path.join(folder, name + "".join(options))
    expect.build(os.path.join(expect.TESTS, "..", "bench", "rare", "programs", name + ".cpp"), program, *options)
    return program


def circumstances(_):
    """Failures that need a time-out before its time or a wait that returns for nothing are found unasked, and say what they
    need; one that needs nobody else to run for a second does not count. Twins are silent."""
    wanted = {"early_sleep": (1, "a sleep or wait to end while another thread is ready to run, but does not run for up to 10 ms: likely on "
                               "a busy machine"),
              "early_timeout": (0, ": rare"),
              "spurious": (1, "to return without a signal")}
    with expect.scratch() as folder:
        for name, (status, words) in wanted.items():
            program = rare(name, folder)
            out = os.path.join(folder, "out-" + name)
            # What does not count does not end a hunt before its time.
            arguments = ["hunt", "--budget", "20s" if status else "5s", "--out", out, "--", program]
            _, result = expect.raddle(arguments, statuses=(status,))
            failing = [one for one in result["findings"] if one["level"] == "failing"]
            if len(failing) != 1 or words not in failing[0]["needs"]["words"] or failing[0]["counts"] != bool(status):
                raise Problem(f"{name}: {json.dumps(failing)[:1500]}")
            if result["failing"] != status:
                raise Problem(f"{name}: {result['failing']} failing")
            check_replays(failing)
            text = hunt(*arguments[1:], statuses=(status,)).stdout
            if "needs a" not in text or ("--strict counts it" in text) != (status == 0):
                raise Problem(text)
            hunt("--strict", *arguments[1:], statuses=(1,))
            twin = rare(name, folder, "-DFIXED")
            _, result = expect.raddle(["hunt", "--strict", "--budget", "2s", "--out", out, "--", twin], statuses=(0,))
            if result["findings"]:
                raise Problem(f"the twin of {name}: {result['findings']}")
        # What the user asks for is nothing special.
        _, result = expect.raddle(["hunt", "--clock", "adversarial", "--budget", "20s", "--out", out, "--",
                                   os.path.join(folder, "early_timeout")], statuses=(1,))
        if result["findings"][0]["needs"] is not None:
            raise Problem(f"under --clock adversarial: {result['findings'][0]['needs']}")


def rare_failure_goes_on(_):
    """A failure that does not count is no reason to stop looking for one that does. A hunt ends some 400 executions after the last
    new failure, which is met in the first 500; 2,000 take a second, and the search has more than ten."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "patient")
        expect.build(os.path.join(expect.TESTS, "programs", "circumstances", "patient.cpp"), program)
        _, result = expect.raddle(["hunt", "--budget", "20s", "-n", "4000", "--out", os.path.join(folder, "out"), "--", program], statuses=(0,))
        if not any(one["level"] == "failing" and not one["counts"] for one in result["findings"]):
            raise Problem(f"nothing rare: {json.dumps(result['findings'])[:800]}")
        if result["executions"] < 2000:
            raise Problem(f"{result['executions']} executions")
        return f"{result['executions']} executions"


def asked_circumstances(_):
    """Short transfers and failing allocations come only if asked for; a failure that needs one says so and replays. Twins are silent,
    and what POSIX promises is kept: a pipe gives a small message at once."""
    # A hunt of 2,000 executions at most. One transfer in 4 is short: it is missed by 0.75 ^ n of n executions. One allocation of 64
    # fails: 0.984 ^ 2000 < 1e-13.
    for name, option, status, words in (("half_message.cpp", "--short-transfers", "exit", "to move a part only: likely over a network"),
                                        ("no_memory.cpp", "--failing-allocations", "deadlock", "an allocation to fail: rare")):
        source = os.path.join(expect.TESTS, "programs", "circumstances", name)
        with expect.scratch() as folder:
            program, twin = os.path.join(folder, "program"), os.path.join(folder, "twin")
            expect.build(source, program)
            expect.build(source, twin, "-DFIXED")
            out = ["--budget", "20s", "-n", "2000", "--out", os.path.join(folder, "out"), "--"]
            _, result = expect.raddle(["hunt", option, *out, program], statuses=(1,))
            failing = [one for one in result["findings"] if one["level"] == "failing"]
            if len(failing) != 1 or failing[0]["kind"] != status or words not in failing[0]["needs"]["words"]:
                raise Problem(f"{name}: {json.dumps(failing)[:1500]}")
            check_replays(failing)
            for arguments in (["hunt", *out, program], ["hunt", option, *out, twin]):
                _, result = expect.raddle(arguments, statuses=(0,))
                if result["failing"]:
                    raise Problem(f"{arguments}: {result['findings']}")


def one_at_a_time(_):
    """Executions that would disturb each other run one after another, and the hunt says why."""
    writes = ("#include <pthread.h>\n#include <stdio.h>\nstatic void* f(void* p) { return p; }\n"
              "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0);\n"
              "  FILE* file = fopen(\"notes.txt\", \"w\"); return file == 0 || fclose(file); }")
    binds = ("#include <arpa/inet.h>\n#include <pthread.h>\n#include <sys/socket.h>\nstatic void* f(void* p) { return p; }\n"
             "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); int s = socket(AF_INET, SOCK_STREAM, 0);\n"
             "  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)}; a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);\n"
             "  int one = 1; setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);\n"
             "  return bind(s, (struct sockaddr*)&a, sizeof a) != 0; }")
    with expect.scratch() as folder:
        program = os.path.join(folder, "program")
        for source, why in ((writes, "it writes notes.txt"), (binds.replace("PORT", "28417"), "it binds port 28417"),
                            (binds.replace("PORT", "0"), None), (HARMLESS, None)):
            compile_c(source, program)
            text = " ".join(hunt("--budget", "2s", "--out", "out", "--", program, cwd=folder, statuses=(0,)).stdout.split())
            if why is None and "One execution at a time" in text:
                raise Problem(f"{why}: {text}")
            if why is not None and os.cpu_count() > 1 and f"One execution at a time, because {why} (" not in text:
                raise Problem(f"no '{why}' in {text}")
            text = hunt("-j", "2", "--budget", "2s", "--out", "out", "--", program, cwd=folder, statuses=(0, 1)).stdout
            if "One execution at a time" in text:
                raise Problem(text)


# ---- What a person sees ----

def as_text(_):
    with expect.scratch() as folder:
        text = hunt("--budget", "10s", "--out", "out", "--", ACCOUNT, cwd=folder, statuses=(1,)).stdout
        for part in (r"3 threads, \d+ decision points an execution, unmodified", r"profiling +\d+ executions",
                     r"confirming +\d+ executions", r"1  FAILING  \d+ of \d+",
                     r"Suggestion: do both in one function that locks account\.mutex_ once", r"again +\S+ replay out/\d+\.replay",
                     r"1 failing, \d+ confirmed besides", r"Covered: (\d+ different schedules|all orders of synchronisation calls)"):
            if not re.search(part, text):
                raise Problem(f"no /{part}/ in\n{text}")
        finding = text[text.index("1  FAILING"):text.index("   again")]
        if finding.count("\n") > SCREEN_AND_A_HALF:
            raise Problem(f"{finding.count(chr(10))} lines:\n{finding}")


ONE_THREAD = "int main(void) { return 0; }"
FAILS = ("#include <pthread.h>\n#include <stdlib.h>\nstatic void* f(void* p) { return p; }\n"
         "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 3; }")
# Fails where Raddle's library is not there.
SHY = ("#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <pthread.h>\nstatic void* f(void* p) { return p; }\n"
       "int main() { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0);\n"
       "  return dlsym(RTLD_DEFAULT, \"__tsan_read4\") == 0; }\n")
NO_END = ("#include <pthread.h>\n#include <unistd.h>\nstatic void* f(void* p) { for (;;) pause(); return p; }\n"
          "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }")

COMPUTES = "int main(void) { for (volatile unsigned i = 0;; ++i) {} }"

# A lock that is taken twice in one function, and nothing wrong with that.
HARMLESS = ("#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic int n;\n"
            "__attribute__((noinline)) static void count(void) { pthread_mutex_lock(&m); ++n; pthread_mutex_unlock(&m); }\n"
            "__attribute__((noinline)) static void twice(void) { count(); count(); __asm__(\"\"); }\n"
            "static void* f(void* p) { twice(); __asm__(\"\"); return p; }\n"
            "int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);"
            "pthread_join(a, 0); pthread_join(b, 0); return n == 4 ? 0 : 1; }")


def compile_c(source, program):
    with open(program + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    subprocess.run(["cc", "-O1", "-g", "-pthread", program + ".c", "-o", program], check=True)


def seen_is_not_harmful(_):
    """What nobody declared and what did no harm is one number; it counts with --strict."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "harmless")
        compile_c(HARMLESS, program)
        arguments = ["--budget", "3s", "--out", "out", "--", program]
        text = hunt(*arguments, cwd=folder, statuses=(0,)).stdout
        if "0 failing, 0 confirmed besides, " not in text or "seen without harm (--all lists" not in text:
            raise Problem(text)
        text = hunt("--all", *arguments, cwd=folder, statuses=(0,)).stdout
        if "Seen, no harm found" not in text or "is taken for one unit" not in text:
            raise Problem(text)
        text = hunt("--strict", *arguments, cwd=folder, statuses=(1,)).stdout
        number = re.search(r"replay (out/\d+\.replay)", text)
        if "SEEN  atomicity" not in text or "Rests on: " not in text or not number:
            raise Problem(text)
        hunt("--strict", "--failing-only", *arguments, cwd=folder, statuses=(0,))
        hunt("--strict", "--atomic", "annotated", *arguments, cwd=folder, statuses=(0,))
        # The replay says what there is to see.
        replayed = subprocess.run([expect.RADDLE, "replay", number.group(1)], cwd=folder, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, check=True).stdout
        for part in ("passed, as recorded", "SEEN  atomicity", "takes it in between"):
            if part not in replayed:
                raise Problem(f"no '{part}' in\n{replayed}")
        # The same with a lock of readers, who do not disturb each other.
        readers = HARMLESS.replace("pthread_mutex_lock", "pthread_rwlock_rdlock")
        readers = readers.replace("pthread_mutex", "pthread_rwlock").replace("PTHREAD_MUTEX", "PTHREAD_RWLOCK")
        compile_c(readers.replace("++n;", "").replace("n == 4", "n == 0"), program)
        hunt("--strict", "--budget", "2s", "--out", "out2", "--", program, cwd=folder, statuses=(0,))


def switches_after_releases(_):
    """In an unmodified program, without any option: bugs that need a switch after an operation, not before one."""
    told = []
    for name in ("after_unlock", "after_create"):
        with expect.scratch() as folder:
            program = os.path.join(expect.BUILD, "tests", "programs", name)
            done = hunt("--json", "--budget", "20s", "--out", os.path.join(folder, "out"), "--", program)
            result = json.loads(done.stdout)
            if done.returncode != 1 or result["failing"] != 1:
                raise Problem(f"{name}: exit {done.returncode}, {result}")
            check_replays(result["findings"])
            told.append(result["executions"])
    return f"{told} executions"


# Three clerks, each of whom locks in the order of its arguments, and an auditor who locks all: three cycles.
CYCLES = ("#include <pthread.h>\nstatic pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, "
          "PTHREAD_MUTEX_INITIALIZER};\nstatic int n;\n"
          "static void* clerk(void* p) { long i = (long)p, j = (i + 1) % 3; for (int k = 0; k < 3; ++k) {\n"
          "pthread_mutex_lock(&m[i]);\npthread_mutex_lock(&m[j]);\nn++;\n"
          "pthread_mutex_unlock(&m[j]);\npthread_mutex_unlock(&m[i]); } return 0; }\n"
          "static void* auditor(void* p) { for (int i = 0; i < 3; ++i)\npthread_mutex_lock(&m[i]);\n"
          "for (int i = 2; i >= 0; --i) pthread_mutex_unlock(&m[i]); return p; }\n"
          "int main(void) { pthread_t t[4]; for (long i = 0; i < 3; ++i) pthread_create(&t[i], 0, clerk, (void*)i);\n"
          "pthread_create(&t[3], 0, auditor, 0); for (int i = 0; i < 4; ++i) pthread_join(t[i], 0); return 0; }")


def cycles(_):
    """A candidate is listed with the deadlock that is its own."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "cycles")
        compile_c(CYCLES, program)
        text = hunt("--budget", "5s", "--out", "out", "--", program, cwd=folder, statuses=(1,)).stdout
        parts = re.split(r"\n\d+  FAILING", text)[1:]
        listed = 0
        for part in parts:
            if "confirmed in executions that fail so" not in part:
                continue
            failure, candidates = part.split("confirmed in executions that fail so")
            threads = set(re.findall(r"(T\d) holds", failure[failure.index("The cycle:"):]))
            for candidate in candidates.split("minimized")[0].split("lock-order:")[1:]:
                listed += 1
                if len(re.findall(r"T\d (?:clerk|auditor)\s+holds", candidate)) != len(threads):
                    raise Problem(f"{candidate} is not the cycle of {sorted(threads)}:\n{text}")
        if listed < 1:
            raise Problem(f"{listed} cycles in\n{text}")
        return f"{len(parts)} deadlocks, {listed} candidates"


def first_lines(_):
    cases = {"one": (ONE_THREAD, (0,), "never starts a second thread"),
             "fails": (FAILS, (1,), "fails without raddle: exit status 3"),
             "endless": (NO_END, (1, 3), "it did not end within 1"),
             # It may well be about to create a thread.
             "computing": (COMPUTES, (3,), "no execution came to its end")}
    with expect.scratch() as folder:
        for name, (source, statuses, pattern) in cases.items():
            program = os.path.join(folder, name)
            compile_c(source, program)
            done = hunt("--budget", "4s", "--timeout", "1s", "--out", "out", "--", program, cwd=folder, statuses=statuses)
            first = "\n".join(done.stdout.splitlines()[:2])
            if pattern not in first:
                raise Problem(f"{name}: no '{pattern}' in the first lines:\n{done.stdout}")
            if pattern in done.stderr:
                raise Problem(f"{name}: '{pattern}' a second time:\n{done.stderr}")


def fails_natively_alone(_):
    """What was seen to fail, and does not fail under Raddle, has not passed."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "shy")
        compile_c(SHY, program)
        done = hunt("--budget", "1s", "--out", "out", "--", program, cwd=folder, statuses=(3,))
        text = " ".join(done.stdout.split())
        if "it fails without raddle: exit status 1" not in text or "and in no execution under it" not in text:
            raise Problem(done.stdout)


def bad_input(_):
    with expect.scratch() as folder:
        def refused(pattern, *arguments):
            text = expect.own_words(hunt(*arguments, cwd=folder, statuses=(2,)).stderr)
            if not re.search(pattern, text) or text.count("\n") != 1:
                raise Problem(f"hunt {arguments}: no /{pattern}/ alone in\n{text}")
        refused("no program given", "--budget", "1s")
        refused("--budget", "--budget", "soon", "--", ACCOUNT)
        refused("does not exist", "--", "./nothing")
        refused("cannot read", "--resume", "nowhere", "--", ACCOUNT)
        hunt("--budget", "2s", "--out", "out", "--", ACCOUNT, cwd=folder, statuses=(1,))
        refused("another build.*build id [0-9a-f]+.*build id [0-9a-f]+", "--resume", "out", "--", FIXED)
        refused("other arguments", "--resume", "out", "--", ACCOUNT, "more")


def resumes(_):
    with expect.scratch() as folder:
        out = os.path.join(folder, "out")
        arguments = ["hunt", "--budget", "3s", "--out", out]
        _, first = expect.raddle([*arguments, "--", FIXED], statuses=(0, 1))
        _, second = expect.raddle(["hunt", "--budget", "3s", "--resume", out, "--", FIXED], statuses=(0, 1))
        if second["earlier_executions"] != first["executions"]:
            raise Problem(f"{second['earlier_executions']} before, not {first['executions']}")
        with contextlib.closing(sqlite3.connect(os.path.join(out, "campaign.db"))) as store:
            executions, last_seed = store.execute("SELECT sum(executions), max(last_seed) FROM ranges").fetchone()
        if executions != first["executions"] + second["executions"] or last_seed < first["executions"]:
            raise Problem(f"the store does not add up: {executions} executions, last seed {last_seed}")
        # A failure that an earlier hunt found is not forgotten.
        out = os.path.join(folder, "failing")
        arguments = ["hunt", "--budget", "2s", "--out", out]
        expect.raddle([*arguments, "--", ACCOUNT], statuses=(1,))
        _, again = expect.raddle([*arguments, "--resume", out, "--", ACCOUNT], statuses=(1,))
        if again["failing"] + len(again["earlier_failures"]) < 1:
            raise Problem(f"forgotten: {again}")


def interrupted(_):
    with expect.scratch() as folder:
        program = os.path.join(folder, "program")  # has more schedules than anybody goes through
        expect.build(os.path.join(expect.TESTS, "programs", "causes", "locks", "lock_order.cpp"), program, "-DFIXED")
        with subprocess.Popen([expect.RADDLE, "hunt", "--json", "--budget", "10m", "--out", "out", "--", program], cwd=folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            time.sleep(expect.allowed(2))
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=expect.allowed(60))
        result = json.loads(out)
        if run.returncode not in (1, 3) or not result["interrupted"] or result["executions"] == 0:
            raise Problem(f"exit status {run.returncode}: {out[:500]}{err}")
        if not os.path.exists(os.path.join(folder, "out", "campaign.db")):
            raise Problem("nothing to go on from")


def interrupted_early(_):
    """An execution that was cut off, perhaps before its threads were there, says nothing of the program."""
    with expect.scratch() as folder:
        program = build(os.path.join(PROGRAMS_SOURCES, "spin_for_ever.cpp"), folder)
        with subprocess.Popen([expect.RADDLE, "hunt", "--budget", "10m", "--out", "out", "--", program], cwd=folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            time.sleep(1)  # it runs without Raddle still, or has just begun to run with it
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=expect.allowed(60))
        if run.returncode != 3 or "interrupted before an execution came to its end" not in out or "; 0 executions" not in out:
            raise Problem(f"exit status {run.returncode}: {out}{err}")


def keeps_the_budget(_):
    with expect.scratch() as folder:
        began = time.monotonic()
        expect.raddle(["hunt", "--budget", "5s", "--out", os.path.join(folder, "out"), "--", FIXED], statuses=(0, 1))
        if time.monotonic() - began > expect.allowed(12):
            raise Problem(f"a budget of 5 s took {time.monotonic() - began:.1f} s")


SPINS = """
#include <atomic>
#include <thread>
std::atomic<bool> go{false};
int main() {
  std::thread t([] { while (!go) {} });
  t.join();
}
"""


def keeps_it_when_it_hangs(_):
    """An execution takes a second, and each failure would take three more: 8 to 10 s without a limit for these."""
    with expect.scratch() as folder:
        source = os.path.join(folder, "spins.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SPINS)
        program = os.path.join(folder, "spins")
        subprocess.run(["g++", "-std=c++20", "-O0", "-g", "-pthread", "-o", program, source], check=True)
        began = time.monotonic()
        _, result = expect.raddle(["hunt", "--budget", "5s", "--out", os.path.join(folder, "out"), "--", program],
                                  statuses=(1, 3))
        took = time.monotonic() - began
        if took > expect.allowed(8):
            raise Problem(f"a budget of 5 s took {took:.1f} s")
        return f"{took:.1f} s, {result['failing']} failing"


def debian_program(name, arguments):
    def check(_):
        if shutil.which(name) is None:
            return f"{name} is not installed"
        with expect.scratch() as folder:
            data = os.path.join(folder, "data")
            with open(data, "wb") as file:
                file.write(os.urandom(300_000) + bytes(700_000))
            began = time.monotonic()
            _, result = expect.raddle(["hunt", "--budget", "10s", "--out", os.path.join(folder, "out"), "--", name,
                                       *arguments, data], statuses=(0, 1, 3))
            if time.monotonic() - began > expect.allowed(40):
                raise Problem(f"a budget of 10 s took {time.monotonic() - began:.0f} s")
            check_replays(result["findings"])
            return f"{result['executions']} executions, {result['candidates']} candidates, {result['failing']} failing"
    return check


def main():
    names = sys.argv[1:]
    sources = [s for s in glob.glob(os.path.join(expect.TESTS, "subjects", "*.cpp"))]
    sources += glob.glob(os.path.join(expect.TESTS, "unlocked", "*.cpp"))
    checks = {"text": as_text, "first lines": first_lines, "natively": fails_natively_alone, "not failing": seen_is_not_harmful, "cycles": cycles, "freed": freed_memory, "published": published, "announced": announced, "late races": late_races,
              "after releases": switches_after_releases, "circumstances": circumstances, "rare failure": rare_failure_goes_on, "asked circumstances": asked_circumstances, "one at a time": one_at_a_time, "bad input": bad_input, "resume": resumes,
              "interrupt": interrupted, "interrupt early": interrupted_early, "budget": keeps_the_budget, "budget of a hang": keeps_it_when_it_hangs,
              "pbzip2": debian_program("pbzip2", ["-c", "-k", "-p3", "-b1"]),
              "pigz": debian_program("pigz", ["-c", "-k", "-p", "3"])}
    for source in sorted(sources):
        name = os.path.basename(source)[:-len(".cpp")]
        check = finds_nothing if name.endswith("_fixed") else finds_the_bug
        checks[name] = lambda _, source=source, check=check: check(source)
    chosen = [name for name in checks if not names or any(part in name for part in names)]
    # These have so many candidates that the hunt takes its whole budget.
    long = ["linked_queue", "array_list", "linked_list", "merge_sort"]
    expect.run_all(lambda name: checks[name](name), chosen, str, long=long)


main()
