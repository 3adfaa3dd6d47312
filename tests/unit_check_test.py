#!/usr/bin/env python3
"""raddle::check in ordinary test programs: what passes, every kind of failure, replay, the three test frameworks."""

import os
import re
import subprocess
import unittest

import expect

PROGRAMS = os.path.join(expect.BUILD, "tests", "check_programs")
BARE = os.path.join(PROGRAMS, "bare")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("RADDLE_")}

PASS = ["pairs", "nothing", "fresh_thread_locals", "condition_variable", "latch", "barrier", "semaphore", "async",
        "sleeps", "time_out", "readers", "once", "stop_token", "many_threads", "keys", "shards_by_thread", "queue"]

EXPLORERS = ["dfs", "bfs", "icb", "dpor"]

# name: what the first lines of the explanation say
FAIL = {
    "account": "assertion `balance >= 0' failed in .*Account::withdraw",
    "throws": "uncaught exception std::runtime_error in .*throws: from the function",
    "throws_in_thread": "uncaught exception std::runtime_error in .*throws_in_thread.*: from a thread",
    "terminates": r"abort\(\) called in .*terminates",
    "aborts": r"abort\(\) called in .*aborts",
    "exits": r"exit\(0\) was called: the function must return",
    "deadlock": "2 threads wait for each other: .*`a in .*`b in ",
    "deadlock_of_globals": "2 threads wait for each other: .*g_mutex",
    "lost_wakeup": "T1 waits on condition variable .*ready.* and nobody is left to wake it",
    "livelock": "livelock: threads move, but only to yield or spin",
    "leaks_thread": "the function returned while T1 still ran; join it before",
    "endless_steps": r"the execution took more than 100000 steps \(Options::max_steps\)",
    "crashes": "segmentation fault at address 0x8 .*crashes",
    "overflows_stack": "segmentation fault .*descend, deep in a recursion",
    "divides_by_zero": r"arithmetic error \(SIGFPE\) in .*divides_by_zero",
    "checks_inside": "another check is under way in this process",
}

# Of the suites: the test, and what its failure says.
SUITE = {
    "NonFatal": "failed in ",
    "Fatal": "failed in ",
    "InThread": "failed in ",
    "Exception": "uncaught exception std::runtime_error",
    "Deadlock": "2 threads wait for each other",
}


def run(program, *arguments, **environment):
    done = subprocess.run([os.path.join(PROGRAMS, program), *arguments], env={**CLEAN, **environment},
                          capture_output=True, timeout=expect.PATIENCE, check=False)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def flat(text):
    """Without the line breaks and indentation of a narrow column."""
    return re.sub(r"\s+", " ", text)


def replay_of(text):
    match = re.search(r"RADDLE_REPLAY=(\S+)", text)
    return match and match.group(1)


class Bare(unittest.TestCase):
    def test_right_functions_pass(self):
        for name in PASS:
            for strategy in expect.STRATEGIES:
                with self.subTest(name=name, strategy=strategy):
                    status, out, err = run("bare", name, strategy, "300")
                    self.assertEqual((status, err), (0, ""), out)
                    self.assertIn("passed 300 executions, incomplete", out)  # a sample

    def test_every_kind_of_failure(self):
        for name, message in FAIL.items():
            with self.subTest(name=name):
                status, out, err = run("bare", name)
                self.assertEqual((status, err), (1, ""), out + err)
                self.assertRegex(flat(out), message)
                self.assertNotIn("ended differently", out)
                # Control came back, and the process is as it was.
                self.assertTrue(out.endswith("and goes on\n"), out)

    def test_a_failure_is_explained(self):
        _, out, _ = run("bare", "account")
        for part in ("T1 ", "T2 ", "lock account.mutex", "^ assertion", "bare.cpp:", "execution ", "seed ",
                     "threads were left where they stood"):
            self.assertIn(part, out)

    def test_the_time_limit(self):
        status, out, _ = run("bare", "endless_computing", TIMEOUT="0.3")
        self.assertEqual(status, 1)
        self.assertIn("the execution took longer than 0.3 s (Options::timeout)", out)
        self.assertIn("and goes on", out)

    def test_blocked_in_the_kernel(self):
        status, out, _ = run("bare", "blocks_in_kernel")
        self.assertEqual(status, 1)
        self.assertIn("blocked in the system call read()", flat(out))
        self.assertIn("and goes on", out)

    def test_the_time_stamp_counter_is_virtual(self):
        # Of 1,000 executions 15 are run twice; with the real counter none of them goes round as often again.
        status, out, err = run("counter")
        self.assertEqual((status, out, err), (0, "passed 1000 executions\n" * 2, ""))

    def test_a_block_that_is_freed_twice(self):
        status, out, err = run("bare", "frees_twice")
        self.assertEqual((status, err), (1, "free(): this block was freed before, or it is none\n"))
        self.assertIn("abort() called", out)
        self.assertIn("and goes on", out)
        replay = replay_of(out)
        self.assertEqual(replay_of(run("bare", "frees_twice", RADDLE_REPLAY=replay)[1]), replay)

    def test_state_from_one_execution_to_the_next_is_noticed(self):
        status, out, _ = run("bare", "remembers")
        self.assertEqual(status, 1)
        self.assertIn("the function does not do the same each time", out)
        self.assertIn("What earlier executions left behind", flat(out))
        self.assertRegex(flat(out), r"at step \d+: recorded was T\d .*, now it is T\d ")

    def test_a_million_executions_do_not_grow(self):
        # 1 kB lost in each execution would be 1 GB; what the allocator keeps settles at a few pages.
        for name, count in (("pairs", 1_000_000), ("keys", 100_000), ("async", 100_000),
                            ("fresh_thread_locals", 100_000), ("condition_variable", 100_000)):
            with self.subTest(name=name):
                status, out, _ = run("bare", name, "random", str(count), MEASURE_MEMORY="1")
                self.assertEqual(status, 0, out)
                grown = int(re.search(r"grown by (-?\d+) kB", out).group(1))
                self.assertLess(grown, 1000)

    def test_no_strategy_leaves_anything_behind(self):
        # 20,000 executions of each: a mapping or a stack that stays would be thousands. Redundant executions of dpor end
        # in the middle of everything.
        done = subprocess.run([os.path.join(expect.BUILD, "bench", "long_check"), "20000"], env=CLEAN, capture_output=True,
                              timeout=expect.PATIENCE, check=False)
        out = done.stdout.decode()
        self.assertEqual((done.returncode, out.count(" flat\n")), (0, 8), out + done.stderr.decode())

    def test_names_of_threads_and_addresses_are_the_same_each_time(self):
        for strategy in EXPLORERS:
            for name in ("shards_by_thread", "shards_by_address"):
                status, out, err = run("bare", name, strategy, "10000")
                self.assertEqual((status, err), (0, ""), out)
        # Another process, whose addresses are random: the same executions fail, and the name of one leads to it again.
        seeds = [str(seed) for seed in range(1, 21)]
        first = [run("bare", "fails_in_a_shard", "random", "1", SEED=seed)[1] for seed in seeds]
        names = [replay_of(out) for out in first]
        self.assertTrue(any(names), first)
        for seed, name in zip(seeds, names):
            self.assertEqual(replay_of(run("bare", "fails_in_a_shard", "random", "1", SEED=seed)[1]), name)
            if name:
                again = run("bare", "fails_in_a_shard", RADDLE_REPLAY=name)
                self.assertEqual(replay_of(again[1]), name)

    def test_the_heap_is_the_same_each_time(self):
        # Of the executions 1 in 64 is run twice.
        for name in ("shards_by_address", "keeps_memory"):
            for strategy in ("random", "pct"):
                status, out, err = run("bare", name, strategy, "10000")
                self.assertEqual((status, err), (0, ""), out)

    def test_all_seeds_are_tried(self):
        # The account fails in 0.4 of random's executions or more (measured: 113 of 200 for the example): 100
        # first seeds, each alone, fail between 20 and 80 times; 6 standard deviations of 5 around 50 are wider.
        failing = sum(run("bare", "account", "random", "1", SEED=str(seed))[0] for seed in range(1, 101))
        self.assertTrue(20 <= failing <= 80, failing)


class Explorers(unittest.TestCase):
    def test_all_there_are(self):
        # Two threads of six critical sections each on one lock: they differ in the order of the sections alone,
        # C(12, 6) = 924 of them. dfs has each lock and unlock apart.
        _, out, _ = run("bare", "pairs", "dpor")
        self.assertIn("passed 924 executions, exhausted", out)
        self.assertIn("unseen: plain and atomic accesses of bare: build it with raddle-c++", out)
        counts = {}
        for strategy in EXPLORERS:
            _, out, _ = run("bare", "readers", strategy)
            self.assertIn(", exhausted", out)
            counts[strategy] = int(re.search(r"passed (\d+)", out).group(1))
        self.assertEqual(counts["dfs"], counts["bfs"])
        self.assertTrue(counts["dpor"] < counts["icb"] < counts["dfs"], counts)

    def test_right_functions_pass(self):
        for name in PASS:
            for strategy in EXPLORERS:
                with self.subTest(name=name, strategy=strategy):
                    status, out, err = run("bare", name, strategy, "2000")
                    self.assertEqual((status, err), (0, ""), out)

    def test_a_limit_is_not_complete(self):
        _, out, _ = run("bare", "pairs", "dfs", "1000")
        self.assertIn("passed 1000 executions, incomplete", out)

    def test_failures_are_found(self):
        for strategy in EXPLORERS:
            for name in ("account", "deadlock", "lost_wakeup", "crashes", "throws", "leaks_thread"):
                with self.subTest(name=name, strategy=strategy):
                    status, out, _ = run("bare", name, strategy)
                    self.assertEqual(status, 1, out)
                    self.assertRegex(flat(out), FAIL[name])
                    self.assertNotIn("ended differently", out)

    def test_divergence(self):
        for strategy in EXPLORERS:
            status, out, _ = run("bare", "remembers", strategy)
            self.assertEqual(status, 1, out)
            self.assertRegex(flat(out), r"at step \d+: recorded was T\d .*, now it is T\d ")


def build_with_hooks(name, program):
    libraries = os.path.join(expect.BUILD, "bin")
    expect.build(os.path.join(os.path.dirname(__file__), "check_programs", name + ".cpp"), program,
                 "-I" + os.path.join(expect.BUILD, "include"), "-L" + libraries, "-Wl,-rpath," + libraries,
                 "-Wl,--no-as-needed", "-lraddle", "-lraddle_check")


class Plain(unittest.TestCase):
    """Plain accesses, in a program whose accesses are seen."""

    @classmethod
    def setUpClass(cls):
        cls.folder = expect.scratch()
        cls.program = os.path.join(cls.folder.name, "plain")
        build_with_hooks("plain", cls.program)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def checked(self, *arguments, **environment):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False, env=dict(CLEAN, **environment),
                              timeout=expect.PATIENCE)
        return done.returncode, done.stdout, done.stderr

    def test_a_data_race_is_a_failure_with_both_places(self):
        for name, places in (("lost_update", 1), ("publication", 2), ("double_checked", 2)):
            for strategy in ("random", "pos", "dpor", "dfs"):
                with self.subTest(name=name, strategy=strategy):
                    status, out, err = self.checked(name, strategy)
                    self.assertEqual((status, err), (1, ""), out)
                    self.assertRegex(out, r"^data race: ")
                    lines = set(re.findall(r"plain.cpp:(\d+)\)", out))
                    self.assertGreaterEqual(len(lines), places, out)
                    replay = replay_of(out)
                    self.assertRegex(replay, r"^\w+\.\d+r\.")
                    status, again, _ = self.checked(name, strategy, RADDLE_REPLAY=replay)
                    self.assertEqual((status, again), (1, out))

    def test_what_is_ordered_passes(self):
        count = 10_000 if expect.FULL else 2_000
        for name in ("lost_update_fixed", "publication_fixed", "double_checked_fixed"):
            for strategy in ("random", "pct", "pos", "surw", "rff"):
                with self.subTest(name=name, strategy=strategy):
                    status, out, err = self.checked(name, strategy, str(count))
                    self.assertEqual((status, out, err), (0, f"passed {count} executions\n", ""))
            self.assertEqual(self.checked(name, "dpor")[0], 0)

    def test_without_the_report_the_update_is_lost(self):
        # The lost update shows in at least a fifth of random's executions: all of 1,000 miss it with 0.8^1000.
        for strategy in ("random", "pos", "surw", "rff", "dpor", "dfs"):
            with self.subTest(strategy=strategy):
                status, out, _ = self.checked("lost_update", strategy, RACES="0")
                self.assertEqual(status, 1, out)
                self.assertRegex(flat(out), "assertion `g_count == 2' failed")

    def test_what_a_strategy_learnt_is_in_the_name_of_its_execution(self):
        for strategy in ("surw", "rff"):
            with self.subTest(strategy=strategy):
                _, out, _ = self.checked("lost_update", strategy, RACES="0")
                replay = replay_of(out)
                self.assertRegex(replay, r"^choices\.[^.]+\.tr\.")
                status, again, _ = self.checked("lost_update", strategy, RACES="0", RADDLE_REPLAY=replay)
                self.assertEqual(status, 1)
                self.assertRegex(flat(again), "assertion `g_count == 2' failed")
                replay = replay_of(out)
                self.assertEqual(replay_of(self.checked("lost_update", strategy, RACES="0", RADDLE_REPLAY=replay)[1]), replay)
        # These two do no harm where memory is one for all.
        for name in ("publication", "double_checked"):
            self.assertEqual(self.checked(name, "dpor", RACES="0")[0], 0)

    def test_dpor_reaches_what_every_order_reaches(self):
        compared = 0
        for seed in range(1, 201 if expect.FULL else 16):
            _, every, counted = self.checked("random", str(seed), "dfs", "1")
            if "exhausted" not in counted:
                continue  # too many
            _, reduced, fewer = self.checked("random", str(seed), "dpor", "0")
            with self.subTest(seed=seed):
                self.assertIn("exhausted", fewer)
                self.assertEqual(set(every.splitlines()), set(reduced.splitlines()))
                self.assertLessEqual(int(fewer.split()[0]), int(counted.split()[0]))
            compared += 1
        self.assertGreater(compared, 10)


class ByValues(unittest.TestCase):
    """The strategy causal, in a program whose accesses are seen."""

    @classmethod
    def setUpClass(cls):
        cls.folder = expect.scratch()
        cls.program = os.path.join(cls.folder.name, "values")
        build_with_hooks("values", cls.program)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def explored(self, *arguments, **environment):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False,
                              env=dict(CLEAN, **environment))
        return done.returncode, done.stdout

    def test_the_right_one_is_proved(self):
        # Who puts its node first: two behaviours.
        status, out = self.explored("list", "causal")
        self.assertEqual(status, 0, out)
        self.assertRegex(out, r"^exhausted, complete, 2 executions, [1-9]\d* queries, 0 unknown\n$")

    def test_the_broken_one_fails_and_replays(self):
        status, out = self.explored("broken", "causal")
        self.assertEqual(status, 1, out)
        self.assertIn("assertion `sum == 3' failed", out)
        replay = replay_of(out)
        self.assertIn(".v.", replay)
        status, again = self.explored("broken", "causal", RADDLE_REPLAY=replay)
        self.assertEqual((status, replay_of(again)), (1, replay), again)

    def test_objects_that_live_on_are_not_claimed(self):
        status, out = self.explored("keeps", "causal")
        self.assertEqual(status, 0, out)
        self.assertIn("incomplete", out)
        self.assertIn("does not lie at the same place", out)


class Replay(unittest.TestCase):
    def test_runs_exactly_that(self):
        for strategy in [*expect.STRATEGIES, *EXPLORERS]:
            for name in ("account", "deadlock", "lost_wakeup"):
                _, first, _ = run("bare", name, strategy)
                replay = replay_of(first)
                if replay is None:
                    continue  # this strategy does not find it
                with self.subTest(replay=replay, name=name):
                    status, again, _ = run("bare", name, strategy, RADDLE_REPLAY=replay)
                    self.assertEqual(status, 1)
                    self.assertIn("\n  replayed\n", again)
                    self.assertEqual(replay_of(again), replay)
                    # Explanations are the same but for which execution it was.
                    self.assertEqual(re.sub(r"\n  execution .*\n", "\n  replayed\n", first), again)

    def test_of_something_else_is_refused(self):
        _, out, _ = run("bare", "account")
        replay = replay_of(out)
        parts = replay.split(".")
        other = {"build": ".".join(parts[:3] + ["000000"] + parts[4:]),
                 "execution": ".".join(parts[:4] + ["00000000"])}
        status, out, _ = run("bare", "account", RADDLE_REPLAY=other["build"])
        self.assertEqual(status, 1)
        self.assertIn("an execution of another build of this program", out)
        status, out, _ = run("bare", "account", RADDLE_REPLAY=other["execution"])
        self.assertEqual(status, 1)
        self.assertIn("does not follow the one that was named", out)
        status, out, err = run("bare", "account", RADDLE_REPLAY=".".join(parts[:2] + ["000000"] + parts[3:]))
        self.assertEqual(status, 0)
        self.assertIn("RADDLE_REPLAY names an execution of another check; this one is not run", err)

    def test_nonsense_is_refused(self):
        for text in ("x", "random.1", "random.1.x.y.z", "choices.!!.000000.000000.00000000", "\xff\xff", "." * 100):
            status, out, _ = run("bare", "pairs", RADDLE_REPLAY=text)
            self.assertEqual(status, 1, out)
            self.assertIn("is no execution", out)


class Environment(unittest.TestCase):
    def test_executions(self):
        for value, expected in (("7", 7), ("3x", 300), ("", 100)):
            _, out, _ = run("bare", "pairs", "random", "100", RADDLE_EXECUTIONS=value)
            self.assertIn(f"passed {expected} executions", out)
        for value in ("x", "-1", "0", "1y", "0x"):
            status, out, _ = run("bare", "pairs", RADDLE_EXECUTIONS=value)
            self.assertEqual(status, 1)
            self.assertIn("RADDLE_EXECUTIONS=", out)

    def test_a_factor_that_is_too_large_is_not_a_small_one(self):
        # 1000 * 2^61 is 0 in 64 bits. It goes on until it is killed, instead of ending after 1,000.
        with self.assertRaises(subprocess.TimeoutExpired):
            subprocess.run([BARE, "pairs", "random", "1000"], env={**CLEAN, "RADDLE_EXECUTIONS": f"{2**61}x"},
                           capture_output=True, timeout=2, check=False)

    def test_times_that_make_no_sense(self):
        for value in ("-1", "nan", "1e9"):
            status, out, _ = run("bare", "pairs", TIMEOUT=value)
            self.assertEqual(status, 1)
            self.assertIn("Options::timeout", out)

    def test_an_unknown_strategy(self):
        status, out, _ = run("bare", "pairs", "sideways")
        self.assertEqual(status, 1)
        self.assertIn('there is no "sideways"; there are random, ', out)

    def test_under_raddle_itself(self):
        with expect.scratch() as out:
            status, result = expect.raddle(["fuzz", "-n", "200", "--out", out, "--", BARE, "account"])
        self.assertEqual((status, result["findings"][0]["kind"]), (1, "assertion"))


class Frameworks(unittest.TestCase):
    def check(self, program, select, failed):
        path = os.path.join(PROGRAMS, program)
        if not os.path.exists(path):
            self.skipTest(f"{program} was not built: scripts/setup tests installs what it needs")
        for name, message in SUITE.items():
            with self.subTest(test=name):
                status, out, err = run(program, select.format(name))
                self.assertNotEqual(status, 0, out)
                self.assertRegex(out, failed)
                self.assertIn(message, flat(out))
                self.assertNotIn("ended differently", flat(out))
                replay = replay_of(out)
                status, again, _ = run(program, select.format(name), RADDLE_REPLAY=replay)
                self.assertNotEqual(status, 0, again)
                self.assertEqual(replay_of(again), replay)
                # The other tests of the program are not what the name means.
                status, out, err = run(program, select.format("Passes"), RADDLE_REPLAY=replay)
                self.assertEqual(status, 0, out)
                self.assertIn("another check; this one is not run", err)
        status, out, _ = run(program, select.format("Passes"))
        self.assertEqual(status, 0, out)
        status, out, _ = run(program, select.format("Outside"))
        self.assertNotEqual(status, 0, out)
        status, out, _ = run(program)
        self.assertNotEqual(status, 0)
        return out

    def test_gtest(self):
        out = self.check("gtest_suite", "--gtest_filter=Suite.{}", "gtest_suite.cpp:\\d+: Failure")
        self.assertIn("[  PASSED  ] 1 test.", out)
        self.assertIn("6 FAILED TESTS", out)

    def test_catch2(self):
        out = self.check("catch2_suite", "{}", "catch2_suite.cpp:\\d+: FAILED")
        self.assertIn("test cases: 7 | 1 passed | 6 failed", out)

    def test_doctest(self):
        out = self.check("doctest_suite", "--test-case={}", "doctest_suite.cpp:\\d+: ERROR")
        self.assertIn("7 |    1 passed | 6 failed", out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
