#!/usr/bin/env python3
"""How a program is started does not matter: through a shell, env or a script (exec), with threads made through dlsym(), with
its streams on a terminal, a pipe or a file. What is not controlled is said: children, what the program became, clone().

usage: launch_test.py [NAME...]   only the cases whose name contains one of these
"""

import json
import os
import pty
import subprocess
import sys

import expect
from expect import Problem

# Two threads look and act; a third process, or another program instead of this one, on demand.
BANK = r"""
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;
static void* spend(void* argument) {
  pthread_mutex_lock(&lock);
  int enough = balance >= 60;
  if (argument == NULL) pthread_mutex_unlock(&lock);
  if (argument == NULL) pthread_mutex_lock(&lock);
  if (enough) balance -= 60;
  pthread_mutex_unlock(&lock);
  return NULL;
}
int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "wrong";
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, spend, strcmp(how, "wrong") == 0 ? NULL : &balance);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  fprintf(stderr, "balance %d\n", balance);
  if (strcmp(how, "children") == 0) {
    if (fork() == 0) {
      execlp("true", "true", "a b", (char*)NULL);
      _exit(1);
    }
    wait(NULL);
    if (system("exit 0") != 0) return 1;
  }
  if (strcmp(how, "becomes") == 0) execl(argv[2], argv[2], (char*)NULL);
  if (strcmp(how, "fails to become") == 0) execl("/nonexistent/program", "program", (char*)NULL);
  assert(balance >= 0);
  return 0;
}
"""

# Computes for longer than the host waits before it looks at a program that stands still.
BUSY = "int main(void) { for (volatile long i = 0; i < 100000000; ++i) {} return 0; }\n"


def compiled(folder, name, text, *options):
    source, program = os.path.join(folder, name + ".c"), os.path.join(folder, name)
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["cc", "-O1", "-g", "-D_GNU_SOURCE", "-Wno-unused-result", "-pthread", source, "-o", program, *options],
                   check=True)
    return program


def plain(*arguments, **more):
    """The tool with its text, not --json: (status, standard output, standard error)."""
    done = subprocess.run([expect.RADDLE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=expect.PATIENCE,
                          check=False, **more)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def same(what, found, wanted):
    if found != wanted:
        raise Problem(f"{what}: {found!r}, not {wanted!r}")


def launchers(folder):
    """What a launcher becomes is controlled as if it had been started itself."""
    bank = compiled(folder, "bank", BANK)
    script = os.path.join(folder, "script")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nls / > /dev/null\nexec {bank} \"$@\"\n")
    os.chmod(script, 0o755)
    _, alone = expect.raddle(["fuzz", "--out", os.path.join(folder, "alone"), "--", bank])
    for number, command in enumerate((["sh", "-c", f"exec {bank}"], ["env", "A=b", bank], ["nice", "env", "-i", bank], [script])):
        out = os.path.join(folder, f"out{number}")
        status, result = expect.raddle(["fuzz", "--out", out, "--", *command])
        same(f"{command}: status", status, 1)
        same(f"{command}: first seed", result["findings"][0]["first_seed"], alone["findings"][0]["first_seed"])
        same(f"{command}: message", result["findings"][0]["message"], alone["findings"][0]["message"])
        for carrier in expect.CARRIERS:
            status, replay = expect.raddle(["replay", "--carrier", carrier, result["findings"][0]["replay"]])
            same(f"{command}: replay", (status, replay["same"]), (1, True))
        status, right = expect.raddle(["run", "--", *command[:-1], *([command[-1], "right"] if number else [command[-1] + " right"])])
        same(f"{command}: the right program", (status, right["threads"]), (0, 3))
    # Another build of what the launcher becomes is noticed, although the launcher is the same.
    compiled(folder, "bank", BANK.replace("100;", "101;"))
    status, _, err = plain("replay", result["findings"][0]["replay"])
    same("another build", (status, "another build" in err), (2, True))
    status, _, err = plain("run", "--", "sh", "-c", f"{bank}; true")
    if status != 2 or "without becoming a program" not in err or bank not in err:
        raise Problem(f"a shell that becomes nothing: {status}, {err}")


def becomes(folder):
    """A program that becomes another one after it had threads: that one runs to its end, and is named."""
    bank, busy = compiled(folder, "bank", BANK), compiled(folder, "busy", BUSY)
    for carrier in expect.CARRIERS:
        status, result = expect.raddle(["fuzz", "--carrier", carrier, "-n", "3", "--", bank, "becomes", busy])
        same("status", (status, result["passed"]), (0, 3))
        same("named", result["out_of_control"]["replaced_by"], [busy])
        status, result = expect.raddle(["run", "--carrier", carrier, "--", bank, "fails to become"])
        same("status", (status, result["out_of_control"]["replaced_by"]), (0, []))


def children(folder):
    bank = compiled(folder, "bank", BANK)
    out_of_control = {"child_processes": 2, "commands": ["true 'a b'", "exit 0"], "replaced_by": [], "threads_by_clone": 0,
                      "timed_waits": 0, "close_waits": 0, "kernel_timers": 0}
    for command in (["run"], ["fuzz", "-n", "5"], ["hunt", "--budget", "3s", "--out", os.path.join(folder, "o")],
                    ["explore", "--limit", "5", "--out", os.path.join(folder, "o")]):
        _, result = expect.raddle([*command, "--", bank, "children"])
        forked_because = "" if command == ["run"] else "it starts processes"
        same(f"{command[0]}", result["out_of_control"], {**out_of_control, "forked_because": forked_because})
    _, _, err = plain("run", "--", bank, "children")
    if "Not controlled: 2 child processes (true 'a b'; exit 0). To test one of them:" not in " ".join(err.split()):
        raise Problem(err)
    _, out, err = plain("run", "--", bank, "right")
    if "ot controlled" in out + err:
        raise Problem(err)
    # timeout forks: the program that it starts is named, with its command line.
    _, _, err = plain("run", "--", "timeout", "10", bank, "right")
    if f"hunt -- {bank} right" not in " ".join(err.split()):
        raise Problem(err)


# Threads that a library makes with functions that it fetched by name. With -DOWN it has a pthread_create() of its own, too.
FETCHED = r"""
#include <dlfcn.h>
#include <pthread.h>
typedef int (*Create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
typedef int (*Lock)(pthread_mutex_t*);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Lock take, release;
int counter;
static void* body(void* argument) {
  take(&lock);
  ++counter;
  release(&lock);
  return argument;
}
static void* fetch(int how, const char* name) {
  switch (how) {
    case 0: return dlsym(RTLD_NEXT, name);
    case 1: return dlsym(RTLD_DEFAULT, name);
    case 2: return dlsym(dlopen("libc.so.6", RTLD_NOW), name);
    case 3: return dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5");
    case 4: return dlvsym(RTLD_DEFAULT, name, "GLIBC_2.2.5");
    default: return dlvsym(dlopen("libc.so.6", RTLD_NOW), name, "GLIBC_2.2.5");
  }
}
int run(int how) {
  Create create = (Create)fetch(how, "pthread_create");
  take = (Lock)fetch(how, "pthread_mutex_lock");
  release = (Lock)fetch(how, "pthread_mutex_unlock");
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) create(&threads[i], 0, body, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return counter == 2 && dlsym(RTLD_NEXT, "no such function") == 0 ? 0 : 1;
}
#ifdef OWN
int pthread_create(pthread_t* t, const pthread_attr_t* a, void* (*f)(void*), void* p) {
  return ((Create)dlsym(RTLD_NEXT, "pthread_create"))(t, a, f, p);
}
#endif
#ifdef ALONE
#include <stdlib.h>
int main(int argc, char** argv) { return run(atoi(argv[argc - 1])); }
#endif
"""
CALLER = "#include <stdlib.h>\nint run(int how);\nint main(int argc, char** argv) { return run(atoi(argv[argc - 1])); }\n"


def fetched(folder):
    """Threads and locks fetched with dlsym() and dlvsym() are controlled, as those that were linked."""
    programs = [compiled(folder, "alone", FETCHED, "-DALONE")]
    for name, options in (("plain", []), ("own", ["-DOWN"])):
        library = compiled(folder, f"lib{name}.so", FETCHED, "-shared", "-fPIC", *options)
        programs.append(compiled(folder, name, CALLER, library, f"-Wl,-rpath,{folder}"))
    for program in programs:
        for how in range(6):
            if how > 2 and program.endswith("own"):
                continue  # an interposer fetches what it interposes without a version
            logs = set()
            for carrier in expect.CARRIERS:
                status, result = expect.raddle(["run", "--carrier", carrier, "--", program, str(how)])
                same(f"{program} {how}: threads", (status, result["threads"], result["outcome"]), (0, 3, "passed"))
                logs.add((result["choice_log"], result["steps"]))
            same(f"{program} {how}: executions", len(logs), 1)
            same(f"{program} {how}: locks are decision points", logs.pop()[1] > 9, True)
    subprocess.run([programs[2], "0"], check=True)  # natively it does not call itself for ever


CLONE = r"""
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int done;
static int body(void* argument) {
  (void)argument;
  done = 1;
  for (;;) __asm__ volatile("syscall" : : "a"(SYS_exit), "D"(0) : "rcx", "r11", "memory");
}
static void* other(void* argument) { return argument; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  pthread_join(thread, NULL);
  char* stack = malloc(65536);
  if (clone(body, stack + 65536, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL) < 0) return 1;
  while (!done) {}
  puts("printed by the program");
  return 0;
}
"""


def clone(folder):
    """What a program did outside control is said at the end. That it could do so is no reason for a warning: the death
    tests of GoogleTest import clone() into every test binary."""
    program = compiled(folder, "clone", CLONE)
    with open(os.path.join(folder, "both"), "w+", encoding="utf-8") as both:
        subprocess.run([expect.RADDLE, "run", "--", program], stdout=both, stderr=both, stdin=subprocess.DEVNULL, check=False)
        both.seek(0)
        text = " ".join(expect.own_words(both.read()).split())
    first, last = (text.find(part) for part in ("printed by the program", "Not controlled: 1 thread"))
    if not 0 <= first < last or "warning" in text:
        raise Problem(text)
    silent = compiled(folder, "imports_clone", CLONE.replace("if (clone(", "if (getenv(\"MAKE_IT\") && clone(").replace("while (!done) {}", ""))
    _, out, err = plain("run", "--", silent)
    if "warning" in expect.own_words(err) or "Not controlled" in out + err:
        raise Problem(out + err)
    _, out, _ = plain("doctor", "--", program)
    if "clone()" not in out:
        raise Problem(out)


# Locks once more for each of its streams that is a terminal, twice for a file: what it is connected to changes its steps.
LOOKS = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void look(int fd) {
  struct stat info;
  fstat(fd, &info);
  int times = isatty(fd) ? 1 : S_ISREG(info.st_mode) ? 2 : S_ISCHR(info.st_mode) ? 3 : 4;
  for (int i = 0; i < times; ++i) pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock);
}
static void* body(void* argument) {
  for (int fd = 1 - (argument == NULL); fd < 3; ++fd) look(fd);
  return argument;
}
int main(int argc, char** argv) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, argc > 1 ? NULL : argv);
  body(argv);
  pthread_join(thread, NULL);
  puts("out");
  fputs("err\n", stderr);
  return 0;
}
"""


def on(kind, command):
    """Runs a command with its standard output and error of this kind."""
    if kind == "pipe":
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode
    if kind == "terminal":
        master, slave = pty.openpty()
        done = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
        os.close(slave)
        try:
            while os.read(master, 65536):
                pass
        except OSError:
            pass
        os.close(master)
        return done.wait()
    with open(os.devnull if kind == "null" else command[-1] + ".out", "wb") as file:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False).returncode


def streams(folder):
    """What a program's streams are is a part of the execution: a replay has the same, wherever its own output goes."""
    program = compiled(folder, "looks", LOOKS)
    for kind in ("pipe", "terminal", "file", "null"):
        saved = os.path.join(folder, kind + ".replay")
        same(f"{kind}: recording", on(kind, [expect.RADDLE, "run", "--save", saved, "--", program]), 0)
        status, replay = expect.raddle(["replay", saved])
        same(f"{kind}: replay", (status, replay["same"], replay["difference"]), (0, True, ""))
        shown = "" if kind == "null" else "out\n"
        same(f"{kind}: its output", replay["stdout"], shown)
        same(f"{kind}: on a terminal", on("terminal", [expect.RADDLE, "replay", saved]), 0)
    # Input typed by hand is not recorded. The replay says what was different.
    saved = os.path.join(folder, "input.replay")
    master, slave = pty.openpty()
    subprocess.run([expect.RADDLE, "run", "--save", saved, "--", program, "input"], stdin=slave, capture_output=True, check=True)
    os.close(slave)
    os.close(master)
    status, replay = expect.raddle(["replay", saved])
    same("the difference", (status, replay["same"], replay["stream_difference"]),
         (3, False, "It was recorded with standard input a terminal, replayed with /dev/null."))


def printed(folder):
    """A failure of a hunt shows the last lines that the program printed."""
    bank = compiled(folder, "bank", BANK)
    status, out, _ = plain("hunt", "--budget", "5s", "--out", os.path.join(folder, "o"), "--", bank)
    text = " ".join(out.split())
    if status != 1 or "the program printed balance -20" not in text:
        raise Problem(out)
    _, result = expect.raddle(["hunt", "--budget", "5s", "--out", os.path.join(folder, "o"), "--", bank])
    failing = [one for one in result["findings"] if one["level"] == "failing" and "stderr" in one]
    if not failing or "balance -20" not in failing[0]["stderr"]:
        raise Problem(json.dumps(result["findings"])[:2000])


CASES = [launchers, becomes, children, fetched, clone, streams, printed]


def check_case(case):
    with expect.scratch() as folder:
        return case(folder)


if __name__ == "__main__":
    wanted = [c for c in CASES if not sys.argv[1:] or any(word in c.__name__ for word in sys.argv[1:])]
    expect.run_all(check_case, wanted, lambda case: case.__name__)
