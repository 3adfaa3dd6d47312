#!/usr/bin/env python3
"""The examples of the papers that Raddle follows, where a reading of them matters: what AtomFuzzer, the Atomizer, atomic sets
and change-aware exploration say of a program made for the purpose."""

import os
import subprocess
import sys
import unittest

SOURCES = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(SOURCES))
import expect  # noqa: E402


def line_of(source, text):
    with open(os.path.join(SOURCES, source), encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


class Papers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = expect.scratch()
        cls.folder = cls.scratch.name

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def built(self, name, *options, **how):
        program = os.path.join(self.folder, name + "".join(options).replace("/", "_") + ("" if not how else "plain"))
        if not os.path.exists(program):
            expect.build(os.path.join(SOURCES, name + ".cpp"), program, *options, **how)
        return program

    def check(self, program, *options, arguments=(), statuses=(0, 1)):
        _, result = expect.raddle(["check", *options, "--", program, *arguments], statuses=statuses)
        return result

    def fuzz(self, program, executions, *options, arguments=(), statuses=(0, 1)):
        out = os.path.join(self.folder, "out")
        command = ["fuzz", "--keep-going", "-n", str(executions), "--out", out, *options, "--", program, *arguments]
        _, result = expect.raddle(command, statuses=statuses)
        return result

    # ---- Atomizer ----

    def test_one_call_in_each_thread_in_both_orders(self):
        """Every seed shows it: whether the lock gets its second user before or after the block is a matter of the schedule."""
        program = self.built("buffer_once")
        for order in ("0", "1"):
            for seed in range(1, 41):
                result = self.check(program, "--detector", "atomizer", "--seed", str(seed), arguments=(order,))
                found = [finding for finding in result["findings"] if "append" in finding["what"]]
                self.assertEqual(len(found), 1, f"order {order}, seed {seed}: {result['findings']}")
                self.assertLess(result["blocks"]["atomic"], result["blocks"]["entered"])

    def test_the_report_shows_where_calls_come_from(self):
        program = self.built("buffer_once")
        text = subprocess.run([expect.RADDLE, "check", "--detector", "atomizer", "--", program], capture_output=True, text=True,
                              check=False).stderr
        for part, call in (("commits at release", "other.length()"), ("violates at acquire", "other.characters(")):
            self.assertIn(part, text)
            self.assertIn(f"append (buffer_once.cpp:{line_of('buffer_once.cpp', call)})", " ".join(text.split()), text)
        self.assertRegex(text, r"\d of \d blocks were atomic")

    # ---- AtomFuzzer ----

    def test_a_rare_violation_beside_a_frequent_one(self):
        for options, how in ((("--atomic", "annotated"), {}), (("--atomic", "frames"), {"compiler": "c++"})):
            program = self.built("rare_violation", **how)
            result = self.fuzz(program, 2000, "--strategy", "atom", *options)
            again = {step["line"] for entry in result["pursued"] for step in entry["steps"][2:]}
            wanted = {line_of("rare_violation.cpp", "often again"), line_of("rare_violation.cpp", "rare again")}
            self.assertEqual(again, wanted, f"{options}: {result['pursued']}")
            self.assertEqual((result["warnings"], result["errors"], result["bugs"]), (2, 2, 0))
            self.assertGreater(result["slowdown"], 0)
            for entry in result["pursued"]:
                self.assertTrue(entry["steps"][0]["file"].endswith("rare_violation.cpp"), entry)
                self.assertIn(entry["block"], ("often", "rare", "often()", "rare()"))
                shown = subprocess.run([expect.RADDLE, "replay", entry["replay"]], capture_output=True, text=True, check=False)
                self.assertIn("between two acquisitions of one atomic block", " ".join(shown.stdout.split()))
        text = subprocess.run([expect.RADDLE, "fuzz", "-n", "200", "--strategy", "atom", "--out", os.path.join(self.folder, "out"),
                               "--", self.built("rare_violation")], capture_output=True, text=True, check=False).stdout
        self.assertIn("2 possible, 2 came about, 0 with a failure", " ".join(text.split()))
        self.assertNotIn("Nothing found", text)

    def test_a_semaphore_used_as_a_lock(self):
        program = self.built("semaphore_account")
        result = self.fuzz(program, 300, "--strategy", "atom", "--pause-probability", "1", "--atomic", "annotated")
        # As figure 1 with a mutex: each execution.
        self.assertEqual((result["failing"], result["errors"], result["bugs"]), (300, 1, 1), result["pursued"])
        found = self.check(program, "--detector", "atomizer")["findings"]
        self.assertEqual([finding["kind"] for finding in found], ["atomicity"], found)
        # Under a second one, as figure 3.
        for seed in range(1, 6):
            guarded = self.check(program, "--seed", str(seed), arguments=("1",), statuses=(0,))
            self.assertEqual(guarded["findings"], [])
        never = self.fuzz(program, 300, "--strategy", "atom", "--atomic", "annotated", arguments=("1",), statuses=(0,))
        self.assertEqual((never["errors"], never["failing"]), (0, 0), never["pursued"])

    # ---- Atomic sets ----

    def test_a_getter_and_then_a_direct_write(self):
        seen = []
        for seed in range(1, 31):
            result = self.check(self.built("getter_then_write"), "--detector", "atomset", "--seed", str(seed))
            seen += [finding["pattern"] for finding in result["findings"] if "add_one" in finding["what"]]
            if result["findings"]:
                self.assertEqual(sum(result["patterns"].values()), len(result["findings"]))
            fixed = self.check(self.built("getter_then_write", "-DFIXED"), "--detector", "atomset", "--seed", str(seed))
            self.assertEqual(fixed["findings"], [], f"seed {seed}")
        self.assertIn(1, seen)

    def test_sets_over_global_variables(self):
        found = []
        for seed in range(1, 31):
            result = self.check(self.built("global_set"), "--detector", "atomset", "--seed", str(seed))
            found += [finding for finding in result["findings"] if finding["object"] == "range"]
            fixed = self.check(self.built("global_set", "-DFIXED"), "--detector", "atomset", "--seed", str(seed), statuses=(0,))
            self.assertEqual(fixed["findings"], [], f"seed {seed}")
        self.assertTrue(found)

    def test_options_that_bring_the_false_alarms_back(self):
        """30 seeds: each of the three needs one of a few orders of its two threads."""
        program = self.built("false_alarms")
        for what, option in (("entry", "--entry-units"), ("wait", "--no-split-at-wait"), ("fork", "--no-fork-orders")):
            found = []
            for seed in range(1, 31):
                common = ("--detector", "atomset", "--seed", str(seed))
                self.assertEqual(self.check(program, *common, arguments=(what,), statuses=(0,))["findings"], [], f"{what}, {seed}")
                found += self.check(program, *common, option, arguments=(what,))["findings"]
            self.assertTrue(found, option)

    # ---- Change-aware exploration ----

    def test_all_and_some_differ_with_three_threads(self):
        counts = {}
        for level in ("-O0", "-O1", "-O2"):
            program = self.built("three_threads", level)
            out = os.path.join(self.folder, "explored")
            for heuristic in ("LA", "LS", "MA", "MS", "FA", "FS"):
                command = ["explore", "--strategy", "capp", "--patch", os.path.join(SOURCES, "three_threads.patch"), "--sources",
                           SOURCES, "--heuristic", heuristic, "--out", out, "--", program]
                _, result = expect.raddle(command, statuses=(1,))
                counts.setdefault(heuristic, []).append(result["executions"])
        for heuristic, executions in counts.items():
            self.assertEqual(len(set(executions)), 1, f"{heuristic} at -O0, -O1, -O2: {executions}")
        for mode in "LM":
            self.assertNotEqual(counts[mode + "A"], counts[mode + "S"], counts)

    # ---- Messages ----

    def test_no_advice_to_build_what_is_built(self):
        program = self.built("global_set", "-DFIXED")
        text = subprocess.run([expect.RADDLE, "fuzz", "--strategy", "race", "--", program], capture_output=True, text=True,
                              check=False).stdout
        self.assertIn("shows no candidate", text)
        self.assertNotIn("raddle-c++", text)


if __name__ == "__main__":
    unittest.main()
