#!/usr/bin/env python3
"""The command line, end to end: what bad input gets, exit statuses, JSON, files, signals, hostile programs.

usage: cli_test.py [-v] [CliTest.NAME...]
"""

import json
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

import expect

RADDLE = expect.RADDLE
ACCOUNT = os.path.join(expect.BUILD, "examples", "account")
FIXED = os.path.join(expect.BUILD, "examples", "account_fixed")
PROGRAMS = os.path.join(expect.BUILD, "tests", "programs")
FIELDS = {"command", "strategy", "executions", "failing", "executions_per_second", "findings"}
FINDING_FIELDS = {"level", "kind", "count", "first_seed", "replay", "message", "where"}

# A program that does to itself whatever its argument says.
HOSTILE = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
static void* nothing(void* p) { return p; }
int main(int argc, char** argv) {
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(what, "kill-parent") == 0) { kill(getppid(), SIGKILL); }
  if (strcmp(what, "close") == 0) for (int fd = 0; fd < 1024; ++fd) close(fd);
  if (strcmp(what, "exit") == 0) return 7;
  if (strcmp(what, "fork") == 0 && fork() == 0) for (;;) pause();
  if (strcmp(what, "wait") == 0) for (;;) pause();
  if (strcmp(what, "input") == 0) { char b[64]; ssize_t n = read(0, b, 64); if (n > 0) fwrite(b, 1, n, stdout); return n != 5; }
  if (strcmp(what, "ignore") == 0) { for (int s = 1; s < 64; ++s) signal(s, SIG_IGN); for (;;) ; }
  if (strcmp(what, "arguments") == 0) { for (int i = 2; i < argc; ++i) printf("<%s>", argv[i]); puts(""); }
  if (strcmp(what, "time") == 0) { FILE* f = fopen(argv[2], "r+"); int n = 0; if (f && fscanf(f, "%d", &n) == 1) { rewind(f);
      fprintf(f, "%d", n + 1); fclose(f); } pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
      while (n-- > 0) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); } abort(); }
  return 0;
}
"""


def run(*arguments, stdin=subprocess.DEVNULL, cwd=None, env=None, timeout=120):
    done = subprocess.run([RADDLE, *arguments], stdin=stdin, capture_output=True, cwd=cwd, env=env, timeout=timeout,
                          check=False)
    return done.returncode, done.stdout.decode(errors="replace"), expect.own_words(done.stderr.decode(errors="replace"))


class CliTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="raddle-cli-test-")
        source = os.path.join(cls.folder, "hostile.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(HOSTILE)
        cls.hostile = os.path.join(cls.folder, "hostile")
        subprocess.run(["cc", "-g", "-w", "-pthread", source, "-o", cls.hostile], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="work-", dir=self.folder)

    def raddle(self, *arguments, **options):
        return run(*arguments, cwd=self.work, **options)

    def refused(self, *arguments, says="", **options):
        """Exit 2, one line on standard error, nothing on standard output, nothing left behind."""
        before = sorted(os.listdir(self.work))
        status, out, err = self.raddle(*arguments, **options)
        self.assertEqual(status, 2, err)
        self.assertEqual(out, "")
        self.assertRegex(err, r"\Araddle: [^\n]+\n\Z")
        self.assertIn(says, err)
        self.assertEqual(sorted(os.listdir(self.work)), before)

    def record(self, program=ACCOUNT, name="r"):
        status, out, err = self.raddle("fuzz", "--json", "--out", name, "-n", "1000", "--", program)
        self.assertEqual(status, 1, err)
        return os.path.join(self.work, json.loads(out)["findings"][0]["replay"])

    # Usage

    def test_usage_errors(self):
        for arguments in ([], ["frobnicate"], ["fuzz"], ["run"], ["fuzz", "--"], ["fuzz", ACCOUNT],
                          ["fuzz", "--bogus", "--", ACCOUNT], ["fuzz", "-n", "0", "--", ACCOUNT],
                          ["fuzz", "-n", "-1", "--", ACCOUNT], ["fuzz", "-n", "1x", "--", ACCOUNT],
                          ["fuzz", "-n", "", "--", ACCOUNT], ["fuzz", "-j", "0", "--", ACCOUNT],
                          ["fuzz", "-j", "100000", "--", ACCOUNT], ["fuzz", "--seed", "-1", "--", ACCOUNT],
                          ["fuzz", "--seed", "18446744073709551616", "--", ACCOUNT],
                          ["fuzz", "--seed", "18446744073709551615", "-n", "2", "--", ACCOUNT],
                          ["fuzz", "--max-steps", "0", "--", ACCOUNT], ["fuzz", "--timeout", "0", "--", ACCOUNT],
                          ["fuzz", "--timeout", "5 parsecs", "--", ACCOUNT],
                          ["fuzz", "--ok-exit", "256", "--", ACCOUNT], ["fuzz", "--ok-exit", "-1", "--", ACCOUNT],
                          ["run", "--strategy", "luck", "--", ACCOUNT], ["run", "--carrier", "pigeon", "--", ACCOUNT],
                          ["run", "--clock", "broken", "--", ACCOUNT], ["run", "--depth", "0", "--", ACCOUNT],
                          ["run", "-n", "3", "--", ACCOUNT], ["replay"], ["replay", "a", "b"],
                          ["replay", "--gdb", "--json", "x"], ["replay", "x", "--", ACCOUNT]):
            with self.subTest(arguments=arguments):
                self.refused(*arguments, says="--help")

    def test_project_file(self):
        def write(text, folder=self.work):
            with open(os.path.join(folder, "raddle.toml"), "w", encoding="utf-8") as file:
                file.write(text)

        deep = os.path.join(self.work, "a", "b")
        os.makedirs(deep)
        os.mkdir(os.path.join(self.work, ".git"))
        write('executions = 7\n[fuzz]\nseed = 3\nout = "found"\nok-exit = [7, 9]\nkeep-going = false\n')
        status, out, err = run("fuzz", "--json", "--", self.hostile, "exit", cwd=deep)
        report = json.loads(out)
        self.assertEqual((status, report["executions"]), (0, 7), err)
        file = os.path.join(self.work, "raddle.toml")
        self.assertEqual(err.splitlines()[0], f"raddle: defaults from {file}: --seed=3 --out={self.work}/found --ok-exit=7 "
                                              "--ok-exit=9 --executions=7")
        # The command line wins, under any of the option's names; what it says is not said to be the file's.
        status, out, err = run("fuzz", "--json", "-n", "2", "--ok-exit", "1", "--", self.hostile, "exit", cwd=deep)
        self.assertEqual((status, json.loads(out)["executions"]), (1, 1))
        self.assertIn("--seed=3 --out=", err)
        self.assertNotIn("ok-exit", err)
        self.assertTrue(os.path.isdir(os.path.join(self.work, "found")))
        # A command that has none of the options says nothing; --help and doctor show what there is.
        self.assertEqual(run("run", "--", FIXED, cwd=deep)[2].count("defaults"), 0)
        self.assertIn("--seed=3", run("fuzz", "--help", cwd=deep)[1].splitlines()[-1])
        self.assertNotIn("--seed=3", run("hunt", "--help", cwd=deep)[1])
        self.assertIn("fuzz --seed=3", run("doctor", cwd=deep)[1])
        for text, says in (("[fuzz]\nexecutons = 3\n", "raddle.toml:2: there is no option `executons' of fuzz; did you mean `executions'?"),
                           ("[fuz]\nseed = 1\n", "raddle.toml:2: there is no command `fuz'; did you mean `fuzz'?"),
                           ("budgets = 1\n", "raddle.toml:1: there is no option `budgets' of any command; did you mean `budget'?"),
                           ("[fuzz]\nhelp = true\n", "there is no option `help' of fuzz"),
                           ("[fuzz]\nseed = true\n", "raddle.toml:2: `seed' needs a value (N)"),
                           ("[fuzz]\nkeep-going = 1\n", "raddle.toml:2: `keep-going' is true or false"),
                           ("[fuzz]\nseed = 1\n\njobs = -4\n", "raddle.toml:4: -j,--jobs: `-4' is not a number from 1 to 256"),
                           ("[fuzz]\nseed = [1, 2]\n", "raddle.toml:2: "), ("[fuzz\n", "raddle.toml:1: ")):
            write(text)
            self.refused("fuzz", "--", FIXED, says=says)
            self.assertEqual(run("fuzz", "--help", cwd=self.work)[0], 0)
        self.assertIn("raddle.toml:1", run("doctor", cwd=self.work)[1])
        # Another checkout's file is not ours.
        os.mkdir(os.path.join(deep, ".git"))
        self.assertEqual(run("fuzz", "-n", "1", "--", FIXED, cwd=deep)[0], 0)

    def test_help_and_version(self):
        for arguments in (["--help"], ["run", "--help"], ["fuzz", "--help"], ["replay", "-h"], ["doctor", "--help"]):
            status, out, _ = self.raddle(*arguments)
            self.assertEqual(status, 0)
            self.assertIn("Usage: raddle", out)
        for asked in ([], ["hunt"]):
            status, out, _ = self.raddle("help", *asked)
            self.assertEqual((status, out), self.raddle(*asked, "--help")[:2])
        self.refused("help", "hunting", says="there is no command `hunting'")
        self.refused("hnut", "--", ACCOUNT, says="there is no command `hnut' (did you mean `hunt'?)")
        self.refused("hunt", "--bugdet=3s", "--", ACCOUNT, says="`--bugdet' is no option of hunt (did you mean `--budget'?)")
        self.refused("hunt", ACCOUNT, says="(a program goes after --)")

    def test_side_by_side_in_one_folder(self):
        """Who finds nothing removes the folder it made, and not what another one is about to use."""
        commands = [["fuzz", "-n", "1", "--", FIXED], ["fuzz", "-n", "100", "--", ACCOUNT]]
        for _ in range(15):
            started = [subprocess.Popen([RADDLE, *command], cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE) for command in commands + commands[:1] + commands]
            for process in started:
                err = process.communicate(timeout=120)[1].decode()
                self.assertIn(process.returncode, (0, 1), err)
            shutil.rmtree(os.path.join(self.work, "raddle-out"))

    def test_a_budget_alone_means_time(self):
        for options, more in ((["--budget", "60s", "-n", "1200"], False), (["--budget", "3s"], True), (["-n", "1100"], False)):
            status, out, err = self.raddle("fuzz", "--json", *options, "--", FIXED)
            self.assertEqual(status, 0, err)
            self.assertEqual(json.loads(out)["executions"] > 1200, more, options)
        out = " ".join(self.raddle("hunt", "--help")[1].split())
        for values in ("(all, races, sync)", "(fiber, kernel)", "(adversarial, hasty, steady)"):
            self.assertIn(values, out)
        status, out, _ = self.raddle("--version")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"\Araddle \d+\.\d+\.\d+( \([0-9a-f]{7,40}(-dirty)?\))?\n\Z")

    def test_everything_after_the_dashes_is_the_programs(self):
        status, out, _ = self.raddle("run", "--", self.hostile, "arguments", "--json", "--help", "--", "-n", "", "a b")
        self.assertEqual(status, 0)
        self.assertEqual(out, "<--json><--help><--><-n><><a b>\n")

    # Programs that are none

    def test_programs_that_cannot_be_controlled(self):
        text = os.path.join(self.work, "text")
        with open(text, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexit 0\n")
        plain = os.path.join(self.work, "plain")
        shutil.copy(ACCOUNT, plain)
        os.chmod(plain, 0o644)
        cut = os.path.join(self.work, "cut")
        with open(ACCOUNT, "rb") as whole, open(cut, "wb") as part:
            part.write(whole.read(100))
        os.chmod(cut, 0o755)
        for program in ("/nonexistent/program", "no-such-program-in-path", self.work, text, plain, cut, ""):
            for command in ("run", "fuzz"):
                with self.subTest(program=program, command=command):
                    self.refused(command, "--", program)
        os.chmod(text, 0o755)
        self.refused("run", "--", text)

    def test_static_program(self):
        static = os.path.join(self.work, "static")
        built = subprocess.run(["cc", "-static", "-w", "-pthread", os.path.join(self.folder, "hostile.c"), "-o", static],
                               capture_output=True, check=False)
        if built.returncode != 0:
            self.skipTest("no static libc")
        self.refused("fuzz", "--", static, says="static")

    def test_set_uid_program(self):
        copy = os.path.join(self.work, "set-uid")
        shutil.copy(ACCOUNT, copy)
        os.chmod(copy, 0o4755)
        self.refused("fuzz", "--", copy)

    def test_program_that_ends_before_main(self):
        source = os.path.join(self.folder, "early.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write('#include <stdio.h>\n#include <unistd.h>\n__attribute__((constructor)) static void f(void) '
                       '{ fprintf(stderr, "too early\\n"); _exit(4); }\nint main(void) { return 0; }\n')
        program = os.path.join(self.folder, "early")
        subprocess.run(["cc", source, "-o", program], check=True)
        status, _, err = self.raddle("fuzz", "--", program)
        self.assertEqual(status, 2)
        self.assertIn("exit status 4", err)
        self.assertIn("too early", err)
        self.assertEqual(os.listdir(self.work), [])

    # Output folder, saved files

    def test_unwritable_output(self):
        blocker = os.path.join(self.work, "file")
        with open(blocker, "w", encoding="utf-8"):
            pass
        for out in ("/proc/raddle", os.path.join(blocker, "sub"), blocker, ""):
            with self.subTest(out=out):
                self.refused("fuzz", "--out", out, "--", ACCOUNT)
        self.refused("run", "--save", "/nonexistent/r", "--", ACCOUNT)
        self.refused("run", "--save", os.path.join(blocker, "r"), "--", ACCOUNT)

    def test_nothing_found_leaves_no_folder(self):
        status, out, _ = self.raddle("fuzz", "-n", "50", "--", FIXED)
        self.assertEqual(status, 0)
        self.assertIn("Nothing found: 50 executions passed", out)
        self.assertEqual(os.listdir(self.work), [])

    def test_earlier_recordings_stay(self):
        first = self.record(name="out")
        with open(first, "rb") as file:
            before = file.read()
        second = self.record(name="out")
        self.assertNotEqual(first, second)
        with open(first, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_standard_output_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([RADDLE, "fuzz", "-n", "5", "--", FIXED], stdin=subprocess.DEVNULL, stdout=full,
                                  stderr=subprocess.PIPE, cwd=self.work, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"standard output", done.stderr)
        closed = subprocess.run(["sh", "-c", f"exec '{RADDLE}' fuzz -n 5 -- '{FIXED}' <&- >&-"], capture_output=True,
                                cwd=self.work, check=False)
        self.assertEqual(closed.returncode, 2)
        self.assertIn(b"standard output", closed.stderr)

    # Exit statuses and JSON

    def test_fuzz_json(self):
        status, out, err = self.raddle("fuzz", "--json", "--keep-going", "-n", "200", "--", ACCOUNT)
        self.assertEqual(status, 1, err)
        result = json.loads(out)
        self.assertLessEqual(FIELDS, set(result))
        self.assertEqual((result["command"], result["strategy"], result["executions"]), ("fuzz", "random", 200))
        self.assertEqual(result["failing"] + result["passed"] + result["inconclusive"], 200)
        self.assertEqual(sum(finding["count"] for finding in result["findings"]), result["failing"])
        rate = result["failing_rate"]
        self.assertLess(rate["low"], rate["value"])
        self.assertLess(rate["value"], rate["high"])
        (finding,) = result["findings"]
        self.assertLessEqual(FINDING_FIELDS, set(finding))
        self.assertEqual((finding["level"], finding["kind"]), ("failing", "assertion"))
        self.assertEqual(os.path.basename(finding["where"]["file"]), "account.cpp")
        self.assertTrue(finding["replays"], finding["replay_note"])
        self.assertTrue(os.path.exists(os.path.join(self.work, finding["replay"])))

    def test_result_does_not_depend_on_workers(self):
        results = []
        for jobs in ("1", "2", "5"):
            for keep_going in ([], ["--keep-going"]):
                _, out, _ = self.raddle("fuzz", "--json", "-j", jobs, "-n", "100", *keep_going, "--", ACCOUNT)
                result = json.loads(out)
                results.append([bool(keep_going), result["executions"], result["failing"], result["schedules"],
                                [(f["kind"], f["count"], f["first_seed"]) for f in result["findings"]]])
        self.assertEqual(results[0:2], results[2:4])
        self.assertEqual(results[0:2], results[4:6])
        # It stopped at the lowest failing seed, and counted nothing beyond.
        self.assertEqual(results[0][1], results[0][4][0][2])

    def test_passed_run(self):
        status, out, _ = self.raddle("run", "--json", "--seed", "5", "--", FIXED)
        self.assertEqual(status, 0)
        result = json.loads(out)
        self.assertEqual((result["outcome"], result["exit_status"], result["finding"]), ("passed", 0, None))
        again = json.loads(self.raddle("run", "--json", "--seed", "5", "--", FIXED)[1])
        self.assertEqual(result["choice_log"], again["choice_log"])

    def test_exit_statuses_of_the_program(self):
        status, out, _ = self.raddle("fuzz", "--json", "-n", "3", "--", self.hostile, "exit")
        self.assertEqual(status, 1)
        self.assertEqual(json.loads(out)["findings"][0]["kind"], "exit")
        for codes in (["--ok-exit", "7"], ["--ok-exit", "3", "--ok-exit", "7"], ["--ok-exit", "3,7"]):
            status, _, _ = self.raddle("fuzz", "-n", "3", *codes, "--", self.hostile, "exit")
            self.assertEqual(status, 0)

    def test_crash_is_named(self):
        status, out, _ = self.raddle("fuzz", "--json", "-n", "3", "--", self.hostile, "kill")
        self.assertEqual(status, 1)
        (finding,) = json.loads(out)["findings"]
        self.assertEqual(finding["kind"], "crash")
        self.assertIn("SIGKILL", finding["message"])

    def test_one_thread_only(self):
        _, out, _ = self.raddle("fuzz", "-n", "3", "--", os.path.join(PROGRAMS, "single_thread"))
        self.assertIn("1 thread only: nothing to schedule", out.splitlines()[0])

    def test_doctor(self):
        status, out, _ = self.raddle("doctor", "--json", "--", ACCOUNT)
        result = json.loads(out)
        self.assertEqual(status, 0 if result["controllable"] else 2)
        self.assertTrue(result["checks"])
        status, out, _ = self.raddle("doctor", "--", "/nonexistent")
        self.assertEqual(status, 2)
        self.assertIn("cannot be controlled", out.splitlines()[0])

    # Replay

    def test_replay(self):
        recording = self.record()
        for carrier in ([], ["--carrier", "fiber"], ["--carrier", "kernel"]):
            status, out, err = self.raddle("replay", "--json", *carrier, recording)
            self.assertEqual(status, 1, out + err)
            result = json.loads(out)
            self.assertTrue(result["same"], result["difference"])
            self.assertEqual(result["outcome"], "assertion")
        status, out, _ = self.raddle("replay", recording)
        self.assertEqual(status, 1)
        self.assertIn("as recorded", out.splitlines()[0])

    def test_replay_explains_as_fuzz_did(self):
        """Of several failing executions, in which one thread or the other came first, and failed."""
        for seed in ("6", "7", "11", "20"):
            out = os.path.join(self.folder, seed)
            self.assertEqual(self.raddle("fuzz", "--seed", seed, "--out", out, "--", ACCOUNT)[0], 1)
            file = os.path.join(out, "1.replay")
            told = [re.search(r"released and taken again.*?Suggestion", self.raddle(command, file)[1], re.S)
                    for command in ("explain", "replay")]
            self.assertTrue(all(told), f"seed {seed}: {told}")
            self.assertEqual(told[0][0], told[1][0])

    def test_explain(self):
        """Without the program: it may be gone, and the file may come from another machine."""
        program = os.path.join(self.folder, "gone")
        shutil.copy(ACCOUNT, program)
        status, _, _ = self.raddle("hunt", "--budget", "10s", "--out", os.path.join(self.folder, "out"), "--", program)
        self.assertEqual(status, 1)
        file = os.path.join(self.folder, "out", "1.replay")
        replayed = self.raddle("replay", file)[1]
        os.remove(program)
        self.refused("replay", file, says="gone")
        status, out, _ = self.raddle("explain", file)
        self.assertEqual(status, 1)
        self.assertIn("nothing was run", out)
        # Between the first line and what the program printed a replay says the same.
        told = replayed[replayed.index("\n") + 1:replayed.index("   standard error")]
        self.assertIn("released and taken again", told)
        self.assertIn(told, out)
        report = json.loads(self.raddle("explain", "--json", file)[1])
        self.assertEqual(report["outcome"], "assertion")
        self.assertEqual(report["explanation"], told)
        # Earlier versions wrote no explanation: the field is unknown to this file, as all others are that are not read.
        with open(file, "rb") as opened:
            old = opened.read().replace(b'"explanation"', b'"explainable"')
        old = old[:-4] + zlib.crc32(old[:-4]).to_bytes(4, "little")
        with open(file, "wb") as opened:
            opened.write(old)
        status, out, _ = self.raddle("explain", file)
        self.assertEqual(status, 3)
        self.assertIn("has no explanation", out)
        self.assertIn("raddle replay", out)
        # Whoever made the file does not get at the terminal.
        hostile = old.replace(b'"explainable"', b'"explanation"').replace(b"released and taken", b"\\u001b[2Jsed and tken"[:18])
        hostile = hostile[:-4] + zlib.crc32(hostile[:-4]).to_bytes(4, "little")
        with open(file, "wb") as opened:
            opened.write(hostile)
        out = self.raddle("explain", file)[1]
        self.assertIn("\\x1b[2J", out)
        self.assertNotIn("\x1b", out)
        passing = os.path.join(self.folder, "passing.replay")
        self.raddle("run", "--save", passing, "--", FIXED)
        status, out, _ = self.raddle("explain", passing)
        self.assertEqual((status, "nothing to explain" in out), (0, True))
        self.refused("explain", ACCOUNT, says="not a replay file")

    def test_replay_of_a_passed_execution(self):
        status, _, err = self.raddle("run", "--seed", "3", "--save", "passed.replay", "--", FIXED)
        self.assertEqual(status, 0)
        self.assertIn("raddle replay passed.replay", err)
        self.assertEqual(self.raddle("replay", "passed.replay")[0], 0)

    def test_replay_elsewhere(self):
        """The recorded folder and environment are used, not those of the caller."""
        recording = self.record()
        self.assertEqual(run("replay", recording, cwd="/", env={"PATH": "/usr/bin"})[0], 1)

    def test_damaged_recordings(self):
        recording = self.record()
        with open(recording, "rb") as file:
            good = file.read()
        damaged = os.path.join(self.work, "damaged")
        for name, data in (("empty", b""), ("cut", good[:len(good) // 2]), ("short", good[:-1]), ("long", good + b"x"),
                           ("text", b"hello\n"), ("flipped", good[:-20] + bytes([good[-20] ^ 1]) + good[-19:])):
            with open(damaged, "wb") as file:
                file.write(data)
            with self.subTest(name=name):
                self.refused("replay", damaged, says=damaged)
        self.refused("replay", self.work)
        self.refused("replay", "/nonexistent")

    def test_recording_of_another_build(self):
        program = os.path.join(self.work, "program")
        shutil.copy(ACCOUNT, program)
        recording = self.record(program)
        shutil.copy(FIXED, program)
        self.refused("replay", recording)
        os.unlink(program)
        self.refused("replay", recording, says="--program PATH names the same build")

    def test_replay_of_a_program_that_lies_elsewhere(self):
        """Another machine: neither the recorded path nor the recorded folder is there."""
        there, here = os.path.join(self.work, "there"), os.path.join(self.work, "here")
        os.mkdir(there)
        os.mkdir(here)
        program = shutil.copy(ACCOUNT, os.path.join(there, "program"))
        status, out, err = run("fuzz", "--json", "--out", here, "-n", "1000", "--", program, cwd=there)
        self.assertEqual(status, 1, err)
        recording = os.path.join(here, json.loads(out)["findings"][0]["replay"])
        shutil.move(program, os.path.join(here, "moved"))
        shutil.rmtree(there)
        self.assertEqual(run("replay", recording, cwd=here)[0], 2)
        for carrier in ("fiber", "kernel"):
            status, out, err = run("replay", "--carrier", carrier, "--program", "moved", recording, cwd=here)
            self.assertEqual(status, 1, out + err)
            self.assertIn("balance_ >= 0", out)
        shutil.copy(FIXED, os.path.join(here, "moved"))
        status, out, err = run("replay", "--program", "moved", recording, cwd=here)
        self.assertEqual((status, "another build" in err), (2, True), out + err)
        status, out, err = run("replay", "--program", "none", recording, cwd=here)
        self.assertEqual((status, "none" in err), (2, True), out + err)

    def test_divergence(self):
        counter = os.path.join(self.work, "counter")
        with open(counter, "w", encoding="utf-8") as file:
            file.write("1")
        status, out, _ = self.raddle("run", "--save", "d.replay", "--", self.hostile, "time", counter)
        self.assertEqual(status, 1)
        status, out, err = self.raddle("replay", "--json", "d.replay")
        self.assertEqual(status, 3, out + err)
        result = json.loads(out)
        self.assertFalse(result["same"])
        self.assertEqual(result["outcome"], "diverged")
        self.assertGreater(result["diverged_step"], 0)
        self.assertIn(f"step {result['diverged_step']}", result["difference"])
        status, out, _ = self.raddle("replay", "d.replay")
        self.assertEqual(status, 3)
        self.assertIn("diverged", out.splitlines()[0])

    def test_divergence_is_admitted_by_fuzz(self):
        counter = os.path.join(self.work, "counter")
        with open(counter, "w", encoding="utf-8") as file:
            file.write("1")
        status, out, _ = self.raddle("fuzz", "--json", "--", self.hostile, "time", counter)
        self.assertEqual(status, 1)
        (finding,) = json.loads(out)["findings"]
        self.assertFalse(finding["replays"])
        self.assertNotEqual(finding["replay_note"], "")

    def test_gdb(self):
        if not expect.can_debug():
            self.skipTest("no gdb, or ptrace is refused here")
        recording = self.record()
        # gdb reads its commands here; twice, since a person starts a program more than once.
        done = subprocess.run([RADDLE, "replay", "--gdb", recording], input=b"bt\nrun\nbt\nquit\n", capture_output=True,
                              cwd=self.work, timeout=120, check=False)
        text = done.stdout.decode(errors="replace")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(text.count("SIGABRT"), 2, text)
        self.assertEqual(len(re.findall(expect.WITHDRAW, text)), 2, text)

    def test_gdbserver(self):
        if not expect.can_debug() or shutil.which("gdbserver") is None:
            self.skipTest("no gdb or gdbserver (scripts/setup tests), or ptrace is refused here")
        recording = self.record()
        for bad in ("0", "65536", "x", ":1", "host:", ""):
            self.refused("replay", "--gdbserver", bad, recording, says="neither a port nor HOST:PORT" if bad else "")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen([RADDLE, "replay", "--gdbserver", str(port), recording], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.work, text=True)
        try:
            said = ""
            while "waiting for a debugger" not in said:
                line = server.stderr.readline()
                self.assertTrue(line, said)
                said += line
            with open("/proc/net/tcp", encoding="ascii") as file:
                listening = [line.split()[1] for line in file if f":{port:04X} " in line and line.split()[3] == "0A"]
            self.assertEqual(listening, [f"0100007F:{port:04X}"])  # 127.0.0.1
            done = subprocess.run(["gdb", "-batch", "-ex", "handle SIG63 nostop noprint pass", "-ex", f"target remote 127.0.0.1:{port}",
                                   "-ex", "continue", "-ex", "bt", "-ex", "kill", ACCOUNT], capture_output=True, text=True,
                                  cwd=self.work, timeout=expect.PATIENCE)
            self.assertIn("SIGABRT", done.stdout)
            self.assertIn("Account::withdraw (", done.stdout)
            self.assertEqual(server.wait(timeout=expect.allowed(60)), 0)
        finally:
            if server.poll() is None:
                server.kill()
            server.wait()
            server.stderr.close()

    def test_gdb_stops_at_a_deadlock(self):
        if not expect.can_debug():
            self.skipTest("no gdb, or ptrace is refused here")
        status, out, _ = self.raddle("fuzz", "--json", "--", os.path.join(PROGRAMS, "two_locks"))
        self.assertEqual(status, 1)
        (finding,) = json.loads(out)["findings"]
        done = subprocess.run([RADDLE, "replay", "--gdb", finding["replay"]], input=b"thread apply all bt\nquit\n",
                              capture_output=True, cwd=self.work, timeout=120, check=False)
        text = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
        self.assertIn("raddle: deadlock", text)
        self.assertEqual(text.count("two_locks.cpp:"), 3, text)

    # Hostile programs

    def test_worker_survives(self):
        for what, executions in (("close", 20), ("kill-parent", 3), ("kill", 20)):
            with self.subTest(what=what):
                status, out, err = self.raddle("fuzz", "--json", "--keep-going", "-n", str(executions), "--",
                                               self.hostile, what)
                self.assertIn(status, (0, 1, 3), err)
                self.assertEqual(json.loads(out)["executions"], executions)

    def test_what_an_execution_starts_ends_with_it(self):
        status, out, err = self.raddle("fuzz", "--json", "-n", "20", "--", self.hostile, "fork")
        self.assertEqual(status, 0, out + err)
        self.assert_no_hostile_process()

    def test_time_limit(self):
        began = time.monotonic()
        status, out, _ = self.raddle("fuzz", "--json", "-n", "1", "--timeout", "300ms", "--", self.hostile, "ignore")
        self.assertLess(time.monotonic() - began, expect.allowed(10))
        self.assertIn(status, (1, 3))  # a livelock if the runtime sees that it spins, else the limit

    def test_step_limit(self):
        status, out, _ = self.raddle("fuzz", "--json", "-n", "1", "--max-steps", "3", "--", FIXED)
        self.assertEqual(status, 3)
        result = json.loads(out)
        self.assertEqual((result["inconclusive"], result["findings"]), (1, []))
        self.assertIn("limit", result["inconclusive_reasons"][0]["message"])

    def test_standard_input(self):
        for data, expected in ((b"12345", 0), (b"123456", 1)):
            done = subprocess.run([RADDLE, "fuzz", "-n", "5", "--keep-going", "--", self.hostile, "input"], input=data,
                                  capture_output=True, cwd=self.work, check=False)
            self.assertEqual(done.returncode, expected, done.stdout)
            done = subprocess.run([RADDLE, "run", "--", self.hostile, "input"], input=data, capture_output=True,
                                  cwd=self.work, check=False)
            self.assertEqual((done.returncode, done.stdout), (expected, data))

    def test_large_output(self):
        status, out, _ = self.raddle("run", "--json", "--", os.path.join(PROGRAMS, "prints_10mb"))
        result = json.loads(out)
        self.assertLess(len(result["stdout"]), 200_000)
        self.assertIn("bytes left out here", result["stdout"])
        self.assertEqual(result["outcome"], "passed")
        self.assertEqual(status, 0)

    # Signals and terminals

    def test_interrupt(self):
        for jobs in ("1", "3"):
            process = subprocess.Popen([RADDLE, "fuzz", "--json", "-j", jobs, "-n", "100000000", "--", FIXED],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=self.work)
            time.sleep(expect.allowed(1))
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=expect.allowed(20))
            self.assertEqual(process.returncode, 3)  # it was cut short
            result = json.loads(out)
            self.assertTrue(result["interrupted"])
            self.assertGreater(result["executions"], 0)

    def start(self, *arguments):
        return subprocess.Popen([RADDLE, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=self.work)

    def assert_no_hostile_process(self):
        for _ in range(int(expect.allowed(50))):
            left = subprocess.run(["pgrep", "-f", self.hostile], capture_output=True, check=False).stdout
            if left == b"":
                return
            time.sleep(0.1)
        self.fail(f"processes are left: {left}")

    def test_run_passes_signals_on(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.start("run", "--", self.hostile, "wait")
            time.sleep(expect.allowed(0.5))
            process.send_signal(number)
            _, err = process.communicate(timeout=expect.allowed(20))
            self.assertEqual(process.returncode, 3, err)
            self.assertIn(b"interrupted", err)
        self.assert_no_hostile_process()

    def test_nothing_outlives_the_tool(self):
        for command in (["run"], ["fuzz", "--timeout", "60s", "-j", "2"]):
            process = self.start(*command, "--", self.hostile, "wait")
            time.sleep(expect.allowed(0.5))
            process.kill()
            process.communicate(timeout=expect.allowed(20))
            self.assert_no_hostile_process()

    def test_progress_on_a_terminal(self):
        master, slave = pty.openpty()
        environment = dict(os.environ, TERM="xterm")
        process = subprocess.Popen([RADDLE, "fuzz", "-n", "3000", "--", FIXED], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=slave, cwd=self.work, env=environment)
        os.close(slave)
        seen = b""
        try:
            while chunk := os.read(master, 4096):
                seen += chunk
        except OSError:
            pass  # the other end is closed
        os.close(master)
        out, _ = process.communicate(timeout=60)
        self.assertRegex(seen.decode(), r"\r.*[#.]{10}  [\d,]+ of 3,000 executions, no failure yet, \d+/s, [\d.]+ [mu]?s left")
        self.assertNotIn(b"\x1b", out)

    def test_colour_on_a_terminal_only(self):
        for extra, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
            master, slave = pty.openpty()
            environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
            environment.update(extra, TERM="xterm")
            subprocess.run([RADDLE, "fuzz", "-n", "2", "--", FIXED], stdin=subprocess.DEVNULL, stdout=slave,
                           stderr=subprocess.DEVNULL, cwd=self.work, env=environment, check=False)
            os.close(slave)
            text = os.read(master, 65536)
            os.close(master)
            self.assertEqual(b"\x1b[" in text, coloured)

    def test_lines_fit_80_columns(self):
        _, out, _ = self.raddle("fuzz", "-n", "200", "--", ACCOUNT)
        for line in out.splitlines():
            if not re.search(r"standard error|Assertion|^raddle:", line):
                self.assertLessEqual(len(line), 80, line)

    def test_nothing_leaks(self):
        """The tool's own descriptors and processes are as many after many executions as after few."""
        process = subprocess.Popen([RADDLE, "fuzz", "-j", "2", "-n", "100000000", "--keep-going", "--", ACCOUNT],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   cwd=self.work)
        try:
            time.sleep(expect.allowed(1))
            descriptors = len(os.listdir(f"/proc/{process.pid}/fd"))
            time.sleep(3)
            # The files with debug information are opened when they are first needed; a leak would be one
            # for each of thousands of executions.
            self.assertLessEqual(len(os.listdir(f"/proc/{process.pid}/fd")), descriptors + 20)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=expect.allowed(30))


if __name__ == "__main__":
    if not os.path.exists(RADDLE):
        sys.exit(f"{RADDLE} is not built")
    unittest.main()
