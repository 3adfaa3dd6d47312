"""What the end-to-end tests share: the tool, the programs under test, and what each program says of itself.

A program's source begins with comment lines of the form `// key: value`:

  expect    outcomes that its executions have, separated by `|`: each must be seen, no other may be. `a/b` is
            one outcome that may be called either. Words: passed, the kinds of finding, and inconclusive.
  seeds     how many executions with the fiber carrier (100 if absent; a tenth of them, at least 10, with kernel
            threads)
  args      its arguments, as a shell would read them
  options   more options for raddle
  message   regular expression that the message of each finding (or the reason of an inconclusive end) matches
  output    regular expression that is found in what the failing (or passed) execution printed
  misuse    regular expression that some reported misuse matches; without it no misuse may be reported
  cycle     how many threads the cycle of a deadlock has
  seconds   the executions together take no longer than this
  native    `no` if it does not pass when it is started without raddle
  replays   how often a replay file is replayed on each carrier
  outside   what decides about its executions besides the plan (children that run on their own): they differ

A line of source with the comment `// fails here` is the place that a finding names.
"""

import atexit
import concurrent.futures
import ctypes
import functools
import glob
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback

TESTS = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("RADDLE_BUILD", os.path.join(TESTS, "..", "build")))
RADDLE = os.path.join(BUILD, "bin", "raddle")
# RADDLE_TEST_CONTAINER=1: this test, from its beginning, in an unprivileged container.
if os.environ.pop("RADDLE_TEST_CONTAINER", "") == "1":
    os.environ["RADDLE_TEST_COMPILED"] = os.path.join(BUILD, "tests", "container")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    # Not sys.executable inside: that may be in a folder that is not for nobody; then another one in PATH is found.
    os.execv(sys.executable, [sys.executable, os.path.join(TESTS, "container", "container.py"), "python3",
                              os.path.abspath(sys.argv[0]), *sys.argv[1:]])
CXX = os.path.join(BUILD, "bin", "raddle-c++")
CC = os.path.join(BUILD, "bin", "raddle-cc")
# What build() made. Whoever may not write to the build folder names another.
COMPILED = os.environ.get("RADDLE_TEST_COMPILED", os.path.join(BUILD, "tests", "compiled"))
CARRIERS = ("fiber", "kernel")
STRATEGIES = ("random", "pct", "pos", "round-robin")
# No execution of ours comes near it; it is there so that a hang is a failure with a name.
PATIENCE = int(os.environ.get("RADDLE_TEST_PATIENCE", "300"))
# Plain runs take the sizes that can still fail and leave out what takes a minute. RADDLE_TEST_FULL=1 takes everything, as
# `scripts/test --full` does.
FULL = os.environ.get("RADDLE_TEST_FULL") == "1"


def allowed(seconds):
    """What takes `seconds` on a machine with nothing else to do may take so long now: others may be waiting for the cores."""
    return seconds * max(1.0, os.getloadavg()[0] / os.cpu_count())


def fixed_addresses():
    """Whether address randomisation can be switched off here: in many containers it cannot, and Raddle says so in its first line."""
    personality, query, no_randomize = ctypes.CDLL(None).personality, 0xFFFFFFFF, 0x0040000
    before = personality(query)
    if before == -1 or personality(before | no_randomize) == -1:
        return False
    personality(before)
    return True


FIXED_ADDRESSES = fixed_addresses()


def own_words(said):
    """What Raddle said, without that first line."""
    return said if FIXED_ADDRESSES else re.sub(r"^raddle: warning: address randomisation cannot be switched off.*\n", "", said, flags=re.M)


# A frame in gdb's words; newer compilers leave `this` to be seen.
WITHDRAW = r"Account::withdraw \((this=\w+, )?amount"


def can_debug():
    """gdb is there, and may run a program: in many containers it may not."""
    if shutil.which("gdb") is None:
        return False
    done = subprocess.run(["gdb", "-batch", "-nx", "-ex", "run", "/bin/true"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return "exited normally" in done.stdout


class Problem(Exception):
    """A test's failure, as text for whoever reads the log."""


class Program:
    def __init__(self, source):
        self.source = source
        self.name = os.path.relpath(os.path.splitext(source)[0], os.path.join(TESTS, "programs"))
        self.binary = os.path.join(BUILD, "tests", "programs", self.name)
        with open(source, encoding="utf-8") as file:
            lines = file.read().splitlines()
        keys = {}
        for line in lines:
            if not line.startswith("//"):
                break
            match = re.match(r"// ([a-z]+): (.*)", line)
            if match:
                keys[match.group(1)] = match.group(2)
        if "expect" not in keys:
            raise Problem(f"{source}: no `// expect:' line")
        self.expect = [frozenset(part.strip().split("/")) for part in keys.pop("expect").split("|")]
        self.seeds = int(keys.pop("seeds", 100))
        self.args = shlex.split(keys.pop("args", ""))
        self.options = shlex.split(keys.pop("options", ""))
        self.message = keys.pop("message", None)
        self.output = keys.pop("output", None)
        self.misuse = keys.pop("misuse", None)
        self.cycle = keys_int(keys, "cycle")
        self.seconds = keys_int(keys, "seconds")
        self.native = keys.pop("native", "yes") != "no"
        self.replays = keys_int(keys, "replays")
        self.outside = keys.pop("outside", None)
        if keys:
            raise Problem(f"{source}: unknown words {sorted(keys)}")
        self.marked = [n for n, line in enumerate(lines, 1) if "// fails here" in line]

    def command(self):
        return [self.binary, *self.args]

    def always_passes(self):
        return self.expect == [frozenset(["passed"])]


def keys_int(keys, key):
    return int(keys.pop(key)) if key in keys else None


def programs(names=()):
    """All programs, or those whose name contains one of `names`."""
    sources = []
    for pattern in ("*.c", "*.cpp", "libcxx/*.cpp"):
        sources += glob.glob(os.path.join(TESTS, "programs", pattern))
    found = [Program(source) for source in sorted(sources)]
    return [p for p in found if not names or any(name in p.name for name in names)]


def named(name):
    for candidate in programs([name]):
        if candidate.name == name:
            return candidate
    raise Problem(f"there is no program {name}")


@functools.cache
def witness_folder():
    folder = tempfile.TemporaryDirectory(prefix="raddle-witnesses-")
    atexit.register(folder.cleanup)
    return folder.name


def raddle(arguments, statuses=(0, 1, 3), stdin=subprocess.DEVNULL, timeout=PATIENCE):
    """Runs the tool with --json, and returns (exit status, the object that it printed)."""
    command = [RADDLE, arguments[0], "--json", *arguments[1:]]
    if arguments[0] == "check" and "--out" not in arguments:  # witnesses are not to lie about in the checkout
        command[3:3] = ["--out", os.path.join(witness_folder(), "out")]
    try:
        done = subprocess.run(command, stdin=stdin, capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired as late:
        raise Problem(f"no end after {timeout} s: {shlex.join(command)}") from late
    if done.returncode not in statuses:
        raise Problem(f"exit status {done.returncode}: {shlex.join(command)}\n"
                      f"{done.stderr.decode(errors='replace')[-2000:]}")
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError as error:
        raise Problem(f"{error}: {shlex.join(command)}\n{done.stdout[:500]!r}") from error


def build(source, program, *options, compiler=CXX):
    """Compiles one file as a user would, with raddle-c++ unless `compiler` says otherwise. Several tests build the same
    files, so what one of them made is kept in COMPILED, under a name made of everything that went into it."""
    command = [compiler, "-std=c++17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", *options, source]
    digest = hashlib.sha256("\0".join([os.getcwd(), *command]).encode())
    folder = os.path.dirname(source)
    inputs = glob.glob(os.path.join(folder, "*.h")) + glob.glob(os.path.join(folder, "*.hpp"))
    inputs += glob.glob(os.path.join(BUILD, "include", "raddle", "*")) + glob.glob(os.path.join(BUILD, "lib", "raddle", "*"))
    for path in [source, CXX, *sorted(inputs)]:
        with open(path, "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    kept = os.path.join(COMPILED, digest.hexdigest())
    if not os.path.exists(kept):
        done = subprocess.run([*command, "-o", program], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Problem(f"{shlex.join(command)}\n{done.stderr}")
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        unfinished = f"{kept}.{os.getpid()}.{threading.get_ident()}"
        shutil.copy2(program, unfinished)
        os.rename(unfinished, kept)
    else:
        # Not over an older one, whose last process may still be ending.
        shutil.copy2(kept, program + ".new")
        os.replace(program + ".new", program)


def scratch():
    return tempfile.TemporaryDirectory(prefix="raddle-test-")


def run_all(check, items, label, long=()):
    """check(item) for all, a few at a time; prints a line each, and ends the process: 0 if none had a problem.
    Items with a label in `long` are left out of a plain run, unless the command line names what to run."""
    if not FULL and len(sys.argv) == 1:
        left_out = [label(item) for item in items if label(item) in long]
        items = [item for item in items if label(item) not in long]
        if left_out:
            print(f"with RADDLE_TEST_FULL=1 also: {', '.join(left_out)}", flush=True)

    def one(item):
        began = time.monotonic()
        try:
            note = check(item)
            problem = None
        except Problem as error:
            note, problem = None, str(error)
        except Exception:  # a mistake in the test itself is a failure of that item, too
            note, problem = None, traceback.format_exc()
        return item, note, problem, time.monotonic() - began

    failed = 0
    jobs = int(os.environ.get("RADDLE_TEST_JOBS", "2"))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for item, note, problem, seconds in pool.map(one, items):
            verdict = "FAIL" if problem else "ok"
            print(f"{verdict:4} {label(item)}  {seconds:.1f} s{'  ' + note if note else ''}", flush=True)
            if problem:
                failed += 1
                print("     " + problem.replace("\n", "\n     "), flush=True)
    print(f"{len(items)} checked, {failed} failed")
    sys.exit(1 if failed or not items else 0)
