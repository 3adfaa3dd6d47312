#!/usr/bin/env python3
"""Manual pages and completions: groff reads the pages without a warning, and bash, zsh and fish complete, each in a terminal.

In each shell `raddle` is a function that prints its arguments: what Tab makes of a line is what the function gets.

usage: shell_test.py [-v] [ShellTest.NAME...]
"""

import glob
import os
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

import expect

SHARE = os.path.join(expect.BUILD, "share")
# What is typed, and the arguments that come of it, whatever the shell.
LINES = [
    ("raddle hun\t --bud\t", ["hunt", "--budget"]),
    ("raddle hunt --dec\t ra\t", ["hunt", "--decide", "races"]),
    ("raddle hunt --decide=ra\t", ["hunt", "--decide=races"]),
    ("raddle check --detector race,lock\t", ["check", "--detector", "race,lockset"]),
    ("raddle replay ./zebra\t", ["replay", "./zebra.replay"]),
    ("raddle fuzz --out fold\t", ["fuzz", "--out", "folder/"]),
    ("raddle hunt -- ./pro\t", ["hunt", "--", "./program"]),
    ("raddle hunt --budget 3s -- ls --json fold\t", ["hunt", "--budget", "3s", "--", "ls", "--json", "folder/"]),
    ("raddle help mini\t", ["help", "minimize"]),
]
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile"], "raddle() { printf '<%s>' \"$@\"; echo ' END'; }\nbind 'set bell-style none'\n"
             f"source {SHARE}/bash/raddle\nPS1='READY> '\n"),
    "zsh": (["zsh", "-f"], "raddle() { printf '<%s>' \"$@\"; echo ' END' }\nunsetopt PROMPT_SP BEEP AUTO_REMOVE_SLASH\n"
            f"fpath=({SHARE}/zsh $fpath)\nautoload -Uz compinit\ncompinit -u -D\nPROMPT='READY> '\n"),
    "fish": (["fish", "--no-config"], "set -g fish_autosuggestion_enabled 0\nfunction raddle; printf '<%s>' $argv; echo ' END'; end\n"
             f"source {SHARE}/fish/raddle.fish\nfunction fish_prompt; printf 'READY> '; end\n"),
}


# What shells and man send to a terminal besides text: titles, modes, bold and underlined.
CONTROL = r"\x1b\][^\x07]*\x07|\x1b\[[0-9;?<=>]*[A-Za-z]|\x1b[=>]"


def read(path):
    with open(path) as file:
        return file.read()


class Terminal:
    """A shell on a terminal of its own."""

    def __init__(self, command, folder):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            environment = {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": folder, "LC_ALL": "C.UTF-8", "COLUMNS": "200"}
            os.execvpe(command[0], command, environment)

    def read_until(self, pattern, seconds=20):
        text, end = "", time.monotonic() + seconds
        while not re.search(pattern, text):
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"no {pattern!r} in {text!r}")
            text += os.read(self.fd, 65536).decode(errors="replace")
            text = re.sub(CONTROL, "", text)
        return text

    def type(self, text):
        os.write(self.fd, text.encode())

    def close(self):
        os.close(self.fd)  # the shell gets SIGHUP
        os.waitpid(self.pid, 0)


class ShellTest(unittest.TestCase):
    def completed(self, shell):
        if shutil.which(shell) is None:
            self.skipTest(f"{shell} is not installed (scripts/setup tests)")
        command, setup = SHELLS[shell]
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "folder"))
            open(os.path.join(folder, "zebra.replay"), "w").close()
            with open(os.path.join(folder, "program"), "w") as file:
                os.fchmod(file.fileno(), 0o755)
            with open(os.path.join(folder, "setup"), "w") as file:
                file.write(setup)
            terminal = Terminal(command, folder)
            try:
                terminal.type("source ./setup\r")
                terminal.read_until("READY> $")
                for typed, wanted in LINES:
                    with self.subTest(shell=shell, typed=typed):
                        for words, tab in re.findall(r"([^\t]+)(\t?)", typed):
                            terminal.type(words)
                            terminal.read_until(re.escape(words.split()[-1]) + " ?$")
                            terminal.type(tab)
                            terminal.read_until(".")  # each of these lines changes
                        terminal.type("\r")
                        said = terminal.read_until(r" END[\s\S]*READY> $")
                        got = re.findall(r"<([^>]*)>", said[said.rindex("\n<") if "\n<" in said else 0:])
                        self.assertEqual(got, wanted, said)
            finally:
                terminal.close()

    def test_bash(self):
        self.completed("bash")

    def test_zsh(self):
        self.completed("zsh")

    def test_fish(self):
        self.completed("fish")

    def test_everything_is_offered(self):
        """Each command and each long option of --help is in the three completions and in the pages."""
        texts = {path: read(os.path.join(SHARE, path)) for path in ("bash/raddle", "zsh/_raddle", "fish/raddle.fish")}
        listed = subprocess.run([expect.RADDLE, "--help"], capture_output=True, text=True, check=True).stdout
        commands = re.findall(r"^  ([a-z]+) ", listed[listed.index("Subcommands:"):], re.M)
        self.assertIn("hunt", commands)
        for command in commands:
            page = read(os.path.join(SHARE, "man", "man1", f"raddle-{command}.1"))
            helped = subprocess.run([expect.RADDLE, command, "--help"], capture_output=True, text=True, check=True).stdout
            for option in re.findall(r"^  (?:-\w,)?--([a-z-]+)", helped, re.M):
                self.assertIn("--" + option, texts["bash/raddle"])
                self.assertIn("--" + option, texts["zsh/_raddle"])
                self.assertIn(f"-n '__raddle_in {command}'", texts["fish/raddle.fish"])
                self.assertRegex(texts["fish/raddle.fish"], f"-n '__raddle_in {command}'.* -l {option} ")
                self.assertIn("\\-\\-" + option.replace("-", "\\-"), page)

    def test_man_pages(self):
        if shutil.which("man") is None:
            self.skipTest("man is not installed (scripts/setup tests)")
        pages = sorted(glob.glob(os.path.join(SHARE, "man", "man1", "*.1")))
        self.assertGreater(len(pages), 10)
        for page in pages:
            shown = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page], capture_output=True, text=True,
                                   env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MANPAGER": "cat"})
            self.assertEqual((shown.returncode, shown.stderr), (0, ""), page)
            for section in ("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
                self.assertRegex(re.sub(f".\b|{CONTROL}", "", shown.stdout), f"(?m)^{section}")


if __name__ == "__main__":
    unittest.main()
