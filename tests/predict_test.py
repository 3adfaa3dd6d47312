#!/usr/bin/env python3
"""raddle predict: what one passing execution implies, whatever the seed; and nothing about programs that are right."""

import os
import subprocess
import unittest

import expect

HERE = os.path.dirname(os.path.abspath(__file__))


class Predict(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = expect.scratch()
        cls.folder = cls.scratch.name

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def built(self, source, *options):
        program = os.path.join(self.folder, os.path.basename(source) + "".join(options))
        if not os.path.exists(program):
            expect.build(os.path.join(HERE, source + ".cpp"), program, *options)
        return program

    def predicted(self, program, seed, status):
        """What one passing execution with this seed implies."""
        file = os.path.join(self.folder, f"{os.path.basename(program)}.{seed}.replay")
        expect.raddle(["run", "--decide", "values", "--seed", str(seed), "--save", file, "--", program], statuses=(0, 1))
        out = os.path.join(self.folder, "out")
        _, result = expect.raddle(["predict", "--out", out, file], statuses=(status,))
        return result

    def test_a_race_that_a_lock_happens_to_order(self):
        program = self.built("predict/published", "-DBROKEN")
        for seed in (1, 2, 3):
            result = self.predicted(program, seed, 1)
            self.assertEqual([finding["kind"] for finding in result["findings"]], ["race"], result)
            self.assertEqual((result["unknown"], result["unconfirmed"]), (0, 0), result)
            again = subprocess.run([expect.RADDLE, "replay", result["findings"][0]["replay"]], capture_output=True, text=True,
                                   check=False)
            self.assertIn("race", again.stdout)
            self.assertNotIn("differ", again.stdout)

    def test_a_deadlock(self):
        result = self.predicted(self.built("explore/causal/crossing", "-DBROKEN"), 1, 1)
        self.assertEqual([finding["kind"] for finding in result["findings"]], ["deadlock"], result)
        self.assertTrue(result["findings"][0]["replays"], result)

    def replayed(self, finding):
        again = subprocess.run([expect.RADDLE, "replay", finding["replay"]], capture_output=True, text=True, check=False)
        return again.stdout

    def test_two_getters(self):
        program = self.built("predict/getters")
        for seed in (1, 2, 3, 4):
            result = self.predicted(program, seed, 0)
            sets = [finding for finding in result["findings"] if finding["kind"] == "atomic-set"]
            self.assertEqual(len(sets), 1, result)
            self.assertEqual((sets[0]["level"], result["unconfirmed"]), ("seen", 0), result)
            self.assertIn("Point", self.replayed(sets[0]))

    def test_what_it_does_counts(self):
        for source, option, level in (("getters", "-DDECLARED", "confirmed"), ("update", "", "harmful")):
            result = self.predicted(self.built("predict/" + source, *([option] if option else [])), 1, 1)
            levels = {finding["kind"]: finding["level"] for finding in result["findings"]}
            self.assertEqual(levels["atomic-set"], level, result)

    def checked(self, program, seed, status):
        command = ["check", "--seed", str(seed), "--out", os.path.join(self.folder, "checked"), "--", program]
        _, result = expect.raddle(command, statuses=(status,))
        # What the execution itself shows needs no prediction: with some seeds it does.
        return result["findings"] + result["predicted"]["findings"]

    def test_check_whatever_the_seed(self):
        for source, option, status in (("getters", "", 0), ("getters", "-DDECLARED", 1), ("update", "", 1)):
            program = self.built("predict/" + source, *([option] if option else []))
            safe = self.built("predict/" + source, "-DSAFE")
            for seed in range(1, 41 if expect.FULL else 5):
                findings = self.checked(program, seed, status)
                self.assertIn("atomic-set", [finding["kind"] for finding in findings], (source, option, seed))
                self.assertEqual(self.checked(safe, seed, 0), [], (source, seed))

    def test_a_hunt_begins_with_witnesses(self):
        for source, options, kind in (("predict/update", (), "atomic-set"), ("predict/getters", ("-DDECLARED",), "atomic-set"),
                                      ("predict/published", ("-DBROKEN",), "race"),
                                      ("explore/causal/crossing", ("-DBROKEN",), "lock-order")):
            program = self.built(source, *options)
            out = os.path.join(self.folder, "hunted")
            budget = f"{expect.allowed(3):.0f}s"  # a hunt goes by the clock
            _, result = expect.raddle(["hunt", "--budget", budget, "--out", out, "--", program], statuses=(1,))
            self.assertGreater(result["predicted"]["confirmed"], 0, (source, result["predicted"]))
            self.assertEqual((result["predicted"]["problem"], result["predicted"]["unconfirmed"]), (None, 0), source)
            # Its first execution showed it, so no other had it in view.
            self.assertIn((kind, 1, 1), [(one["kind"], one.get("tried"), one.get("realised")) for one in result["findings"]], source)

    def test_the_number_of_threads_changes_nothing(self):
        file = os.path.join(self.folder, "jobs.replay")
        program = self.built("predict/update")
        expect.raddle(["run", "--decide", "values", "--seed", "3", "--save", file, "--", program], statuses=(0,))
        results = []
        for jobs in ("1", "2", "5"):
            out = os.path.join(self.folder, "jobs" + jobs)
            _, result = expect.raddle(["predict", "-j", jobs, "--out", out, file], statuses=(1,))
            for finding in result["findings"]:
                with open(finding.pop("replay"), "rb") as witness:
                    finding["replay"] = witness.read()
            results.append(result)
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])
        self.assertGreater(results[0]["effort"], 0)  # the same number each time, and what limits go by

    def test_a_query_over_its_limit(self):
        program = self.built("predict/update")
        file = os.path.join(self.folder, "limit.replay")
        expect.raddle(["run", "--decide", "values", "--seed", "1", "--save", file, "--", program], statuses=(0,))
        _, result = expect.raddle(["predict", "--effort", "1", "--out", os.path.join(self.folder, "out"), file], statuses=(0, 1))
        self.assertGreater(result["unknown"], 0, result)
        shown = subprocess.run([expect.RADDLE, "predict", "--effort", "1", "--out", os.path.join(self.folder, "out"), file],
                               capture_output=True, text=True, check=False).stdout
        self.assertIn(f"{result['unknown']} unknown", " ".join(shown.split()))

    def test_programs_that_do_not_fit(self):
        result = self.predicted(self.built("predict/sleeper"), 1, 3)
        self.assertIn("sleep", result["problem"])
        self.assertEqual(result["findings"], [])

    def test_threads_that_nobody_controls(self):
        program = self.built("predict/outsider")
        result = self.predicted(program, 1, 3)
        self.assertIn("clone()", result["problem"])
        self.assertEqual(result["findings"], [])
        out = os.path.join(self.folder, "out")
        _, explored = expect.raddle(["explore", "--strategy", "causal", "--out", out, "--", program], statuses=(3,))
        self.assertIn("clone()", explored["problem"])
        self.assertFalse(explored["complete"])

    def test_programs_that_are_right(self):
        for source, *options in (("predict/published",), ("explore/causal/crossing",), ("explore/causal/counter",),
                                 ("explore/causal/list",), ("predict/getters", "-DSAFE"), ("predict/twice", "-DSAFE"),
                                 ("predict/update", "-DSAFE")):
            for seed in (1, 2):
                result = self.predicted(self.built(source, *options), seed, 0)
                self.assertEqual((result["findings"], result["problem"], result["unconfirmed"]), ([], None, 0), source)

    def test_a_block_that_takes_a_lock_twice(self):
        result = self.predicted(self.built("predict/twice"), 1, 1)
        atomicity = [finding for finding in result["findings"] if finding["kind"] == "atomicity"]
        self.assertEqual(len(atomicity), 1, result)
        self.assertIn("took", self.replayed(atomicity[0]))

    def test_an_execution_without_values(self):
        program = self.built("predict/published")
        file = os.path.join(self.folder, "plain.replay")
        expect.raddle(["run", "--save", file, "--", program], statuses=(0,))
        done = subprocess.run([expect.RADDLE, "predict", file], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("--decide values", done.stderr)


if __name__ == "__main__":
    unittest.main()
