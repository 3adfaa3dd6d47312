#!/usr/bin/env python3
"""An execution in a process that was put back is the same as one in a forked process; nothing of it is left for the next.

usage: restore_test.py [--table] [NAME...]
  --table   print the table of docs/restoring.md instead: which programs are forked, and why
  NAME      only the items whose name contains one of these
"""

import ctypes
import glob
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import expect  # noqa: E402
from expect import Problem  # noqa: E402

RESTORING = os.path.join(expect.BUILD, "bench", "restoring")
MIDDLE = os.path.join(expect.BUILD, "bench", "middle")
SEEDS = 200 if expect.FULL else 12
EXPLORED = 1_000 if expect.FULL else 60  # executions of each strategy
LONG = 100_000 if expect.FULL else 1_000
SUBJECTS = sorted(glob.glob(os.path.join(expect.TESTS, "subjects", "*.cpp")))
GATE_SUBJECTS = ("account", "linked_list_fixed", "manager")

# What a program does that is not put back, and what is said of it.
DECLINED = {
    "fork": ("if (fork() == 0) _exit(0); wait(nullptr);", "it starts processes"),
    "chdir": ('if (chdir("/") != 0) return 1;', "it changes its working directory"),
    "umask": ("umask(077);", "it changes its file mode mask"),
    "alarm": ("alarm(1000);", "it sets a timer"),
    "rlimit": ("struct rlimit l; getrlimit(RLIMIT_CORE, &l); setrlimit(RLIMIT_CORE, &l);", "it changes a limit of its resources"),
    "prlimit call": ("struct rlimit l; getrlimit(RLIMIT_CORE, &l); prlimit(0, RLIMIT_CORE, &l, nullptr);", "it changes a limit of its resources"),
    "mlock": ("mlock(g_pages, 4096);", "it locks its memory"),
    "mprotect": ("mprotect(g_pages, 4096, PROT_READ);", "it protects memory that it had at its start"),
    "mremap": ("if (mremap(g_mapped, 8192, 4096, 0) == MAP_FAILED) return 1;", "it unmaps memory that it had at its start"),
    "large block grows": ("g_large = realloc(g_large, 9 << 20);", "it unmaps memory that it had at its start"),
    "pipe": ('if (write(g_pipe[1], "x", 1) != 1) return 1;', "it leaves something else in a pipe or socket from before its start"),
    "system call": ("syscall(SYS_umask, 022);", "it makes system calls of its own, with syscall()"),
    "prctl": ("prctl(PR_SET_DUMPABLE, 1);", "it calls prctl()"),
    "closes all": ("for (int fd = 3; fd < 1024; ++fd) close(fd);", "it closes descriptors that are not its own"),
    "pid": ('printf("%d\\n", getpid());', "two executions of the same plan are not the same, forked ones neither"),
    "exit_group": ("fflush(stdout); asm volatile(\"syscall\" :: \"a\"(231), \"D\"(0));",
                   "its process does not end by exit(), return or a failure"),
}
# The same program, whole: these it puts back.
RESTORED = {
    "nothing": "",
    "closes its output": "fclose(stdout);",
    "replaces its output": 'int null = open("/dev/null", O_WRONLY); dup2(null, 1);',
    "mmap": "if (mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return 1;",
    "deep stack": "if (deep(200) != 200) return 1;",
    "handler": "signal(SIGUSR1, SIG_IGN);",
    "blocked signal": "sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR2); pthread_sigmask(SIG_BLOCK, &s, nullptr); raise(SIGUSR2);",
    "drops pages": "madvise(g_mapped, 4096, MADV_DONTNEED); if (g_mapped[0] != 0) return 1;",
    "writes by a system call": 'int zero = open("/dev/zero", O_RDONLY); if (read(zero, g_mapped, 4096) != 4096) return 1;',
    "position": 'char c[2] = {}; if (read(g_file, c, 1) != 1 || c[0] != \'a\') return 1;',
    "locks a file": "struct flock l{}; l.l_type = F_RDLCK; if (fcntl(g_file, F_SETLK, &l) != 0) return 1;",
    "munmap": "munmap(g_mapped, 4096); if (g_mapped[4096] != 5) return 1;",
    "munmap of all, and again": "munmap(g_mapped, 8192); if (mmap(g_mapped, 8192, 3, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != g_mapped) return 1; g_mapped[0] = 1;",
    "large block": "memset(g_large, 7, 9000); free(g_large); g_large = malloc(3 << 20); if (g_large == nullptr) return 1;",
    "large block used after it is freed": "free(g_large); g_sum = *static_cast<volatile char*>(g_large);",
    "crash": "if (g_sum == 2) *static_cast<volatile int*>(nullptr) = 1;",
    "heap": "for (int i = 0; i < 5000; ++i) if (malloc(1000) == nullptr) return 1;",
}
CRASHES = ("crash", "large block used after it is freed")
SOURCE = """
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <mutex>
#include <thread>
alignas(4096) char g_pages[8192];
std::mutex g_lock;
int g_sum;
void* g_large = memset(malloc(3 << 20), 1, 3 << 20);
char* g_mapped;
int g_pipe[2];
int g_file;
__attribute__((constructor)) void begin() {
  g_mapped = static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  g_mapped[0] = g_mapped[4096] = 5;
  if (pipe(g_pipe) != 0) abort();
  g_file = open(FILE_NAME, O_RDWR);
}
int deep(int levels) { volatile char page[8192]; page[0] = 1; return levels == 0 ? 0 : deep(levels - 1) + page[0]; }
void add() { std::lock_guard<std::mutex> guard(g_lock); ++g_sum; }
int main() {
  if (g_mapped[0] != 5 || g_mapped[4096] != 5) return 9;
  for (int i = 0; i < 3 << 20; i += 64) if (static_cast<char*>(g_large)[i] != 1) return 9;
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
    file_name = os.path.join(folder, "file")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE % code)
    with open(file_name, "w", encoding="utf-8") as file:
        file.write("ab")
    subprocess.run(["g++", "-O1", "-g", "-pthread", f'-DFILE_NAME="{file_name}"', "-o", binary, source], check=True)
    return binary


def run(arguments):
    done = subprocess.run([RESTORING, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=expect.PATIENCE)
    return done.returncode, (done.stdout + done.stderr).strip()


def compared(command, outside=None):
    status, text = run(["--compare", str(SEEDS), *command])
    if status != 0 and not outside:
        raise Problem(text)
    return text.splitlines()[-1]


def flat(_):
    status, text = run(["--long", str(LONG), os.path.join(expect.BUILD, "tests", "programs", "leaves_things")])
    if status != 0:
        raise Problem(text)
    return text


def fuzz(binary, *options):
    with expect.scratch() as out:
        return expect.raddle(["fuzz", "-n", "40", "--out", out, *options, "--", binary])


def declined(item):
    code, reason = DECLINED[item[1]]
    with expect.scratch() as folder:
        binary = compile_program(folder, item[1], code)
        status, result = fuzz(binary)
        _, doctor = expect.raddle(["doctor", "--", binary])
        _, forked = fuzz(binary, "--fork")
    said = result["out_of_control"]["forked_because"]
    if status not in (0, 3) or said != reason:
        raise Problem(f"exit status {status}, {said!r}, not {reason!r}")
    if forked["out_of_control"]["forked_because"]:
        raise Problem(f"--fork: {forked['out_of_control']}")
    if not any(check["what"] == "restoring" and reason in check["detail"] for check in doctor["checks"]):
        raise Problem(f"doctor does not say why: {doctor['checks']}")
    return said


def restored(item):
    with expect.scratch() as folder:
        binary = compile_program(folder, item[1], RESTORED[item[1]])
        status, text = run(["--compare", "20", binary])
        if status != 0 or "20 of 20 restored" not in text:
            raise Problem(text)
        status, result = fuzz(binary)
        _, doctor = expect.raddle(["doctor", "--", binary])
    if status != (1 if item[1] in CRASHES else 0) or result["out_of_control"]["forked_because"]:
        raise Problem(f"exit status {status}, {result['out_of_control']}")
    if any(check["what"] == "restoring" and check["level"] != "ok" for check in doctor["checks"]):
        raise Problem(f"{doctor['checks']}")
    return text


def explored(_):
    """The explorers, whose redundant executions end in the middle of everything: the same counts, and all restored."""
    said = []
    for name in ("philosophers", "two_locks", "lost_wakeup"):
        program = expect.named(name).command()
        for strategy in ("dpor", "dfs", "icb"):
            results = []
            for options in ((), ("--fork",)):
                with expect.scratch() as out:
                    status, result = expect.raddle(["explore", "--strategy", strategy, "--keep-going", "--limit", "2000", "--out", out, *options,
                                                    "--", *program])
                if result["out_of_control"]["forked_because"]:
                    raise Problem(f"{name}, {strategy}: {result['out_of_control']}")
                results.append((status, result["executions"], result["by_preemptions"], [f["message"] for f in result["findings"]]))
            if results[0] != results[1]:
                raise Problem(f"{name}, {strategy}: {results}")
            said.append(str(results[0][1]))
    return f"{', '.join(said)} executions"


def went_on_from_middle(command, room=""):
    """Explored with and without points in the middle: the same executions in the same order. How many went on from one.
    room: ":GAP:PAGES", how far apart points are at least, and how many pages they may have."""
    done = subprocess.run([MIDDLE, "--compare", str(EXPLORED) + room, *command], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=expect.PATIENCE)
    text = (done.stdout + done.stderr).strip()
    if done.returncode != 0:
        raise Problem(text)
    went_on, executions = (int(number) for number in re.search(r": (\d+) of (\d+) executions went on", text).groups())
    return went_on, executions, text.splitlines()[-1]


def middle(item):
    return went_on_from_middle(item[2])[2]


def dense(item):
    """A point at every other step, of a program too short for points as usual."""
    return went_on_from_middle(item[2], ":2:16384")[2]


# Programs of which many executions go on from a point at every other step, as they touch nothing but memory.
DENSE = ("philosophers", "two_locks", "lost_wakeup")


def many_points(_):
    """The test above looks at points: without them it would show nothing."""
    said = []
    for name in DENSE:
        went_on, executions, text = went_on_from_middle(expect.named(name).command(), ":2:16384")
        if went_on < executions / 4:
            raise Problem(text)
        said.append(text)
    return "; ".join(said)


def little_room(_):
    """Where there is room for fewer points there are fewer, and the same executions: 64 points of this program have thousands of pages."""
    with expect.scratch() as folder:
        source, binary = (os.path.join(folder, name) for name in ("way.cpp", "way"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(WAY % OUTSIDE["memory"][0])
        subprocess.run(["g++", "-O1", "-g", "-pthread", "-o", binary, source], check=True)
        went_on = [went_on_from_middle([binary], f":8:{pages}")[0] for pages in (16384, 120, 0)]
    if not went_on[0] >= went_on[1] > went_on[2] == 0:
        raise Problem(f"{went_on}")
    return f"{went_on[0]}, {went_on[1]} and {went_on[2]} executions went on from the middle"


# What a thread does in the middle of a long way, and whether an execution may go on from behind it.
OUTSIDE = {
    "nothing": ("", True),
    "memory": ("static char pages[1 << 16]; for (char& c : pages) c = char(i);", True),
    "output": ('if (i == 40) { printf("x\\n"); fflush(stdout); }', False),
    "a file": ('if (i == 40) { FILE* f = fopen(FILE_NAME, "a"); fputs("x", f); fclose(f); }', False),
    "a system call in assembly": ('if (i == 40) { long r = 1; asm volatile("syscall" : "+a"(r) : "D"(1), "S"("x"), "d"(1) : "rcx", "r11", "memory"); }', False),
    "a mapping": ("if (i == 40) mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);", False),
    "a blocked signal": ("if (i == 40) { sigset_t s; sigfillset(&s); pthread_sigmask(SIG_BLOCK, &s, nullptr); }", False),
    "a handler": ("if (i == 40) signal(SIGSYS, SIG_IGN);", False),
    "the heap": ("static char* last; free(last); last = static_cast<char*>(malloc(100 + i)); last[0] = char(i);", True),
    "a deep stack": ("volatile char deep[300 << 10]; for (int k = 0; k < 300; ++k) deep[k << 10] = char(i);", True),
}
WAY = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <mutex>
#include <thread>
std::mutex g_own[2], g_shared;
int g_sum;
void walk(int thread) {
  for (int i = 0; i < 120; ++i) {
    std::lock_guard<std::mutex> guard(i >= 117 ? g_shared : g_own[thread]);
    g_sum += i;
    %s
  }
}
int main() {
  std::thread other(walk, 1);
  walk(0);
  other.join();
  return g_sum == 2 * 119 * 60 ? 0 : 1;
}
"""


def way(item):
    """A point is never behind what touches the outside; and what was written there is there as often as without points."""
    code, may = OUTSIDE[item[1]]
    with expect.scratch() as folder:
        source, binary, file_name = (os.path.join(folder, name) for name in ("way.cpp", "way", "file"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(WAY % code)
        subprocess.run(["g++", "-O1", "-g", "-pthread", f'-DFILE_NAME="{file_name}"', "-o", binary, source], check=True)
        went_on, executions, text = went_on_from_middle([binary])
        if item[1] == "a file":
            text += f", {os.path.getsize(file_name)} bytes written"
            # By two threads, both ways; besides, a worker compares some executions with forked ones.
            if os.path.getsize(file_name) < 2 * 2 * executions:
                raise Problem(text)
    if (went_on > executions / 4) != may:
        raise Problem(text)
    return text


def limited(_):
    """What counts CPU time or memory would count all executions together."""
    binary = os.path.join(expect.BUILD, "examples", "account_fixed")
    for limit, reason in (("-t 1000", "its CPU time is limited"), ("-v 100000000", "its memory is limited")):
        done = subprocess.run(["sh", "-c", f"ulimit {limit}; exec {RESTORING} --compare 5 {binary}"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=expect.PATIENCE)
        if done.returncode != 0 or reason not in done.stdout:
            raise Problem(f"{limit}: {done.stdout} {done.stderr}")
    with expect.scratch() as folder:
        binary = compile_program(folder, "input", "if (fcntl(0, F_GETFD) < 0) _exit(3);")
        done = subprocess.run(["sh", "-c", f"ulimit -t 1000; exec {expect.RADDLE} fuzz -n 20 --out {folder}/out -- {binary}"],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=expect.PATIENCE)
        if done.returncode != 0:
            raise Problem(f"its standard input was closed: {done.stdout} {done.stderr}")
    return "forked"


def refuse_userfaultfd():
    """In the process from here on, as containers do: userfaultfd and kcmp give EPERM."""
    load, equal, result, allow, refuse = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050001
    code = [(load, 0, 0, 0), (equal, 2, 0, 323), (equal, 1, 0, 312), (result, 0, 0, allow), (result, 0, 0, refuse)]
    program = b"".join(struct.pack("HBBI", *line) for line in code)
    buffer = ctypes.create_string_buffer(program)
    filters = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, filters, 0, 0) != 0:
        raise OSError("no filter")


def refused(_):
    """Without the calls a small program is copied back whole, and a large one is forked: both said, both the same executions."""
    def inside(*command, **environment):
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=expect.PATIENCE,
                              env={**os.environ, **environment}, preexec_fn=refuse_userfaultfd)
        return done.returncode, done.stdout + done.stderr
    account = os.path.join(expect.BUILD, "examples", "account_fixed")
    resident = os.path.join(expect.BUILD, "bench", "programs", "resident")
    said = []
    for command, environment, part in (([RESTORING, "--compare", str(SEEDS), account], {}, f"{SEEDS} of {SEEDS} restored"),
                                       ([RESTORING, "--compare", "5", resident, "20"], {"RESIDENT_MB": "20"},
                                        "it has more than 4 MiB of memory in use, and the kernel does not tell what an execution writes"),
                                       ([expect.RADDLE, "doctor"], {}, "userfaultfd: Operation not permitted"),
                                       ([expect.RADDLE, "doctor", "--", account], {}, "the kernel does not tell what they wrote, so all is copied")):
        status, text = inside(*command, **environment)
        if status != 0 or part not in " ".join(text.split()):
            raise Problem(f"{command}: {status} {text}")
        said.append(part)
    return "; ".join(said)


def subject(item):
    source = item[1]
    with expect.scratch() as folder:
        program = os.path.join(folder, "subject")
        expect.build(source, program)
        return compared([program])


COMPRESSORS = {
    "pbzip2": ["-p4", "-1", "-b1", "-k", "-f", "INPUT"],
    "pigz": ["-p4", "-1", "-b", "32", "-k", "-f", "INPUT"],
    "xz": ["-T4", "-0", "--block-size=8192", "-k", "-f", "INPUT"],
    "zstd": ["-T4", "-1", "-B524288", "-q", "-k", "-f", "INPUT"],
}


def debian(item):
    program = shutil.which(item[1])
    if program is None:
        raise Problem(f"{item[1]} is not installed (scripts/setup tests)")
    with expect.scratch() as folder:
        source = os.path.join(folder, "input")
        with open(source, "wb") as file:
            file.write(bytes(random.Random(1).choices(b"etaoinshrdlu ", k=150_000)))
        return compared([program, *(part.replace("INPUT", source) for part in COMPRESSORS[item[1]])])


def children(pid):
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(word) for word in done.stdout.split()]


def gone(pids):
    until = time.time() + expect.allowed(10)
    while any(os.path.exists(f"/proc/{pid}") for pid in pids):
        if time.time() > until:
            raise Problem("a process is left")
        time.sleep(0.05)


def left_by(out):
    """The files, each of which must be whole."""
    files = sorted(os.path.relpath(path, out) for path in glob.glob(os.path.join(out, "**"), recursive=True) if os.path.isfile(path))
    for name in files:
        if name.endswith(".replay"):
            expect.raddle(["explain", os.path.join(out, name)])
    return files


def killed_campaign(victims, *options):
    """kill -9 in the middle of a campaign that has found a failure; the files that are there at the end."""
    binary = os.path.join(expect.BUILD, "examples", "account")
    with expect.scratch() as out:
        tool = subprocess.Popen([expect.RADDLE, "fuzz", "--json", "--keep-going", "-n", "1000000000", "--time", "4s", "--out", out, *options,
                                 "--", binary], stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        try:
            found = []
            until = time.time() + expect.allowed(20)
            while not found and time.time() < until:
                time.sleep(0.1)
                found = [(server, execution) for server in children(tool.pid) for execution in children(server) or options and [server]]
            if not found:
                raise Problem("no execution was seen")
            time.sleep(1)  # some failures have been seen by then
            server, execution = found[0]
            if "target" in victims:
                try:
                    os.kill(execution, signal.SIGKILL)
                except ProcessLookupError:  # a forked one has ended by itself
                    if not options:
                        raise
            if "tool" in victims:
                tool.kill()
                tool.wait()
                gone([server, execution])
                return left_by(out), None
            text, _ = tool.communicate(timeout=expect.PATIENCE)
            result = json.loads(text)
            return left_by(out), (tool.returncode, result["out_of_control"]["forked_because"])
        finally:
            tool.kill()
            tool.wait()


def killed(item):
    restoring, end = killed_campaign(item[1].split())
    forking, forked_end = killed_campaign(item[1].split(), "--fork")
    # The time decides how many failures a campaign saved; what kinds of files there are is the same.
    kinds = [{os.path.splitext(name)[1] for name in files} for files in (restoring, forking)]
    if (end is not None and not restoring) or kinds[0] != kinds[1] or end != forked_end:
        raise Problem(f"restored: {restoring} {end}; forked: {forking} {forked_end}")
    return f"{len(restoring)} and {len(forking)} files"


def program_items():
    # Where a timer ends an execution, how far it came is no decision of ours.
    endless = {frozenset(["livelock", "inconclusive"])}
    items = [("program", p.name, p.command(), p.outside) for p in expect.programs([]) if not endless & set(p.expect)]
    items += [("subject", source) for source in SUBJECTS if expect.FULL or os.path.basename(source)[:-4] in GATE_SUBJECTS]
    return items + [("debian", name) for name in COMPRESSORS]


def table():
    print("| program | forked, because |\n|---|---|")
    for item in program_items():
        text = check(item)
        if "; forked: " in text:
            print(f"| {name_of(item).split()[-1]} | {text.split('; forked: ')[1]} |")


KINDS = {"program": lambda item: compared(item[2], item[3]), "declined": declined, "restored": restored, "killed": killed, "flat": flat,
         "limited": limited, "refused": refused, "explored": explored, "middle": middle, "dense": dense,
         "many points": many_points, "little room": little_room, "way": way, "subject": subject, "debian": debian}


def check(item):
    return KINDS[item[0]](item)


def name_of(item):
    return f"{item[0]} {os.path.basename(item[1])}".removesuffix(".cpp")


if __name__ == "__main__":
    if "--table" in sys.argv[1:]:
        table()
        sys.exit(0)
    everything = program_items()
    # Those with few seeds are slow: an execution of theirs waits, or has very many steps.
    everything += [("middle", p.name, p.command()) for p in expect.programs([]) if not p.outside and p.seeds >= 100]
    everything += [("dense", p.name, p.command()) for p in expect.programs([]) if not p.outside and p.seeds >= 100]
    everything += [("many points", ""), ("little room", "")]
    everything += [("way", name) for name in OUTSIDE]
    everything += [("declined", name) for name in DECLINED] + [("restored", name) for name in RESTORED]
    everything += [("killed", "target"), ("killed", "tool"), ("killed", "target and tool"), ("flat", ""), ("limited", ""), ("refused", ""), ("explored", "")]
    chosen = [item for item in everything if not sys.argv[1:] or any(word in name_of(item) for word in sys.argv[1:])]
    expect.run_all(check, chosen, name_of)
