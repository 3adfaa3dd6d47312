#!/usr/bin/env python3
"""The rooms of the repository and the walls between them: who includes what.

The table under "## Walls" in docs/architecture.md says for each room which others it may include; what those may
include, it may as well. This test fails
- on an include that goes through a wall, and prints the room's line of the table;
- on a cycle between folders, even inside a room;
- on a folder with more files than somebody can take in;
- on {fmt} in a room that is to make data, not sentences.

Tests (NAME_test.cpp) and what helps them (testing/) may include more than the code beside them: they
are held to nothing here but that the code must not include them.
"""

import collections
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
MOST_FILES = 40
CROWDED = {"tests/programs"}  # one file is one program
WORDLESS = ("host/describe/",)  # data; only host/report/ puts it into words
SOURCES = (".cpp", ".hpp", ".c", ".h")
OUTSIDE = ("tests/", "bench/", "examples/", "cmake/", "compiler/golden/")


def allowed():
    """{room: rooms it may include}, from the document."""
    with open(os.path.join(ROOT, "docs/architecture.md"), encoding="utf-8") as file:
        section = file.read().split("\n## Walls\n", 1)[1].split("\n## ", 1)[0]
    table = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| `"):
            continue
        room = cells[0].strip("`")
        table[room] = re.findall(r"`([^`]+)`", cells[1])
    assert len(table) > 10, "docs/architecture.md has no table of walls any more"
    return table


def reachable(table):
    """The same with what the included rooms may include."""
    whole = {}
    for room in table:
        seen, todo = [], list(table[room])
        while todo:
            other = todo.pop(0)
            if other not in seen:
                assert other in table, f"docs/architecture.md: {room} may include {other}, which is no room"
                seen.append(other)
                todo += table[other]
        assert room not in seen, f"docs/architecture.md: {room} may include itself through others"
        whole[room] = seen
    return whole


def room_of(path, table):
    """The longest room that the file is in."""
    rooms = [room for room in table if path.startswith(room + "/")]
    return max(rooms, key=len) if rooms else None


def is_test(path):
    return path.endswith("_test.cpp") or "/testing/" in path


def includes(path, files):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            found = re.match(r'\s*#\s*include\s+[<"]([^">]+)[">]', line)
            if not found:
                continue
            for name in (found[1], "include/" + found[1], os.path.join(os.path.dirname(path), found[1])):
                if name in files:
                    yield number, name
                    break


def formats(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return re.search(r"#\s*include\s+<fmt/", file.read()) is not None


def cycles(graph):
    """Strongly connected components of more than one folder (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            component = stack[at:]
            del stack[at:]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def listed():
    """The files that git knows, or will know; those of the folder where there is no git."""
    git = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                         capture_output=True, text=True)
    if git.returncode == 0 and git.stdout:
        return {path for path in git.stdout.split("\n") if path and os.path.exists(os.path.join(ROOT, path))}
    return {os.path.relpath(os.path.join(folder, name), ROOT) for folder, _, names in os.walk(ROOT) for name in names
            if not os.path.relpath(folder, ROOT).startswith(("build", ".git"))}


def main():
    table = reachable(allowed())
    files = listed()
    problems = []
    graph = collections.defaultdict(set)
    edges = collections.defaultdict(list)
    for path in sorted(files):
        if not path.endswith(SOURCES) or path.startswith(OUTSIDE):
            continue
        room = room_of(path, table)
        if room is None:
            problems.append(f"{path}: is in no room; docs/architecture.md lists them under \"Walls\"")
            continue
        if path.startswith(WORDLESS) and not is_test(path) and formats(path):
            problems.append(f"{path}: includes {{fmt}}; sentences are made in host/report/words/")
        for line, other in includes(path, files):
            if is_test(path):
                continue
            if is_test(other):
                problems.append(f"{path}:{line}: includes {other}, which is for tests")
                continue
            there = room_of(other, table)
            if there is None or there != room and there not in table[room]:
                may = ", ".join(table[room]) or "nothing outside it"
                problems.append(f"{path}:{line}: includes {other}; {room} may include: {may}")
            here, folder = os.path.dirname(path), os.path.dirname(other)
            if here != folder:
                graph[here].add(folder)
                graph[folder]  # a node even if it includes nothing
                edges[here, folder].append(f"{path}:{line} -> {other}")
    for component in cycles(graph):
        problems.append("folders that include each other: " + ", ".join(component))
        for here in component:
            for there in component:
                problems += ["    " + edge for edge in edges.get((here, there), [])]
    count = collections.Counter(os.path.dirname(path) for path in files)
    for folder, number in sorted(count.items()):
        if number > MOST_FILES and folder not in CROWDED:
            problems.append(f"{folder}: {number} files; at most {MOST_FILES} in a folder: it wants subfolders")
    if problems:
        print("\n".join(problems))
        print("\nThe rooms, and what each may include, with what that may include (docs/architecture.md):")
        for room, others in allowed().items():
            print(f"  {room:<22} {', '.join(others) or '-'}")
        return 1
    print(f"{len(table)} rooms, {len(graph)} folders: no include through a wall, no cycle")
    return 0


if __name__ == "__main__":
    sys.exit(main())
