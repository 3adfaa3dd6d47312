#!/usr/bin/env python3
"""The strategies that learn, on programs of bench/rare: few executions where chance needs thousands, the same ones whatever
-j, failures that replay, twins that are silent."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import expect  # noqa: E402

PROGRAMS = os.path.join(expect.TESTS, "..", "bench", "rare", "programs")
CXX = os.path.join(expect.BUILD, "bin", "raddle-c++")
FOLDER = tempfile.TemporaryDirectory()


def built(source, size, *options, compiler=CXX):
    path = os.path.join(FOLDER.name, "_".join([source, str(size), *(o.strip("-") for o in options), os.path.basename(compiler)]))
    if not os.path.exists(path):
        subprocess.run([compiler, "-std=c++20", "-O1", "-g", "-pthread", f"-DN={size}", *options,
                        os.path.join(PROGRAMS, source + ".cpp"), "-o", path], check=True)
    return path


def raddle(*arguments):
    return subprocess.run([expect.RADDLE, *arguments], cwd=FOLDER.name, capture_output=True, text=True, check=False)


def fuzz(program, strategy, *options, out="out"):
    done = raddle("fuzz", "--json", "--strategy", strategy, "--out", os.path.join(FOLDER.name, out), *options, "--", program)
    return json.loads(done.stdout)


class Feedback(unittest.TestCase):
    def test_one_unusual_pair_among_a_hundred_threads(self):
        """Twenty executions are enough, for each of several seeds."""
        for source in ("torn_pair", "stale_flag"):
            program = built(source, 100)
            for seed in (1, 1001, 2001):
                self.assertEqual(fuzz(program, "rff", "-n", "20", "--seed", str(seed))["failing"], 1, (source, seed))

    def test_a_handover_in_two_stages(self):
        """A hundred executions, with and without instrumentation: the locks say enough."""
        for compiler in (CXX, "c++"):
            program = built("two_stage", 100, compiler=compiler)
            for seed in (1, 1001, 2001):
                self.assertEqual(fuzz(program, "rff", "-n", "100", "--seed", str(seed))["failing"], 1, (compiler, seed))

    def test_twins_are_silent(self):
        for strategy in ("rff", "surw"):
            for source in ("torn_pair", "two_stage", "lost_wakeup_50"):
                result = fuzz(built(source, 10, "-DFIXED"), strategy, "-n", "200")
                self.assertEqual((result["executions"], result["failing"]), (200, 0), (strategy, source))

    def test_workers_change_nothing(self):
        for strategy in ("rff", "surw"):
            program = built("two_stage", 10)
            results = []
            for jobs in ("1", "3"):
                result = fuzz(program, strategy, "-n", "150", "--keep-going", "-j", jobs)
                results.append({key: result[key] for key in ("executions", "failing", "schedules", "steps") if key in result})
                results[-1]["first"] = [finding["first_seed"] for finding in result["findings"]]
            self.assertEqual(results[0], results[1], strategy)
            self.assertGreater(results[0]["failing"], 0, strategy)

    def test_failures_replay(self):
        for strategy in ("rff", "surw"):
            result = fuzz(built("two_stage", 10), strategy, "-n", "2000", out="replayed_" + strategy)
            replay = result["findings"][0]["replay"]
            self.assertEqual(raddle("replay", replay).returncode, 1, strategy)


if __name__ == "__main__":
    unittest.main()
