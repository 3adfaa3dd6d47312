#!/usr/bin/env python3
"""An execution in a process that was put back is the same as one in a forked process; nothing of it is left for the next.

usage: restore_test.py [NAME...]   only the items whose name contains one of these
"""

import os
import signal
import subprocess
import sys
import tempfile
import time

import expect
from expect import Problem

RESTORING = os.path.join(expect.BUILD, "bench", "restoring")
SEEDS = 200 if expect.FULL else 12
LONG = 100_000 if expect.FULL else 2_000

# What a program does that is not put back, and what is said of it.
DECLINED = {
    "fork": ("if (fork() == 0) _exit(0); wait(nullptr);", "it starts processes"),
    "chdir": ('if (chdir("/") != 0) return 1;', "it changes its working directory"),
    "umask": ("umask(077);", "it changes its file mode mask"),
    "alarm": ("alarm(1000);", "it sets a timer"),
    "rlimit": ("struct rlimit l; getrlimit(RLIMIT_CORE, &l); setrlimit(RLIMIT_CORE, &l);", "it changes a limit of its resources"),
    "mprotect": ("mprotect(g_pages, 4096, PROT_READ);", "it protects memory that it had at its start"),
}
# The same program, whole: these it puts back.
RESTORED = {
    "nothing": "",
    "closes its output": "fclose(stdout);",
    "mmap": "if (mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return 1;",
    "deep stack": "if (deep(200) != 200) return 1;",
    "handler": "signal(SIGUSR1, SIG_IGN);",
}
SOURCE = """
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <mutex>
#include <thread>
alignas(4096) char g_pages[8192];
std::mutex g_lock;
int g_sum;
int deep(int levels) { volatile char page[8192]; page[0] = 1; return levels == 0 ? 0 : deep(levels - 1) + page[0]; }
void add() { std::lock_guard<std::mutex> guard(g_lock); ++g_sum; }
int main() {
  std::thread one(add), two(add);
  one.join(); two.join();
  puts("done");
  %s
  return g_sum == 2 ? 0 : 1;
}
"""


def compile_program(folder, name, code):
    source = os.path.join(folder, name.replace(" ", "_") + ".cpp")
    binary = source[:-4]
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE % code)
    subprocess.run(["g++", "-O1", "-g", "-pthread", "-o", binary, source], check=True)
    return binary


def run(arguments):
    done = subprocess.run([RESTORING, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=expect.PATIENCE)
    return done.returncode, (done.stdout + done.stderr).strip()


def same_as_forked(program):
    status, text = run(["--compare", str(SEEDS), *program.command()])
    if status != 0 and not program.outside:
        raise Problem(text)
    return text


def flat(_):
    status, text = run(["--long", str(LONG), os.path.join(expect.BUILD, "tests", "programs", "leaves_things")])
    if status != 0:
        raise Problem(text)
    return text


def fuzz(binary, *options):
    with tempfile.TemporaryDirectory() as out:
        return expect.raddle(["fuzz", "--restore", "-n", "40", "--out", out, *options, "--", binary])


def declined(item):
    code, reason = DECLINED[item[1]]
    with tempfile.TemporaryDirectory() as folder:
        status, result = fuzz(compile_program(folder, item[1], code))
    said = result["out_of_control"]["forked_because"]
    if status != 0 or said != reason:
        raise Problem(f"exit status {status}, {said!r}, not {reason!r}")
    return said


def restored(item):
    with tempfile.TemporaryDirectory() as folder:
        binary = compile_program(folder, item[1], RESTORED[item[1]])
        status, text = run(["--compare", "20", binary])
        if status != 0 or "20 of 20 restored" not in text:
            raise Problem(text)
        status, result = fuzz(binary)
    if status != 0 or result["out_of_control"]["forked_because"]:
        raise Problem(f"exit status {status}, {result['out_of_control']}")
    return text


def children(pid):
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(word) for word in done.stdout.split()]


def killed(item):
    """kill -9 of the process that is put back: the campaign goes on. Of the tool: nothing is left."""
    binary = os.path.join(expect.BUILD, "examples", "account_fixed")
    with tempfile.TemporaryDirectory() as out:
        tool = subprocess.Popen([expect.RADDLE, "fuzz", "--restore", "--json", "-n", "1000000000", "--time", "6s", "--out", out, "--", binary],
                                stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        try:
            found = []
            until = time.time() + expect.allowed(20)
            while not found and time.time() < until:
                time.sleep(0.1)
                found = [(server, execution) for server in children(tool.pid) for execution in children(server)]
            if not found:
                raise Problem("no execution was seen")
            server, execution = found[0]
            if item[1] == "target":
                os.kill(execution, signal.SIGKILL)
                tool.communicate(timeout=expect.PATIENCE)
                return "went on"
            tool.kill()
            tool.wait()
            until = time.time() + expect.allowed(10)
            while time.time() < until and (os.path.exists(f"/proc/{server}") or os.path.exists(f"/proc/{execution}")):
                time.sleep(0.05)
            if os.path.exists(f"/proc/{server}") or os.path.exists(f"/proc/{execution}"):
                raise Problem("a process is left")
            return "nothing is left"
        finally:
            tool.kill()
            tool.wait()


KINDS = {"declined": declined, "restored": restored, "killed": killed, "flat": flat}


def check(item):
    return KINDS[item[0]](item) if isinstance(item, tuple) else same_as_forked(item)


def name_of(item):
    return " ".join(item) if isinstance(item, tuple) else item.name


if __name__ == "__main__":
    # Where a timer ends an execution, how far it came is no decision of ours.
    endless = {frozenset(["livelock", "inconclusive"])}
    items = [p for p in expect.programs([]) if not endless & set(p.expect)]
    items += [("declined", name) for name in DECLINED] + [("restored", name) for name in RESTORED]
    items += [("killed", "target"), ("killed", "tool"), ("flat", "")]
    chosen = [item for item in items if not sys.argv[1:] or any(word in name_of(item) for word in sys.argv[1:])]
    expect.run_all(check, chosen, name_of)
