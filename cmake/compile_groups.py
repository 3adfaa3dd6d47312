#!/usr/bin/env python3
"""Which sources of a target are compiled together, as one file: compile_groups.py FILE...

Prints the number of a group for each file, in the order of the files. A group has files of one folder, of up to LINES lines in
all. No two of them define the same name for themselves (in an unnamed namespace, or static), for these would clash.

The linker takes an object file whole, with the libraries that any part of it needs. libraddle_check.so, which users link into their
tests, wants the names of objects and the text of failures, but not trace and replay files with their zstd: one more library to
load makes every thread that a test creates dearer. So the files of ALONE are compiled each on its own.
"""

import os
import re
import sys

LINES = 1000
ALONE = ("host/trace", "host/replay", "host/report")  # folders, without what is below them
TYPE = re.compile(r"(?:struct|class|enum class|enum|union)\s+(?:\[\[\w+\]\]\s*)?(\w+)")
ALIAS = re.compile(r"using (\w+)\s*=")
OTHERS = re.compile(r"(?:\[\[\w+\]\]\s*)?[^=({;\[]*?(\w+)\s*[=({;\[]")
NO_NAMES = {"TEST", "TEST_F", "TEST_P", "static_assert", "INSTANTIATE_TEST_SUITE_P"}


def own_names(lines):
    """What clang-format puts at the start of a line there is a definition."""
    names, inside = set(), False
    for line in lines:
        if line.startswith("namespace {"):
            inside = True
        elif line.rstrip() == "}  // namespace":
            inside = False
        elif line[:1] not in (" ", "#", "/", "}", "\n", "") and (inside or line.startswith("static ")):
            match = TYPE.match(line) or ALIAS.match(line) or OTHERS.match(line)
            if match:
                names.add(match.group(1))
    return names - NO_NAMES


def main():
    groups = []  # (folder, names, lines)
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        names = own_names(lines)
        folder = os.path.dirname(os.path.abspath(path))
        alone = folder.endswith(ALONE) and not path.endswith("_test.cpp")
        # Not all earlier ones: files of one folder include the same headers.
        for number in range(max(0, len(groups) - 3), len(groups)):
            there, taken, size = groups[number]
            if not alone and there == folder and size + len(lines) <= LINES and not taken & names:
                groups[number] = (folder, taken | names, size + len(lines))
                break
        else:
            number = len(groups)
            groups.append((folder, names, len(lines)))
        print(number)


main()
