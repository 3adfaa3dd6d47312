#!/usr/bin/env python3
"""Which sources of a target are compiled together, as one file: compile_groups.py FILE...

Prints the number of a group for each file, in the order of the files. A group has neighbours of up to LINES lines in all.
No two of its files define the same name for themselves (in an unnamed namespace, or static), for these would clash.
"""

import re
import sys

LINES = 1000
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
    groups = []  # (names, lines)
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        names = own_names(lines)
        # Not all earlier ones: files of one folder include the same headers.
        for number in range(max(0, len(groups) - 3), len(groups)):
            taken, size = groups[number]
            if size + len(lines) <= LINES and not taken & names:
                groups[number] = (taken | names, size + len(lines))
                break
        else:
            number = len(groups)
            groups.append((names, len(lines)))
        print(number)


main()
