#!/usr/bin/env python3
"""raddle-cc and raddle-c++ take clang's options: what they make runs, nothing warns, and what does not compile or link
behaves as clang does. The environment variable RADDLE_BUILD names the build tree."""

import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ.get("RADDLE_BUILD", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build"))
CC = os.path.join(BUILD, "bin", "raddle-cc")
CXX = os.path.join(BUILD, "bin", "raddle-c++")

MAIN = """#include <stdio.h>
int counter;
int main(void) { counter += 2; printf("%d\\n", counter); return 0; }
"""
LIBRARY = "int total; int add(int n) { total += n; return total; }\n"
USER = "#include <stdio.h>\nint add(int);\nint main(void) { add(1); printf(\"%d\\n\", add(1)); return 0; }\n"


class Driver(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, text in (("main.c", MAIN), ("main.cpp", MAIN), ("library.c", LIBRARY), ("user.c", USER)):
            with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
                file.write(text)

    def call(self, *command, status=0, quiet=True, **more):
        done = subprocess.run(command, cwd=self.folder.name, capture_output=True, text=True, timeout=300, **more)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stderr}")
        if quiet:
            self.assertEqual(done.stderr, "", command)
        return done.stdout

    def check_program(self, name="program"):
        self.assertEqual(self.call(f"./{name}"), "2\n")

    def sections(self, name):
        return self.call("readelf", "-SW", name)

    def test_compile_and_link(self):
        for level in ("-O0", "-O1", "-O2", "-O3", "-Os"):
            self.call(CC, level, "-Wall", "-Werror", "main.c", "-o", "program")
            self.check_program()
            self.assertIn("raddle_sites", self.sections("program"))
        self.call(CXX, "-fno-exceptions", "-fno-rtti", "-O2", "-Werror", "main.cpp", "-o", "program")
        self.check_program()

    def test_in_steps(self):
        self.call(CC, "-c", "main.c", "-Werror")
        self.call(CC, "-Werror", "main.o", "-o", "program")
        self.check_program()
        self.call(CC, "-r", "main.o", "-o", "joined.o")
        self.call(CC, "joined.o", "-o", "program")
        self.check_program()
        self.call(CC, "-S", "-Werror", "main.c")
        self.call(CC, "-c", "-Werror", "main.s")

    def test_libraries(self):
        self.call(CC, "-shared", "-fPIC", "-Werror", "library.c", "-o", "liblibrary.so")
        self.call(CC, "-Werror", "user.c", "-L.", "-llibrary", "-Wl,-rpath,.", "-o", "program")
        self.check_program()
        self.call(CC, "-c", "library.c")
        self.call("ar", "rcs", "libarchive.a", "library.o")
        self.call(CC, "user.c", "libarchive.a", "-o", "program")
        self.check_program()
        self.call("clang-19", "user.c", "-L.", "-llibrary", "-Wl,-rpath,.", "-o", "program")
        self.check_program()

    def test_ways_to_link(self):
        for options in (["-static"], ["-no-pie"], ["-static-pie"], ["-Wl,--gc-sections", "-ffunction-sections"],
                        ["-flto"], ["-g0"], ["-gline-tables-only"], ["-fsanitize=address"], ["-nodefaultlibs", "-lc"]):
            self.call(CC, "-O2", *options, "user.c", "library.c", "-o", "program", quiet=False)
            self.check_program()

    def test_preprocess(self):
        self.assertIn("counter += 2", self.call(CC, "-E", "-Werror", "main.c"))
        self.assertEqual(self.call(CC, "-MM", "-Werror", "main.c"), "main.o: main.c\n")
        self.assertIn("__RADDLE__ 1", self.call(CC, "-E", "-dM", "main.c"))

    def test_questions(self):
        for question in ("--version", "-print-prog-name=ld", "-dumpversion", "-dumpmachine", "-print-search-dirs",
                         "-print-file-name=libc.so", "-print-resource-dir"):
            self.assertEqual(self.call(CC, question), self.call("clang-19", question))
        self.call(CC, "-v", quiet=False)
        self.call(CC, "-###", "main.c", quiet=False)
        self.call(CC, status=1, quiet=False)
        self.call(CC, "missing.c", status=1, quiet=False)

    def test_standard_input_and_response_file(self):
        self.call(CC, "-x", "c", "-", "-o", "program", input=MAIN)
        self.check_program()
        with open(os.path.join(self.folder.name, "arguments"), "w", encoding="utf-8") as file:
            file.write("-O2 main.c\n-o program\n")
        self.call(CC, "@arguments")
        self.check_program()
        self.call(CC, "-c", "--", "main.c")

    def test_through_a_link(self):
        os.symlink(CXX, os.path.join(self.folder.name, "c++"))
        self.call("./c++", "main.cpp", "-o", "program")
        self.check_program()

    def test_debug_information(self):
        self.call(CC, "-c", "main.c")
        self.assertIn(".debug_info", self.sections("main.o"))
        self.call(CC, "-g0", "-c", "main.c")
        self.assertNotIn(".debug_info", self.sections("main.o"))

    def test_no_sanitize(self):
        source = """
        #if !__has_attribute(no_sanitize)
        #error
        #endif
        __attribute__((no_sanitize("raddle"))) int a(int* p) { return ++*p; }
        __attribute__((no_sanitize("address", "undefined"))) int b(int* p) { return ++*p; }
        """
        plus = source + '[[clang::no_sanitize("raddle")]] int c(int* p) { return ++*p; }\n'
        for driver, language, text in ((CC, "c", source), (CXX, "c++", plus)):
            self.call(driver, "-Wall", "-Wextra", "-Werror", "-x", language, "-c", "-", "-o", "x.o", input=text)
            symbols = self.call("nm", "x.o")
            hooked = [line.split()[-1] for line in symbols.splitlines() if line.endswith(".raddle")]
            self.assertIn("b.raddle" if language == "c" else "_Z1bPi.raddle", hooked)
            self.assertNotIn("a.raddle" if language == "c" else "_Z1aPi.raddle", hooked)

    def test_without_clang(self):
        with tempfile.TemporaryDirectory() as empty:
            for tool in ("sh", "readlink", "cat"):
                os.symlink(f"/bin/{tool}", os.path.join(empty, tool))
            done = subprocess.run([CC, "main.c"], env={"PATH": empty}, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "raddle-cc: clang-19 not found; install the package clang-19\n")


if __name__ == "__main__":
    sys.exit(unittest.main())
