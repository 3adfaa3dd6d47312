#!/usr/bin/env python3
"""The commands that share/raddle/gdb.py adds to gdb: raddle steps, where, threads, until; and stacks without the runtime's frames.

usage: gdb_test.py [-v] [GdbTest.NAME...]
"""

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import unittest
from xml.etree import ElementTree

import expect

ACCOUNT = os.path.join(expect.BUILD, "examples", "account")
EDITORS = os.path.join(expect.TESTS, "..", "examples", "editors")
COMMANDS = os.path.join(expect.BUILD, "share", "raddle", "gdb.py")
RUNTIME_SOURCES = re.compile(r"/target/\w+/|libraddle\.so")


@unittest.skipUnless(expect.can_debug(), "no gdb, or ptrace is refused here")
class GdbTest(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="raddle-gdb-test-")

    def tearDown(self):
        shutil.rmtree(self.work)

    def record(self, program):
        """A recording of a failing execution, and what its replay shows: the steps of the explanation."""
        done = subprocess.run([expect.RADDLE, "fuzz", "--json", "--", program], capture_output=True, text=True, cwd=self.work,
                              stdin=subprocess.DEVNULL, timeout=expect.PATIENCE)
        (finding,) = json.loads(done.stdout)["findings"]
        shown = subprocess.run([expect.RADDLE, "replay", "--json", finding["replay"]], capture_output=True, text=True, cwd=self.work)
        return finding["replay"], json.loads(shown.stdout)

    def gdb(self, recording, *commands):
        """What gdb printed after each command."""
        marked = "".join(f"{command}\necho ---\\n\n" for command in ("echo", *commands)) + "quit\n"
        done = subprocess.run([expect.RADDLE, "replay", "--gdb", recording], input=marked, capture_output=True, text=True,
                              cwd=self.work, timeout=expect.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Traceback", done.stdout + done.stderr)
        self.assertNotIn("Python Exception", done.stdout + done.stderr)
        parts = [part.strip().removeprefix("(gdb) ").removesuffix("(gdb)").strip() for part in done.stdout.split("---\n")]
        self.assertEqual(len(parts), len(commands) + 2, done.stdout)
        return parts[1:-1], done.stderr

    def test_from_the_failure_back_to_a_step(self):
        recording, shown = self.record(ACCOUNT)
        steps = {step["step"]: step for step in shown["explanation"]["steps"]}
        self.assertGreaterEqual(len(steps), 3)
        (every, where, stack), _ = self.gdb(recording, "raddle steps all", "raddle where", "backtrace")
        lines = every.splitlines()
        self.assertEqual(lines[-1], f"All {shown['steps']} steps of the schedule were executed.")
        self.assertEqual([int(line.replace("=>", "  ").split()[0]) for line in lines[:-1]], list(range(shown["steps"])))
        for number, step in steps.items():  # the report and gdb say the same of a step
            self.assertIn(f'T{step["thread"]} "spend"', lines[number])
            self.assertIn(f'account.cpp:{step["where"]["line"]} ', lines[number])
            self.assertIn("lock account.mutex_", lines[number])
        self.assertIn("account.cpp:19", where)
        self.assertIn("Account::withdraw", where)
        for text in (where, stack):
            self.assertIsNone(RUNTIME_SOURCES.search(text), text)
        self.assertRegex(stack, expect.WITHDRAW)

        # Every step of the explanation, the last first: each time the program starts anew.
        first, *_, last = sorted(steps)
        commands = []
        for number in (last, first, last):
            commands += [f"raddle until {number}", "raddle where", "raddle threads", "backtrace"]
        answers, _ = self.gdb(recording, *commands)
        for i, number in enumerate((last, first, last)):
            until, where, threads, stack = answers[4 * i:4 * i + 4]
            step = steps[number]
            said = f'step {number} of {shown["steps"]} is next: T{step["thread"]} "spend", lock account.mutex_'
            self.assertEqual(until.startswith("step " + str(number) + " is behind"), i < 2, until)
            for text in (until, where):
                self.assertIn(said, text)
                self.assertIn(f'account.cpp:{step["where"]["line"]}\n', text + "\n")
            self.assertRegex(threads, f'(?m)^T{step["thread"]} "spend".* next: lock account.mutex_.* account.cpp:{step["where"]["line"]} ')
            self.assertRegex(threads, r'(?m)^T0 "main" .* waits: join T1 "spend" .* in main$')
            self.assertIsNone(RUNTIME_SOURCES.search(stack), stack)

    def test_the_program_stays_where_it_is(self):
        """To look at an execution does not make it run: the same answers again and again, and the same failure in the end."""
        recording, shown = self.record(ACCOUNT)
        step = shown["explanation"]["steps"][0]["step"]
        looks = ["raddle where", "raddle threads", "raddle steps all"]
        answers, _ = self.gdb(recording, f"raddle until {step}", *looks, *looks, "continue", f"raddle until {step}", *looks, "continue")
        self.assertEqual(answers[1:4], answers[4:7])
        self.assertEqual([re.sub(r"gdb \d+", "", text) for text in answers[1:4]], [re.sub(r"gdb \d+", "", text) for text in answers[9:12]])
        self.assertIn("SIGABRT", answers[7])
        self.assertIn("SIGABRT", answers[12])

    def test_deadlock(self):
        recording, shown = self.record(os.path.join(expect.BUILD, "tests", "programs", "two_locks"))
        (threads,), _ = self.gdb(recording, "raddle threads")
        waiting = re.findall(r"(?m)^T(\d).* waits: lock (\w+), which T(\d)\S* .*has +two_locks\.cpp:\d+ ", threads)
        self.assertEqual(len(waiting), 2, threads)
        (one, first, holder), (other, second, back) = waiting
        self.assertEqual((one, other), (back, holder))
        self.assertNotEqual(first, second)

    def test_what_is_wrong(self):
        recording, shown = self.record(ACCOUNT)
        _, said = self.gdb(recording, "raddle until", "raddle until -1", f"raddle until {shown['steps']}", "raddle steps 9 3", "raddle steps x",
                           f"raddle steps {shown['steps']}")
        last = shown["steps"] - 1
        self.assertEqual([line for line in said.splitlines() if line.startswith(("raddle:", "usage:"))],
                         ["usage: raddle until STEP"] * 2 + [f"raddle: the schedule has the steps 0 to {last}"] * 2 +
                         ["usage: raddle steps [FROM [TO] | all]", f"raddle: the schedule has the steps 0 to {last}"])
        # A program that Raddle knows nothing of.
        done = subprocess.run(["gdb", "-batch", "-ex", f"source {COMMANDS}", "-ex", "raddle where", "/bin/true"], capture_output=True,
                              text=True, timeout=expect.PATIENCE)
        self.assertIn("raddle: this program does not run under Raddle, or has not begun", done.stderr)

    def settings_of_vs_code(self):
        """What the example tells gdb before it connects, and where to. Its keys are those that the C/C++ extension documents."""
        with open(os.path.join(EDITORS, "launch.json"), encoding="utf-8") as file:
            (settings,) = json.load(file)["configurations"]
        self.assertEqual(set(settings), {"name", "type", "request", "program", "cwd", "MIMode", "miDebuggerServerAddress", "stopAtConnect",
                                         "setupCommands"})
        self.assertEqual((settings["type"], settings["request"], settings["MIMode"]), ("cppdbg", "launch", "gdb"))
        return [command["text"] for command in settings["setupCommands"]], settings["miDebuggerServerAddress"]

    def settings_of_clion(self):
        (settings,) = ElementTree.parse(os.path.join(EDITORS, "raddle.run.xml")).getroot()
        self.assertEqual((settings.tag, settings.get("type"), settings.find("debugger").get("kind")), ("configuration", "CLion_Remote", "GDB"))
        self.assertTrue(settings.get("symbolFile"))
        with open(os.path.join(EDITORS, "gdbinit"), encoding="utf-8") as file:
            return [line.strip() for line in file if not line.startswith("#")], settings.get("remoteCommand")

    def test_editors(self):
        self.assertEqual(self.settings_of_vs_code(), self.settings_of_clion())

    @unittest.skipIf(shutil.which("gdbserver") is None, "no gdbserver (scripts/setup tests)")
    def test_elsewhere(self):
        """A debugger that connects as the examples for editors say."""
        recording, shown = self.record(ACCOUNT)
        step = shown["explanation"]["steps"][-1]
        before, address = self.settings_of_vs_code()
        before = [command.replace("/usr/share/raddle/gdb.py", COMMANDS) for command in before]
        self.assertIn(f"source {COMMANDS}", before)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        address = address.replace("2345", str(port))
        with subprocess.Popen([expect.RADDLE, "replay", "--gdbserver", str(port), recording], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.work, text=True) as server:
            try:
                while "waiting for a debugger" not in server.stderr.readline():
                    self.assertIsNone(server.poll())
                commands = [*before, f"target remote {address}", f"raddle until {step['step']}", "raddle threads",
                            "raddle steps", "raddle until 0", "continue", "kill"]
                done = subprocess.run(["gdb", "-batch", *(word for command in commands for word in ("-ex", command)), ACCOUNT],
                                      capture_output=True, text=True, cwd=self.work, timeout=expect.PATIENCE)
                self.assertEqual(server.wait(timeout=expect.allowed(60)), 0)
            finally:
                if server.poll() is None:
                    server.kill()
        self.assertIn(f'step {step["step"]} of {shown["steps"]} is next: T{step["thread"]} "spend", lock account.mutex_\n', done.stdout)
        self.assertRegex(done.stdout, rf'(?m)^T{step["thread"]} "spend".* next: lock account.mutex_ +account.cpp:{step["where"]["line"]} ')
        self.assertRegex(done.stdout, rf'(?m)^=> +{step["step"]} . T{step["thread"]} "spend" +lock account.mutex_ ')
        self.assertIn("raddle: step 0 is behind, and a program in gdbserver cannot be started anew", done.stderr)
        self.assertIn("SIGABRT", done.stdout)


if __name__ == "__main__":
    unittest.main()
