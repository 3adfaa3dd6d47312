#!/usr/bin/env python3
"""Raddle in an unprivileged container: as nobody, and without personality, userfaultfd, ptrace and perf_event_open (container/container.py).

That the other end-to-end tests pass there, too, is a part of its own: `scripts/test --part container`.

usage: container_test.py [-v] [ContainerTest.NAME...]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import expect

CONTAINER = [sys.executable, os.path.join(expect.TESTS, "container", "container.py")]
PROGRAMS = {name: os.path.join(expect.BUILD, "examples", name) for name in ("account", "account_fixed")}
WARNING = "raddle: warning: address randomisation cannot be switched off (Operation not permitted): "


def refused():
    """Why there can be no container here; empty if there can be one."""
    done = subprocess.run([*CONTAINER, expect.RADDLE, "--version"], capture_output=True, text=True)
    return done.stderr if done.returncode == 77 else ""


@unittest.skipIf(refused(), refused())
class ContainerTest(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="raddle-container-test-")
        os.chmod(self.work, 0o777)

    def tearDown(self):
        shutil.rmtree(self.work)

    def inside(self, *command, **options):
        done = subprocess.run([*CONTAINER, *command], capture_output=True, text=True, cwd=self.work, stdin=subprocess.DEVNULL, **options)
        return done.returncode, done.stdout, done.stderr

    def test_the_first_line_says_what_does_not_work(self):
        status, out, err = self.inside(expect.RADDLE, "run", "--", PROGRAMS["account_fixed"])
        self.assertEqual(status, 0, err)
        self.assertTrue(err.startswith(WARNING), err)
        self.assertIn("docker run", err.splitlines()[0])
        outside = subprocess.run([expect.RADDLE, "run", "--", PROGRAMS["account_fixed"]], capture_output=True, text=True, cwd=self.work)
        self.assertNotIn("warning", outside.stderr)
        out = self.inside(expect.RADDLE, "doctor")[1]
        self.assertIn("with limits", out)
        self.assertIn("ptrace: refused here", out)

    def test_found_and_replayed(self):
        status, out, err = self.inside(expect.RADDLE, "hunt", "--json", "--budget", "3s", "--", PROGRAMS["account"])
        self.assertEqual(status, 1, err)
        # The same execution in every process, wherever its addresses are; and outside of the container.
        hashes = set()
        for carrier in ("fiber", "kernel") * 2:
            status, out, err = self.inside(expect.RADDLE, "replay", "--json", "--carrier", carrier, "raddle-out/1.replay")
            self.assertEqual(status, 1, err)
            report = json.loads(out)
            self.assertTrue(report["same"], report["difference"])
            hashes.add(report["choice_log"])
        self.assertEqual(len(hashes), 1)
        outside = subprocess.run([expect.RADDLE, "replay", "--json", "raddle-out/1.replay"], capture_output=True, text=True, cwd=self.work)
        self.assertTrue(json.loads(outside.stdout)["same"])
        status, _, err = self.inside(expect.RADDLE, "replay", "--gdb", "raddle-out/1.replay")
        self.assertEqual(status, 2)
        self.assertIn("ptrace(2) is refused here", err.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
