#!/usr/bin/env python3
"""raddle-c++ --mop weaves events into calls: the same ones at -O0 and -O2, and says what it cannot do. The programs and
their specifications are in tests/enforce/; recorder.cpp prints each event. RADDLE_BUILD names the build tree."""

import os
import re
import subprocess
import tempfile
import unittest

import expect

MOP = os.path.join(expect.BUILD, "bin", "raddle-mop")
PROGRAMS = os.path.join(expect.TESTS, "enforce")

SPECIFICATION = """P(Fork f) {
  event e before(Fork f) : call(* Fork::take(..)) && target(f) { %s }
  fsm : s [ e -> s ]
  @fail { }
}
"""
PROGRAM = """struct Fork { %s };
int main() { Fork f; f.take(); }
"""


def without_lines(events):
    """Without the numbers of the lines of the C++ library's headers, which are others in each version."""
    return re.sub(r"(\w+\.h):\d+", r"\1", events)


class Weave(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_in(self, *command):
        return subprocess.run(command, cwd=self.folder.name, capture_output=True, text=True, timeout=120)

    def check_program(self, name, *more):
        with open(os.path.join(PROGRAMS, f"{name}.txt"), encoding="utf-8") as file:
            expected = file.read()
        sources = [os.path.join(PROGRAMS, f"{name}.cpp"), *more]
        for level in ("-O0", "-O2"):
            built = self.run_in(expect.CXX, level, "--mop", os.path.join(PROGRAMS, f"{name}.mop"), *sources, "-o", "program")
            self.assertEqual((built.returncode, built.stderr), (0, ""))
            self.assertEqual(without_lines(self.run_in("./program").stdout), without_lines(expected), level)

    def test_every_kind_of_call(self):
        self.check_program("woven", os.path.join(PROGRAMS, "recorder.cpp"))

    def test_calls_that_name_no_function(self):
        self.check_program("indirect")

    def test_an_event_that_matches_nothing(self):
        self.write("p.mop", SPECIFICATION % "")
        self.write("p.cpp", "struct Fork { void take_it() {} };\nint main() { Fork f; f.tak(); }\n".replace("tak()", "take_it()"))
        built = self.run_in(expect.CXX, "--mop", "p.mop", "p.cpp", os.path.join(PROGRAMS, "recorder.cpp"), "-o", "program")
        self.assertEqual(built.returncode, 0)
        self.assertEqual(built.stderr, "p.mop:2: warning: the event `P.e` matches nothing in program: call(* Fork::take(..))\n"
                                       "  the nearest functions are Fork::take_it()\n")
        # In steps: what matters is the whole program.
        self.write("q.cpp", PROGRAM.replace("int main", "void other") % "void take() {}")
        for name in ("p", "q"):
            self.assertEqual(self.run_in(expect.CXX, "--mop", "p.mop", "-c", f"{name}.cpp").stderr, "")
        built = self.run_in(expect.CXX, "--mop=p.mop", "p.o", "q.o", os.path.join(PROGRAMS, "recorder.cpp"), "-o", "program")
        self.assertEqual((built.returncode, built.stderr), (0, ""))

    def test_no_default_for_skip(self):
        self.write("p.mop", SPECIFICATION % "__SKIP;")
        for member, fails in (("int take() { return 1; }", False), ("int& take() { static int i; return i; }", True),
                              ("Fork take() { return {}; }", True)):
            self.write("p.cpp", PROGRAM % member)
            built = self.run_in(expect.CXX, "--mop", "p.mop", "-c", "p.cpp")
            self.assertEqual(built.returncode != 0, fails, member)
            if fails:
                self.assertIn("p.cpp:2:24", built.stderr)
                self.assertIn("whose result has no default", built.stderr)

    def test_a_wrong_specification_leaves_no_file(self):
        self.write("p.mop", (SPECIFICATION % "").replace("s [ e", "s [ f"))
        self.write("p.cpp", "stale")
        made = self.run_in(MOP, "p.mop", "-o", "p.cpp")
        self.assertEqual(made.returncode, 2)
        self.assertEqual(made.stderr.splitlines()[0].split("error")[0], "p.mop:3:13: ")
        self.assertEqual(made.stderr.splitlines()[2], "              ^")
        self.assertEqual(os.listdir(self.folder.name), ["p.mop"])
        self.write("p.cpp", PROGRAM % "void take() {}")
        self.assertEqual(self.run_in(expect.CXX, "--mop", "p.mop", "p.cpp", "-o", "program").returncode, 2)
        self.assertNotIn("program", os.listdir(self.folder.name))

    def test_what_is_no_specification(self):
        self.write("binary.mop", "\0\x01\x7f\n")
        self.write("empty.mop", "")
        self.write("p.mop", SPECIFICATION % "")
        for arguments, words in (([".", "-o", "x.cpp"], "cannot read .: Is a directory"),
                                 (["none.mop", "-o", "x.cpp"], "cannot read none.mop: No such file or directory"),
                                 (["binary.mop", "-o", "x.cpp"], "binary.mop:1:1: error: expected"),
                                 (["empty.mop", "-o", "x.cpp"], "empty.mop:1:1: error: expected a property"),
                                 (["p.mop", "-o", "none/x.cpp"], "cannot write none/x.cpp: No such file or directory"),
                                 ([], "expected a file")):
            made = self.run_in(MOP, *arguments)
            self.assertEqual(made.returncode, 2, arguments)
            self.assertIn(words, made.stderr)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["binary.mop", "empty.mop", "p.mop"])

    def test_by_hand(self):
        """The generated functions with another compiler, as the package links them."""
        self.write("fork.mop", """enforce OneFork(Fork f, int n) {
  event acquire before(Fork f, int n) : call(* Fork::acquire(int)) && target(f) && args(n) {}
  event release after(Fork f, int n) : call(* Fork::release(int)) && target(f) && args(n) {}
  fsm : free [ acquire -> busy ] busy [ release -> free ]
  @nonfail {}
}
""")
        self.write("main.cpp", """#include "fork_mop.hpp"
struct Fork {};
int main(int argc, char**) {
  Fork fork;
  mop::OneFork::acquire(&fork, -1, RADDLE_HERE);
  mop::OneFork::acquire(&fork, 2);
  if (argc == 1) mop::OneFork::release(&fork, -1);
  mop::OneFork::acquire(&fork, -1, RADDLE_HERE);
  mop::OneFork::destroyed_f(&fork);
  mop::OneFork::acquire(&fork, -1);
}
""")
        self.assertEqual(self.run_in(MOP, "fork.mop", "-o", "fork_mop.cpp").returncode, 0)
        built = self.run_in("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", os.path.join(expect.TESTS, "..", "include"), "main.cpp",
                            "fork_mop.cpp", os.path.join(expect.BUILD, "lib", "raddle", "libraddle_enforce.a"), "-pthread", "-ldl", "-o", "app")
        self.assertEqual((built.returncode, built.stderr), (0, ""))
        kept = self.run_in("./app")
        self.assertEqual((kept.returncode, kept.stderr), (0, ""))
        broken = self.run_in("./app", "bad")
        self.assertNotEqual(broken.returncode, 0)
        self.assertIn("cannot be enforced: `acquire` at main.cpp:8", broken.stderr)

    def test_threads_and_the_program_end(self):
        self.write("p.mop", """#include <cstdio>
Moments() {
  event start before() : startThread() { std::printf("start\\n"); }
  event end after() : endThread() { std::printf("end\\n"); }
  event named after() : endThread() && threadName("worker") { std::printf("end of worker\\n"); }
  event exit before() : endProgram() { std::printf("exit\\n"); }
  ere : (start | end | named)* exit
  @fail { std::printf("violated\\n"); }
}
""")
        self.write("p.cpp", """#include <pthread.h>
#include <thread>
int main() {
  std::thread([] { pthread_setname_np(pthread_self(), "worker"); }).join();
  std::thread([] { pthread_exit(nullptr); }).join();
}
""")
        built = self.run_in(expect.CXX, "--mop", "p.mop", "-pthread", "p.cpp", "-o", "program")
        self.assertEqual((built.returncode, built.stderr), (0, ""))
        self.assertEqual(self.run_in("./program").stdout, "start\nend\nend of worker\nstart\nend\nexit\n")

    def test_a_handler_that_throws(self):
        self.write("p.mop", (SPECIFICATION % "").replace("@fail { }", "@s { throw 1; }"))
        self.write("p.cpp", PROGRAM % "void take() {}")
        self.assertEqual(self.run_in(expect.CXX, "--mop", "p.mop", "p.cpp", "-o", "program").returncode, 0)
        done = self.run_in("./program")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("@s of P threw an exception at p.cpp:2", done.stderr)

    def test_mistakes_in_code_have_their_place(self):
        self.write("p.mop", SPECIFICATION % "undeclared();")
        self.write("p.cpp", PROGRAM % "void take() {}")
        built = self.run_in(expect.CXX, "--mop", "p.mop", "p.cpp", "-o", "program")
        self.assertNotEqual(built.returncode, 0)
        self.assertIn("p.mop:2:66: error: use of undeclared identifier", built.stderr)


if __name__ == "__main__":
    unittest.main()
