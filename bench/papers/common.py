"""What the tables of bench/papers share: the tools, programs and what they cost."""

import concurrent.futures
import functools
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("RADDLE_BUILD", os.path.join(ROOT, "build")))
RADDLE = os.path.join(BUILD, "bin", "raddle")
CXX = os.path.join(BUILD, "bin", "raddle-c++")
NATIVE_CXX = "clang++-19"
SUBJECTS = os.path.join(ROOT, "tests", "subjects")
PROGRAMS = os.path.join(ROOT, "bench", "papers", "programs")


class Subject:
    """A program of a paper, written anew: its source, what it is compiled with, and what the paper calls it."""

    def __init__(self, name, source, *defines, paper=""):
        self.name = name
        self.source = source
        self.defines = defines
        self.paper = paper

    def build(self, folder, level="-O1", native=False):
        program = os.path.join(folder, re.sub(r"\W", "_", self.name) + ("_native" if native else ""))
        subprocess.run([NATIVE_CXX if native else CXX, "-std=c++20", level, "-g", "-pthread", "-I" + os.path.join(ROOT, "include"),
                        *self.defines, self.source, "-o", program], check=True)
        return program

    def twin(self):
        """The program without the bug: NAME_fixed.cpp, or the same one with -DFIXED."""
        source = self.source.replace(".cpp", "_fixed.cpp")
        if os.path.exists(source):
            return Subject(self.name + ", fixed", source, *self.defines, paper=self.paper)
        return Subject(self.name + ", fixed", self.source, *self.defines, "-DFIXED", paper=self.paper)


def subject(name, paper=""):
    """tests/subjects/NAME.cpp"""
    return Subject(name, os.path.join(SUBJECTS, name + ".cpp"), paper=paper)


def own(name, source, *defines, paper=""):
    """bench/papers/programs/SOURCE.cpp, compiled with these definitions"""
    return Subject(name, os.path.join(PROGRAMS, source + ".cpp"), *("-D" + d for d in defines), paper=paper)


def subjects():
    sources = sorted(glob.glob(os.path.join(SUBJECTS, "*.cpp")))
    return [subject(os.path.basename(s)[: -len(".cpp")]) for s in sources if not s.endswith("_fixed.cpp")]


def chosen(all_of_them, names):
    return [s for s in all_of_them if not names or any(name.lower() in s.name.lower() for name in names)]


def scratch():
    return tempfile.TemporaryDirectory(prefix="raddle-papers-")


def raddle(*arguments):
    """The object that the command prints."""
    done = subprocess.run([RADDLE, arguments[0], "--json", *arguments[1:]], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"raddle {' '.join(arguments)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def fuzz(program, strategy, executions, folder, *options):
    return raddle("fuzz", "--keep-going", "--timeout", "20s", "-n", str(executions), "--strategy", strategy,
                  "--out", os.path.join(folder, "out"), *options, "--", program)


@functools.lru_cache(maxsize=None)
def measure():
    """The program that measures, built once; it goes with the folder when the script ends."""
    folder = scratch()
    program = os.path.join(folder.name, "measure")
    subprocess.run([NATIVE_CXX, "-O1", os.path.join(ROOT, "bench", "papers", "measure.cpp"), "-o", program], check=True)
    return folder, program


def used(command):
    """CPU seconds of the process and its children, and the largest resident set of one of them in MiB. Exit status 1 is all right: the
    bug struck, or raddle found something. So is a signal, if the program itself runs."""
    folder, program = measure()
    with tempfile.NamedTemporaryFile("r", dir=folder.name) as result:
        done = subprocess.run([program, result.name, *command], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode not in (0, 1) and (command[0] == RADDLE or done.returncode < 128):
            sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
        with open(result.name, encoding="ascii") as file:
            seconds, memory = file.read().split()
    return float(seconds), int(memory) / 1024


def median_use(commands, rounds):
    """{name: (CPU seconds, MiB)} of {name: command}, which take turns; medians, after one round to warm up."""
    measured = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            use = used(command)
            if number > 0:
                measured[name].append(use)
    return {name: tuple(statistics.median(column) for column in zip(*rows)) for name, rows in measured.items()}


def each(work, items, jobs):
    """work(item) for all of them, a few at a time; results in the order of the items, as soon as they are there."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(work, items)


def head(*columns):
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|", flush=True)


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else 0.0
