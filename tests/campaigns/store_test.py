#!/usr/bin/env python3
"""The store of campaigns, end to end: what raddle findings, forget and import make of it over commits and builds, what a damaged one
gets, that the questions of docs/store.md have answers, and that kill -9 at any moment of a hunt loses nothing that was found.

usage: store_test.py [NAME...]     only what has one of these in its name
"""

import contextlib
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import expect  # noqa: E402
from expect import Problem  # noqa: E402

ACCOUNT = os.path.join(expect.BUILD, "examples", "account")
FIXED = os.path.join(expect.BUILD, "examples", "account_fixed")


def run(*arguments, cwd, statuses=(0, 1, 3)):
    done = subprocess.run([expect.RADDLE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=expect.PATIENCE,
                          check=False, cwd=cwd)
    if done.returncode not in statuses:
        raise Problem(f"exit status {done.returncode}: raddle {' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return done


def asked(folder, *arguments, statuses=(0, 1)):
    return json.loads(run(arguments[0], "--json", *arguments[1:], cwd=folder, statuses=statuses).stdout)


def commit(folder, program):
    """The program as it is at a new commit; the commit."""
    shutil.copy(program, os.path.join(folder, "bank"))
    git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b.c"]
    if not os.path.exists(os.path.join(folder, ".git")):
        subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "bank"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def hunt(folder, *arguments):
    return asked(folder, "hunt", "--budget", "3s", *arguments, "--", "./bank", statuses=(0, 1, 3))


def expect_states(result, **states):
    for name, number in states.items():
        if result[name] != number:
            raise Problem(f"{name}: {result[name]} instead of {number}:\n{json.dumps(result, indent=1)}")


def lives(_):
    with expect.scratch() as folder:
        first = commit(folder, ACCOUNT)
        found = hunt(folder)
        result = asked(folder, "findings", statuses=(1,))
        failing = [one for one in result["findings"] if one["level"] == "failing"]
        if len(failing) != found["failing"] or result["new"] != result["open"] or result["fixed"] != 0:
            raise Problem(f"not all new: {result}")
        if failing[0]["first_commit"] != first or not os.path.exists(os.path.join(folder, failing[0]["replay"])):
            raise Problem(f"commit or replay file: {failing[0]}")
        total = result["open"]
        # The same build again: nothing is new, nothing is fixed.
        hunt(folder)
        again = asked(folder, "findings", statuses=(1,))
        expect_states(again, fixed=0, back_again=0)
        if again["open"] < total:
            raise Problem(f"less than before: {again}")
        total = again["open"]
        second = commit(folder, FIXED)
        hunt(folder)
        result = asked(folder, "findings")
        failing = [one for one in result["findings"] if one["level"] == "failing"]
        if any(one["state"] != "fixed" for one in failing):
            raise Problem(f"not fixed: {failing}")
        text = run("findings", cwd=folder).stdout
        if not re.search(r"^fixed +\d+  FAILING", text, re.M):
            raise Problem(f"the text does not say so:\n{text}")
        third = commit(folder, ACCOUNT)
        hunt(folder)
        result = asked(folder, "findings", "--since", second, statuses=(1,))
        if result["back_again"] < 1:
            raise Problem(f"not back again: {result}")
        # Seen from the third commit on nothing is new; from before the first one, everything is.
        expect_states(asked(folder, "findings", "--since", third, statuses=(1,)), new=0, back_again=0)
        expect_states(asked(folder, "findings", "--since", third[:9], statuses=(1,)), new=0)
        for wrong in ("-x", "0123456789abcdef"):
            if "commit" not in run("findings", "--since", wrong, cwd=folder, statuses=(2,)).stderr:
                raise Problem("no word of the commit")
        # Forget one, then the test.
        ids = [one["id"] for one in asked(folder, "findings", statuses=(1,))["findings"]]
        run("forget", str(ids[0]), "9999", cwd=folder, statuses=(2,))
        run("forget", cwd=folder, statuses=(2,))
        gone = asked(folder, "forget", str(ids[0]))
        if gone["findings"] != 1 or gone["files"] < 1:
            raise Problem(f"forgotten: {gone}")
        left = [one["id"] for one in asked(folder, "findings", statuses=(0, 1))["findings"]]
        if left != [one for one in left if one != ids[0]] or len(left) != len(ids) - 1:
            raise Problem(f"{left} left of {ids}")
        run("forget", "--test", "./bank", cwd=folder)
        expect_states(asked(folder, "findings"), open=0, fixed=0)


def imports(_):
    with expect.scratch() as folder:
        commit(folder, ACCOUNT)
        hunt(folder, "--out", "one")
        before = asked(folder, "findings", "one", statuses=(1,))
        asked(folder, "import", "one", "--out", "two")
        after = asked(folder, "findings", "two", statuses=(1,))
        if [one["key"] for one in before["findings"]] != [one["key"] for one in after["findings"]]:
            raise Problem(f"{before}\n{after}")
        for one in after["findings"]:
            run("replay", one["replay"], cwd=folder, statuses=(1,))
        if asked(folder, "import", "one", "--out", "two")["campaigns"] != 0:
            raise Problem("the same campaign twice")
        replay = [one["replay"] for one in before["findings"] if one["level"] == "failing"][0]
        if asked(folder, "import", replay, "--out", "three")["findings"] != 1:
            raise Problem("no finding from a replay file")
        run("import", "nothing", "--out", "three", cwd=folder, statuses=(2,))
        run("import", "three", "--out", "three", cwd=folder, statuses=(2,))


def not_ours(_):
    """A file that is named by mistake stays where and as it is."""
    with expect.scratch() as folder:
        for name, text in (("notes.txt", "int main() {}\n"), ("1.replay", "RADDLE"), ("short", "x")):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            for command in (["findings", name], ["import", name], ["forget", "--out", name, "x"], ["hunt", "--resume", name, "--", ACCOUNT]):
                done = subprocess.run([expect.RADDLE, *command], cwd=folder, capture_output=True, text=True, check=False, timeout=expect.PATIENCE)
                if done.returncode != 2 or len(done.stderr.splitlines()) != 1:
                    raise Problem(f"{command}: {done.returncode} {done.stderr}")
                with open(path, encoding="utf-8") as file:
                    if file.read() != text:
                        raise Problem(f"{command} changed {name}")
        left = set(os.listdir(folder)) - {"notes.txt", "1.replay", "short"}
        if any("damaged" in one for one in left):
            raise Problem(f"left: {left}")


def damaged(_):
    with expect.scratch() as folder:
        commit(folder, ACCOUNT)
        hunt(folder)
        path = os.path.join(folder, "raddle-out", "campaign.db")
        known = asked(folder, "findings", statuses=(1,))["open"]
        with open(path, "r+b") as file:
            # Its last pages, which came last: the many schedules, not the few findings.
            file.seek(os.path.getsize(path) - 8192)
            file.write(b"\xee" * 8192)
        said = run("hunt", "--resume", "raddle-out", "--", "./bank", cwd=folder, statuses=(2,)).stderr
        said = expect.own_words(said)
        if said.count("\n") != 1 or "damaged" not in said or "import" not in said:
            raise Problem(f"not one line:\n{said}")
        run("import", "raddle-out/campaign.db.salvaged-1", cwd=folder)
        if asked(folder, "findings", statuses=(0, 1))["open"] not in range(1, known + 1):
            raise Problem("nothing was saved")
        for contents in (b"", b"x" * 5000, b"SQLite format 3\0" + b"\xff" * 200):
            for name in os.listdir(os.path.join(folder, "raddle-out")):
                os.unlink(os.path.join(folder, "raddle-out", name))
            with open(path, "wb") as file:
                file.write(contents)
            # An empty file is a database without tables: a new store.
            run("findings", cwd=folder, statuses=(0,) if contents == b"" else (2,))


def questions(_):
    with open(os.path.join(expect.TESTS, "..", "docs", "store.md"), encoding="utf-8") as file:
        queries = re.findall(r"```sql\n(.*?)```", file.read(), re.S)
    if len(queries) != 5:
        raise Problem(f"{len(queries)} questions in docs/store.md")
    with expect.scratch() as folder:
        commit(folder, ACCOUNT)
        hunt(folder)
        for query in queries:
            done = subprocess.run(["sqlite3", "-readonly", "-box", "raddle-out/campaign.db"], input=query, capture_output=True, text=True,
                                  check=False, cwd=folder)
            # No candidate need be left unconfirmed here; the others have an answer.
            if done.returncode != 0 or done.stderr or (not done.stdout and "FROM candidates" not in query):
                raise Problem(f"{query}{done.stdout}{done.stderr}")


def killed(_):
    """A hunt is killed again and again, and goes on: what it wrote stays, and every finding of the store has a file that replays."""
    draw = random.Random(7)
    rounds = 1000 if expect.FULL else 12
    with expect.scratch() as folder:
        commit(folder, ACCOUNT)
        path = os.path.join(folder, "raddle-out", "campaign.db")
        executions, findings, wrote = 0, set(), 0
        for number in range(rounds):
            resume = ["--resume", "raddle-out"] if executions > 0 else []
            with subprocess.Popen([expect.RADDLE, "hunt", "--budget", "10m", *resume, "--", "./bank"], cwd=folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                time.sleep(draw.uniform(0, 0.5))
                process.kill()
            if not os.path.exists(path) or os.path.getsize(path) == 0:
                continue
            with contextlib.closing(sqlite3.connect(path)) as store:
                if store.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
                    raise Problem(f"kill {number}: the store is damaged")
                if store.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0:
                    continue
                now = store.execute("SELECT coalesce(sum(executions), 0) FROM ranges").fetchone()[0]
                seen = set(store.execute("SELECT key FROM findings"))
                replays = {row[0] for row in store.execute("SELECT replay FROM sightings")}
            if now < executions or not findings <= seen:
                raise Problem(f"kill {number}: {executions} executions, then {now}; {findings - seen} is lost")
            missing = [name for name in replays if not os.path.exists(os.path.join(folder, "raddle-out", name))]
            if missing:
                raise Problem(f"kill {number}: {missing} is not there")
            wrote += now > executions
            executions, findings = now, seen
        result = asked(folder, "findings", statuses=(1,))
        for one in result["findings"]:
            run("replay", one["replay"], cwd=folder, statuses=(1,))
        if wrote < rounds // 4:
            raise Problem(f"only {wrote} of {rounds} hunts wrote anything: too short to say much")
        return f"{rounds} kills, {executions} executions, {len(findings)} findings"


def main():
    names = sys.argv[1:]
    checks = {"lives": lives, "imports": imports, "damaged": damaged, "not ours": not_ours, "questions": questions, "killed": killed}
    chosen = [name for name in checks if not names or any(part in name for part in names)]
    expect.run_all(lambda name: checks[name](name), chosen, str)


main()
