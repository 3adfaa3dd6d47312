#!/usr/bin/env python3
"""Schedules of unit tests under control: a constraint on executions, exact blocking, replay; Catch2 and doctest."""

import os
import re
import subprocess
import tempfile
import unittest

import expect

FOLDER = os.path.join(expect.BUILD, "tests", "schedules")
RADDLE = os.path.join(expect.BUILD, "bin", "raddle")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("RADDLE_")}


def run(*arguments, cwd=None):
    done = subprocess.run(arguments, env=CLEAN, cwd=cwd, capture_output=True, timeout=expect.PATIENCE, check=False)
    return done.returncode, done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")


def program(name):
    return [os.path.join(FOLDER, "controlled"), name]


class UnderTheTool(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def raddle(self, *arguments):
        return run(RADDLE, *arguments, cwd=self.folder.name)

    def test_only_executions_that_satisfy_it_are_run(self):
        for name in ("queue", "blocked"):
            for more in ([], ["--carrier", "kernel"], ["--clock", "adversarial"]):
                if name == "blocked" and "adversarial" in more:
                    continue  # its sleep may take no time there, but the hour may be over, too
                with self.subTest(name=name, more=more):
                    status, out = self.raddle("fuzz", "-n", "100", *more, "--", *program(name))
                    self.assertEqual(status, 0, out)
                    self.assertGreater(int(re.search(r"(\d+) different schedules", out)[1]), 4, out)

    def test_without_the_schedule_the_same_program_fails(self):
        status, out = self.raddle("fuzz", "-n", "100", "--", os.path.join(FOLDER, "without_schedule"), "queue")
        self.assertEqual(status, 1, out)

    def test_what_is_left_open_is_explored_and_replays(self):
        status, out = self.raddle("fuzz", "-n", "500", "--", *program("open"))
        self.assertEqual(status, 1, out)
        self.assertIn("assertion `balance == 3' failed", out)
        file = re.search(r"replay (\S+\.replay)", out)[1]
        for carrier in ("fiber", "kernel"):
            status, out = self.raddle("replay", "--carrier", carrier, file)
            self.assertEqual(status, 1, out)
            self.assertIn("assertion `balance == 3' failed", out)

    def test_a_stuck_schedule_is_no_deadlock(self):
        status, out = self.raddle("fuzz", "-n", "20", "--", *program("stuck"))
        self.assertEqual(status, 1, out)
        text = re.sub(r"\s+", " ", out)
        self.assertIn("is stuck: holder is held at `b`, which waits for `a`, by `a -> b`", text)
        self.assertNotIn("deadlock", out)
        status, out = self.raddle("fuzz", "-n", "20", "--", *program("deadlock"))
        self.assertEqual(status, 1, out)
        self.assertNotIn("stuck", out)

    def test_failures_of_a_schedule_are_failures_of_the_execution(self):
        for name, text in (("ended", "`b` cannot happen: other, the thread of `a`, had ended"),
                           ("violated", "violated: `b` happened in main when `a` had not happened")):
            with self.subTest(name=name):
                status, out = self.raddle("fuzz", "-n", "100", "--", *program(name))
                self.assertEqual(status, 1, out)
                self.assertIn(text, re.sub(r"\s+", " ", out))


class TestsOfTheBench(unittest.TestCase):
    """The 30 scheduled tests of bench/schedules, all in one execution, under control."""

    PROGRAM = [os.path.join(expect.BUILD, "bench", "scheduled_tests"), "--gtest_filter=-*Sleeping.*:*ByHand.*"]

    def test_each_passes_in_fuzzed_executions(self):
        for executions, more in ((100, []), (100, ["--strategy", "pos"]), (100, ["--strategy", "pct", "--spurious-wakeups"]),
                                 (20, ["--carrier", "kernel"])):
            with self.subTest(more=more), tempfile.TemporaryDirectory() as folder:
                status, out = run(RADDLE, "fuzz", "-n", str(executions), *more, "--", *self.PROGRAM, cwd=folder)
                self.assertEqual(status, 0, out)
                self.assertIn(f"{executions} executions passed", out)

    def test_their_twins_do_not(self):
        with tempfile.TemporaryDirectory() as folder:
            status, out = run(RADDLE, "fuzz", "-n", "100", "--", self.PROGRAM[0], "--gtest_filter=LatchSleeping.*", cwd=folder)
            self.assertEqual(status, 1, out)


class InProcess(unittest.TestCase):
    def check(self, name, strategy):
        return run(os.path.join(FOLDER, "in_process"), name, strategy)

    def test_a_schedule_is_a_constraint(self):
        for strategy in ("random", "dfs", "dpor"):
            with self.subTest(strategy=strategy):
                status, out = self.check("ordered", strategy)
                self.assertEqual(status, 0, out)
                self.assertIn("exhausted" if strategy != "random" else "open", out)

    def test_tests_of_the_bench_pass_in_all_executions(self):
        for name in ("queue", "barrier"):
            with self.subTest(name=name):
                status, out = self.check(name, "random")
                self.assertEqual(status, 0, out)
                self.assertGreaterEqual(int(re.search(r"passed (\d+) executions", out)[1]), 100, out)

    def test_what_is_open_is_explored_and_replays(self):
        for strategy in ("random", "dpor"):
            with self.subTest(strategy=strategy):
                status, out = self.check("open", strategy)
                self.assertEqual(status, 1, out)
                self.assertIn("assertion `balance == 3' failed", out)
                replay = re.search(r"RADDLE_REPLAY=(\S+)", out)[1]
                CLEAN["RADDLE_REPLAY"] = replay
                self.addCleanup(CLEAN.pop, "RADDLE_REPLAY", None)
                status, again = self.check("open", strategy)
                CLEAN.pop("RADDLE_REPLAY")
                self.assertEqual(status, 1, again)
                self.assertIn("assertion `balance == 3' failed", again)

    def test_a_stuck_schedule_is_named(self):
        status, out = self.check("stuck", "random")
        self.assertEqual(status, 1, out)
        self.assertIn("is stuck: ", re.sub(r"\s+", " ", out))


class WithoutControl(unittest.TestCase):
    """Blocked threads: from the intercepted primitives if libraddle.so is there, from the kernel otherwise."""

    def check(self, name, *more, program="native", **settings):
        environment = {**CLEAN, "RADDLE_SCHEDULE_LIMIT": "1", **settings}
        done = subprocess.run([os.path.join(FOLDER, program), name, *more], env=environment, capture_output=True,
                              timeout=expect.PATIENCE, check=False)
        return done.returncode, done.stderr.decode(errors="replace")

    PRELOADED = {"LD_PRELOAD": os.path.join(expect.BUILD, "bin", "libraddle.so")}

    def test_the_kernel_says_who_is_blocked(self):
        for name in ("conditions", "semaphores", "woken", "futex"):
            with self.subTest(name=name):
                self.assertEqual(self.check(name), (0, ""))

    def test_the_runtime_says_who_is_blocked_where_the_kernel_cannot(self):
        for name in ("conditions", "semaphores", "woken"):
            with self.subTest(name=name):
                self.assertEqual(self.check(name, "blind", **self.PRELOADED), (0, ""))
                self.assertEqual(self.check(name, "blind", program="native_linked"), (0, ""))
        status, said = self.check("conditions", "blind")
        self.assertNotEqual(status, 0, said)  # the schedule gives up after a second, and nobody waits

    def test_what_the_runtime_does_not_see_comes_from_the_kernel(self):
        self.assertEqual(self.check("futex", **self.PRELOADED), (0, ""))
        self.assertEqual(self.check("futex", program="native_linked"), (0, ""))


class WithThreadSanitizer(unittest.TestCase):
    """Its thread, which sleeps for ever, is none of the program's; and it finds no race in the library."""

    def test_what_is_stuck_is_found_at_once(self):
        path = os.path.join(FOLDER, "sanitized")
        if not os.path.exists(path):
            self.skipTest("this is a build with sanitizers")
        status, out = run(path, "stuck")
        if "unexpected memory mapping" in out:
            self.skipTest("this ThreadSanitizer does not work with this kernel")
        self.assertNotEqual(status, 0, out)
        self.assertIn("stuck: no thread can go on", out)
        self.assertNotIn("data race", out)


class Frameworks(unittest.TestCase):
    def test_catch2_and_doctest_run_each_schedule_and_report_failures(self):
        for name in ("catch2_schedules", "doctest_schedules"):
            path = os.path.join(FOLDER, name)
            if not os.path.exists(path):
                continue
            with self.subTest(name=name):
                status, out = run(path, "-s")
                self.assertNotEqual(status, 0, out)
                for text in ("a -> beforeB", "b -> beforeA", "`never` never happened",
                             "the schedule cannot be read: expected an event after `->`"):
                    self.assertIn(text, re.sub(r"\s+", " ", out))
                self.assertRegex(out, r"test cases: +3 \| +1 passed \| +2 failed")


if __name__ == "__main__":
    unittest.main()
