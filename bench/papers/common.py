"""What the tables of bench/papers share: the tools, programs and what they cost."""

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
        """The program without the bug; None if there is none."""
        source = self.source.replace(".cpp", "_fixed.cpp")
        return Subject(self.name + ", fixed", source, *self.defines, paper=self.paper) if os.path.exists(source) else None


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


def used(command):
    """CPU seconds of the process and its children, the largest resident set of one of them in MiB, and what it printed.
    Exit status 1 is all right: the bug struck, or raddle found something. So is a signal, if the program itself runs."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode not in (0, 1) and (command[0] == RADDLE or process.returncode > 0):
            sys.exit(f"{' '.join(command)}: exit status {process.returncode}\n{err.read()[-2000:]}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.read()


def median_use(commands, rounds):
    """{name: (CPU seconds, MiB)} of {name: command}, which take turns; medians, after one round to warm up."""
    measured = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            seconds, memory, _ = used(command)
            if number > 0:
                measured[name].append((seconds, memory))
    return {name: tuple(statistics.median(column) for column in zip(*rows)) for name, rows in measured.items()}


def head(*columns):
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|", flush=True)


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else 0.0
