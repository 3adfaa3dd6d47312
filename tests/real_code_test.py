#!/usr/bin/env python3
"""Real code, built with raddle-cc and raddle-c++ by its own build system, runs with correct results natively, under
control and while it is recorded: zstd and pigz from Debian's source packages, and GoogleTest's tests of itself.

usage: real_code_test.py [NAME...]   only those whose name contains one of these
"""

import os
import shutil
import subprocess
import sys

import expect
from debian_programs_test import pseudo_text
from expect import Problem

CC = expect.CC
CXX = os.path.join(expect.BUILD, "bin/raddle-c++")
FETCH = os.path.join(expect.TESTS, "../bench/fetch_source")
GOOGLETEST = "/usr/src/googletest"


def run(command, **options):
    done = subprocess.run(command, capture_output=True, check=False, **options)
    if done.returncode != 0:
        text = (done.stdout + done.stderr).decode(errors="replace")
        raise Problem(f"{' '.join(command)}: exit {done.returncode}\n{text[-3000:]}")
    return done.stdout


def fetched(package, folder):
    source = os.path.join(folder, package)
    done = subprocess.run([FETCH, package, source], capture_output=True, check=False)
    return source if done.returncode == 0 else None


def three_ways(command, check):
    """Natively, under control with a few seeds, and recorded; check() after each."""
    run(command)
    check()
    for seed in ("1", "2", "3"):
        status, result = expect.raddle(["run", "--seed", seed, "--", *command])
        if status != 0:
            raise Problem(f"seed {seed}: {result['outcome']} {result['stderr'][-500:]}")
        check()
    with expect.scratch() as folder:
        trace = os.path.join(folder, "trace")
        status, result = expect.raddle(["record", "-o", trace, "--", *command])
        if status != 0:
            raise Problem(f"recorded: {result['outcome']} {result['stderr'][-500:]}")
        check()
        recorded = result["trace"]
        if not recorded["instrumented"] or recorded["events"] < 1000:
            raise Problem(f"the recording is {recorded}")
        each = recorded["bytes"] / recorded["events"]
        if recorded["events"] > 1_000_000 and each > 6:  # in a short one the names of things are what counts
            raise Problem(f"{each:.2f} bytes an event on disk")
        run([expect.RADDLE, "trace", "--stats", trace])
    return f"{result['threads']} threads, {recorded['events']} events, {each:.2f} bytes each"


def compressed(folder, decompress, suffix, command):
    """`command` makes INPUT + suffix from the file INPUT."""
    data = pseudo_text(400_000, 2)
    path = os.path.join(folder, "input")
    with open(path, "wb") as file:
        file.write(data)

    def check():
        if run([*decompress, path + suffix]) != data:
            raise Problem("the output does not decompress to the input")
        os.remove(path + suffix)

    return three_ways([*command, path], check)


def zstd(folder):
    source = fetched("zstd", folder) or fetched("libzstd", folder)
    if source is None:
        raise Problem("the source package of zstd cannot be fetched")
    run(["make", "-s", "-j2", "-C", os.path.join(source, "programs"), "zstd", f"CC={CC}", "CFLAGS=-O1 -g",
         "HAVE_ZLIB=0", "HAVE_LZMA=0", "HAVE_LZ4=0"])
    return compressed(folder, ["zstd", "-dcq"], ".zst",
                      [os.path.join(source, "programs/zstd"), "-T4", "-B32K", "-q", "-k", "-f"])


def pigz(folder):
    """Or pbzip2, where the package sources have the binary package of pigz but not its source."""
    source = fetched("pigz", folder)
    if source is not None:
        run(["make", "-s", "-j2", "-C", source, "pigz", f"CC={CC}", "CFLAGS=-O2 -g"])
        program, suffix, arguments, decompress = "pigz", ".gz", ["-p4", "-b", "32", "-k", "-f"], ["gzip", "-dc"]
    else:
        source = fetched("pbzip2", folder)
        if source is None:
            raise Problem("neither the source of pigz nor that of pbzip2 can be fetched")
        run(["make", "-s", "-j2", "-C", source, "pbzip2", f"CXX={CXX}", "CXXFLAGS=-O2 -g -pthread -std=gnu++98"])
        program, suffix, arguments, decompress = "pbzip2", ".bz2", ["-p4", "-1", "-b1", "-k", "-f"], ["bzip2", "-dc"]
    return f"{program}: " + compressed(folder, decompress, suffix, [os.path.join(source, program), *arguments])


def googletest(folder):
    if not os.path.isdir(GOOGLETEST):
        raise Problem("googletest is not installed (scripts/setup tests)")
    build = os.path.join(folder, "build")
    run(["cmake", "-G", "Ninja", "-S", GOOGLETEST, "-B", build, f"-DCMAKE_C_COMPILER={CC}",
         f"-DCMAKE_CXX_COMPILER={CXX}", "-DCMAKE_BUILD_TYPE=Release", "-Dgtest_build_tests=ON", "-DBUILD_GMOCK=OFF",
         "-Wno-dev"])
    suites = ["gtest_stress_test", "gtest_pred_impl_unittest", "googletest-message-test", "googletest-listener-test"]
    run(["ninja", "-C", build, *suites])
    told = []
    for suite in suites:
        [program] = [os.path.join(at, suite) for at, _, names in os.walk(build) if suite in names]
        told.append(f"{suite} " + three_ways([program], lambda: None))
    return "; ".join(told)


CASES = [("zstd", zstd), ("pigz", pigz), ("googletest", googletest)]


def check_case(case):
    with expect.scratch() as folder:
        return case[1](folder)


def main():
    wanted = [case for case in CASES if not sys.argv[1:] or any(word in case[0] for word in sys.argv[1:])]
    if shutil.which("clang-19") is None:
        sys.exit("clang-19 is not installed (scripts/setup)")
    # Compiling them takes minutes.
    expect.run_all(check_case, wanted, lambda case: case[0], long=["zstd", "googletest"])


main()
