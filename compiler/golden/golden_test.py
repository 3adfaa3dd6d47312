#!/usr/bin/env python3
"""Each program here, compiled by raddle-cc or raddle-c++ at -O0 and -O2, gives exactly the events in
expected/NAME.O0.txt and expected/NAME.O2.txt, and natively the same exit status. They were written down with libstdc++ 12; with
another C++ library only the events at the programs' own lines are compared, and not what the library does.

usage: golden_test.py [--update] [NAME...]
The environment variable RADDLE_BUILD names the build tree.
"""

import difflib
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("RADDLE_BUILD", os.path.join(HERE, "..", "..", "build"))


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)


def events(source, level, folder):
    """Returns the event list as text, and checks that the native run ends as the traced one does."""
    program = os.path.join(folder, "program")
    plus = source.endswith(".cpp")
    driver = os.path.join(BUILD, "bin", "raddle-c++" if plus else "raddle-cc")
    standard = "-std=gnu++20" if plus else "-std=gnu17"
    built = run([driver, standard, level, "-Wall", "-Werror", "-Wno-vla-cxx-extension", source, "-o", program, "-latomic"])
    if built.returncode != 0 or built.stderr:
        raise AssertionError(f"does not compile:\n{built.stderr[:1000]}")
    native = run([program])
    dump = os.path.join(folder, "dump")
    library = os.path.join(BUILD, "tests", "libraddle_dump.so")
    traced = run(["setarch", "-R", program], env={**os.environ, "LD_PRELOAD": library, "RADDLE_DUMP": dump})
    if native.returncode != 0 or traced.returncode != 0:
        raise AssertionError(f"ends with {native.returncode} natively and {traced.returncode} traced\n{traced.stderr}")
    with open(dump, encoding="utf-8") as file:
        return file.read()


def library_is_the_same():
    macros = run([os.path.join(BUILD, "bin", "raddle-c++"), "-x", "c++", "-dM", "-E", "-include", "cstddef", "/dev/null"]).stdout
    return re.search(r"define _GLIBCXX_RELEASE (\d+)", macros).group(1) == "12"


def own_events(text, name):
    """The events at a place of the program, and the atomic ones behind one; without numbers of objects."""
    own = []
    for line in text.splitlines():
        what, _, places = line.partition(" @ ")
        if f" {name}:" in places.split(" < ")[0]:
            own.append(f"{what} @ {places.split(' < ')[0]}\n")
        elif " atomic_" in what and f" {name}:" in places:
            own.append(f"{what} @ {places.split(' < ')[-1]}\n")
    return re.sub(r"&\d+", "&", "".join(own))


def check(source, level, update):
    stem = os.path.splitext(os.path.basename(source))[0]
    path = os.path.join(HERE, "expected", f"{stem}.{level[1:]}.txt")
    with tempfile.TemporaryDirectory() as folder:
        seen = events(source, level, folder)
    if update:
        with open(path, "w", encoding="utf-8") as file:
            file.write(seen)
        return
    with open(path, encoding="utf-8") as file:
        wanted = file.read()
    if not library_is_the_same():
        seen, wanted = (own_events(text, os.path.basename(source)) for text in (seen, wanted))
    if seen != wanted:
        lines = difflib.unified_diff(wanted.splitlines(), seen.splitlines(), "expected", "seen", lineterm="")
        raise AssertionError("\n".join(lines))


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    update = "--update" in sys.argv
    sources = sorted(glob.glob(os.path.join(HERE, "*.c")) + glob.glob(os.path.join(HERE, "*.cpp")))
    failed = 0
    for source in sources:
        name = os.path.basename(source)
        if name == "dump.cpp" or (arguments and not any(a in name for a in arguments)):
            continue
        for level in ("-O0", "-O2"):
            try:
                check(source, level, update)
            except (AssertionError, OSError, subprocess.TimeoutExpired) as problem:
                failed += 1
                print(f"{name} {level}: {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
