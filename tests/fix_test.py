#!/usr/bin/env python3
"""Programs with properties under control, and raddle fix: from a failing execution to the property that forbids it, and
what --prove says of the program that has it. The programs are in tests/fix/. RADDLE_BUILD names the build tree."""

import json
import os
import subprocess
import tempfile
import unittest

import expect

PROGRAMS = os.path.join(expect.TESTS, "fix")


class Fix(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_in(self, *command):
        return subprocess.run(command, cwd=self.folder.name, capture_output=True, text=True, timeout=300)

    def raddle(self, status, *arguments):
        result = self.run_in(expect.RADDLE, *arguments)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout

    def build(self, name, *options, out=None):
        built = self.run_in(expect.CXX, "-g", "-O1", "-pthread", *options, os.path.join(PROGRAMS, name + ".cpp"), "-o", out or name)
        self.assertEqual((built.returncode, built.stderr), (0, ""))
        return "./" + (out or name)

    def failing(self, name):
        """The program's first failing execution; explore finds it in every run."""
        self.raddle(1, "explore", "--decide", "all", "--", self.build(name))
        return "raddle-out/1.replay"

    def fixed(self, name, replay):
        """The functions of the property that is written, and the program that has it."""
        written = json.loads(self.raddle(0, "fix", replay, "-o", "fix.mop", "--json"))
        return written, self.build(name, "--instrument", "--mop", "fix.mop", out="fixed")

    def proved(self, status, replay, program):
        return json.loads(self.raddle(status, "fix", "--prove", replay, "--time", "20s", "--json", "--", program))

    def check_fix(self, name, kind, functions):
        replay = self.failing(name)
        written, program = self.fixed(name, replay)
        self.assertEqual((written["kind"], sorted(written["functions"])), (kind, sorted(functions)))
        proof = self.proved(0, replay, program)
        self.assertEqual((proof["found"], proof["proved"]), ("gone", True), proof)
        self.assertGreater(proof["explored"]["executions"], 1)
        self.assertEqual(self.run_in(program).returncode, 0)

    def test_a_lost_update(self):
        self.check_fix("lost_update", "exclusion", ["Account::add", "Account::set"])

    def test_an_order_of_locks(self):
        self.check_fix("lock_order", "exclusion", ["forth", "back"])

    def test_a_use_before_the_initialisation(self):
        replay = self.failing("too_early")
        written, program = self.fixed("too_early", replay)
        self.assertEqual((written["kind"], written["functions"]), ("order", ["Service::configure", "Service::serve"]))
        self.assertTrue(self.proved(0, replay, program)["proved"])

    def test_a_use_of_what_nobody_has_written(self):
        replay = self.failing("never_written")
        written, program = self.fixed("never_written", replay)
        self.assertEqual((written["kind"], written["functions"]), ("order", ["set_up", "serve"]))
        self.assertTrue(self.proved(0, replay, program)["proved"])

    def test_a_property_that_brings_a_deadlock(self):
        replay = self.failing("waits_inside")
        written, program = self.fixed("waits_inside", replay)
        self.assertEqual(sorted(written["functions"]), ["consume", "produce"])
        proof = self.proved(1, replay, program)
        self.assertEqual((proof["found"], proof["proved"]), ("deadlock", False))
        self.assertIn("waits for property OneAtATime_", json.dumps(proof["failure"]))
        self.assertIn(": event enter", json.dumps(proof["failure"]))
        self.raddle(1, "replay", proof["failure"]["replay"])

    def test_what_cannot_be_fixed(self):
        program = self.build("self_deadlock")
        self.raddle(1, "fuzz", "-n", "1", "--", program)
        result = self.run_in(expect.RADDLE, "fix", "raddle-out/1.replay")
        self.assertEqual(result.returncode, 2)
        self.assertIn("self-deadlock is nothing that an order of calls prevents", result.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "raddle-out", "1.mop")))
        program = self.build("philosophers", "--mop", os.path.join(PROGRAMS, "one_fork.mop"), "--instrument")
        self.raddle(0, "run", "--save", "passed.replay", "--", program)
        result = self.run_in(expect.RADDLE, "fix", "passed.replay")
        self.assertEqual(result.returncode, 2)
        self.assertIn("there is nothing to fix", result.stderr)
        self.assertEqual(self.run_in(expect.RADDLE, "fix", "--prove", "raddle-out/1.replay").returncode, 2)
        self.assertEqual(self.run_in(expect.RADDLE, "fix", "--prove", "raddle-out/1.replay", "--", "./self_deadlock").returncode, 2)

    def test_a_program_without_a_property_proves_nothing(self):
        replay = self.failing("waits_inside")
        other = self.build("waits_inside", "-DOTHER", out="other")
        result = self.run_in(expect.RADDLE, "fix", "--prove", replay, "--", other)
        self.assertEqual(result.returncode, 2)
        self.assertIn("./other contains no property", result.stderr)

    def test_enforced_programs_are_explored(self):
        without = self.build("philosophers", out="without")
        self.raddle(1, "explore", "--", without)
        program = self.build("philosophers", "--instrument", "--mop", os.path.join(PROGRAMS, "one_fork.mop"))
        result = json.loads(self.raddle(0, "explore", "--json", "--", program))
        self.assertTrue(result["complete"], result)
        for carrier in ("fiber", "kernel"):
            told = self.raddle(1, "explore", "--carrier", carrier, "--out", carrier, "--", program, "left")
            self.assertIn("waits for property OneFork: event acquire", told)
            self.assertIn("2 threads wait and nobody is left to wake them", told)
            self.assertIn('T1 "philosopher"', told)
        self.raddle(0, "fuzz", "-n", "200", "--", program)


if __name__ == "__main__":
    unittest.main()
