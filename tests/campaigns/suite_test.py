#!/usr/bin/env python3
"""raddle suite, end to end: tests from ctest, GoogleTest, Catch2 and command lines; what is said of tests that cannot be searched; the same
findings and the same outcome for each plan with 1, 2 and 8 workers; a suite that is killed goes on; its end by risk.

usage: suite_test.py [NAME...]     only what has one of these in its name
"""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import expect  # noqa: E402
from expect import Problem  # noqa: E402

ACCOUNT = os.path.join(expect.BUILD, "examples", "account")
FIXED = os.path.join(expect.BUILD, "examples", "account_fixed")

GTEST = r"""
#include <gtest/gtest.h>
#include <thread>
#include <mutex>
static int counter;
static std::mutex m;
static void add() { int seen; { std::lock_guard l(m); seen = counter; } { std::lock_guard l(m); counter = seen + 1; } }
static void add_locked() { std::lock_guard l(m); ++counter; }
TEST(Counter, Lost) { counter = 0; std::thread a(add), b(add); a.join(); b.join(); EXPECT_EQ(counter, 2); }
TEST(Counter, Kept) { counter = 0; std::thread a(add_locked), b(add_locked); a.join(); b.join(); EXPECT_EQ(counter, 2); }
TEST(Alone, Passes) { EXPECT_EQ(1, 1); }
TEST(Alone, Fails) { EXPECT_EQ(1, 2); }
TEST(Alone, DISABLED_Not) { EXPECT_EQ(1, 2); }
"""

CATCH2 = r"""
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <thread>
#include <mutex>
TEST_CASE("locks, both ways [odd]") {
  std::mutex a, b;
  std::thread t([&] { std::lock_guard x(a); std::lock_guard y(b); });
  { std::lock_guard x(b); std::lock_guard y(a); }
  t.join();
}
TEST_CASE("nothing") { REQUIRE(true); }
"""

TERMINAL = "#include <unistd.h>\nint main() { return isatty(0) ? 0 : 3; }\n"
HANGS = "#include <unistd.h>\nint main() { for (;;) pause(); }\n"
WRITES = '#include <stdio.h>\nint main() { FILE* f = fopen("common.txt", "w"); fprintf(f, "%d", 1); fclose(f); return 0; }\n'
# The thread that comes second is the first one in some schedules; then a file stays, and every later run fails for it.
LEAVES = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long first;
static void* body(void* number) {
  pthread_mutex_lock(&m);
  if (first == 0) first = (long)number;
  pthread_mutex_unlock(&m);
  return 0;
}
int main() {
  if (access("left.txt", F_OK) == 0) return 1;
  pthread_t a, b;
  pthread_create(&a, 0, body, (void*)1);
  pthread_create(&b, 0, body, (void*)2);
  pthread_join(a, 0);
  pthread_join(b, 0);
  if (first == 2) fclose(fopen("left.txt", "w"));
  return 0;
}
"""
# The same in the folder for temporary files, of which every execution has its own.
LEAVES_TEMPORARY = LEAVES.replace('access("left.txt"', 'chdir(getenv("TMPDIR")) != 0 || access("left.txt"').replace(
    "#include <unistd.h>", "#include <stdlib.h>\n#include <unistd.h>")

# As a test that fails now and then: the first run of all fails.
FAILS_ONCE = r"""
#include <stdio.h>
#include <unistd.h>
int main() {
  if (access("ran.txt", F_OK) == 0) return 0;
  fclose(fopen("ran.txt", "w"));
  return 1;
}
"""

THREE = r"""
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void* body(void* unused) {
  pthread_mutex_lock(&m);
  ++sum;
  pthread_mutex_unlock(&m);
  return unused;
}
int main() {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, body, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  assert(sum == 3);
  return 0;
}
"""
# More schedules than a short suite sees.
MANY = THREE.replace("  pthread_mutex_lock", "  for (int i = 0; i < 8; ++i) {\n  pthread_mutex_lock", 1).replace(
    "  pthread_mutex_unlock(&m);", "  pthread_mutex_unlock(&m);\n  }").replace("sum == 3", "sum == 24")


def compile_to(path, source, *options):
    name = path + (".cpp" if "#include <gtest" in source or "catch2" in source else ".c")
    with open(name, "w", encoding="utf-8") as file:
        file.write(source)
    compiler = "g++" if name.endswith(".cpp") else "gcc"
    subprocess.run([compiler, "-g", "-O1", "-pthread", name, "-o", path, *options], check=True, capture_output=True)


def suite(folder, *arguments, statuses=(0, 1, 3)):
    done = subprocess.run([expect.RADDLE, "suite", "--json", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=expect.PATIENCE, check=False, cwd=folder)
    if done.returncode not in statuses:
        raise Problem(f"exit status {done.returncode}: raddle suite {' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout) if done.stdout else done.stderr


def by_name(result):
    return {test["name"]: test for test in result["tests"]}


def check_replays(folder, result):
    for test in result["tests"]:
        for finding in test["findings"]:
            done = subprocess.run([expect.RADDLE, "replay", finding["replay"]], cwd=folder, capture_output=True, text=True, check=False,
                                  timeout=expect.PATIENCE)
            if done.returncode != 1:
                raise Problem(f"{finding['replay']} does not replay: {done.stdout}{done.stderr}")


def frameworks(_):
    with expect.scratch() as folder:
        compile_to(os.path.join(folder, "units"), GTEST, "-lgtest", "-lgtest_main")
        programs = ["./units"]
        if os.path.exists("/usr/include/catch2/catch.hpp"):
            compile_to(os.path.join(folder, "catches"), CATCH2)
            programs.append("./catches")
        result = suite(folder, *programs, "--executions", "1500", "--budget", "2m", statuses=(1,))
        tests = by_name(result)
        if not tests["units/Counter.Lost"]["findings"] or tests["units/Counter.Kept"]["findings"]:
            raise Problem(f"lost: {tests['units/Counter.Lost']}\nkept: {tests['units/Counter.Kept']}")
        if tests["units/Alone.Passes"]["executions"] > 60 or "fails without" not in (tests["units/Alone.Fails"]["problem"] or ""):
            raise Problem(f"alone: {tests['units/Alone.Passes']}\n{tests['units/Alone.Fails']}")
        if "units/Alone.DISABLED_Not" in tests:
            raise Problem("a disabled test was taken")
        if "./catches" in programs and not tests["catches/locks, both ways [odd]"]["findings"]:
            raise Problem(f"no deadlock: {tests['catches/locks, both ways [odd]']}")
        check_replays(folder, result)


def ctest(_):
    with expect.scratch() as folder:
        os.mkdir(os.path.join(folder, "build"))
        os.mkdir(os.path.join(folder, "build", "sub"))
        with open(os.path.join(folder, "build", "CTestTestfile.cmake"), "w", encoding="utf-8") as file:
            file.write(f'add_test(bank "{ACCOUNT}")\nset_tests_properties(bank PROPERTIES WORKING_DIRECTORY "{folder}/build/sub")\n'
                       f'add_test(fixed "{FIXED}")\nadd_test(off "{FIXED}")\nset_tests_properties(off PROPERTIES DISABLED TRUE)\n')
        result = suite(folder, "--ctest", "build", "--executions", "400", statuses=(1,))
        tests = by_name(result)
        if set(tests) != {"bank", "fixed"} or not tests["bank"]["findings"] or tests["fixed"]["findings"]:
            raise Problem(f"{tests}")
        if not any(one.startswith("off:") for one in result["left_out"]):
            raise Problem(f"nothing of the disabled test: {result['left_out']}")
        check_replays(folder, result)
        if "no tests" not in suite(folder, "--ctest", "nowhere", statuses=(2,)) + suite(folder, statuses=(2,)):
            raise Problem("no word of what is missing")


def problems(_):
    with expect.scratch() as folder:
        for name, source in (("terminal", TERMINAL), ("hangs", HANGS), ("one", WRITES), ("two", WRITES)):
            compile_to(os.path.join(folder, name), source)
        with open(os.path.join(folder, "raddle.toml"), "w", encoding="utf-8") as file:
            file.write('[suite]\ntest = ["./terminal", "./hangs", "./one", "./two", "gone = ./nothing here"]\ntimeout = "2s"\n')
        result = suite(folder, "--executions", "100", "-j", "2", statuses=(3,))
        tests = by_name(result)
        for name, words in (("./terminal", "needs a terminal"), ("./hangs", "does not end"), ("gone", "does not exist")):
            if words not in (tests[name]["problem"] or ""):
                raise Problem(f"{name}: {tests[name]['problem']}")
        notes = tests["./one"]["notes"] + tests["./two"]["notes"]
        if len([note for note in notes if "common.txt" in note]) != 2:
            raise Problem(f"nothing of the common file: {notes}")
        # The same as text, with a line for each.
        done = subprocess.run([expect.RADDLE, "suite", "--executions", "20"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, timeout=expect.PATIENCE)
        if done.returncode != 3 or "not searched: needs a terminal" not in done.stdout or "Residual risk" not in done.stdout:
            raise Problem(done.stdout + done.stderr)


def left_behind(_):
    """Failures by what an execution left are no findings."""
    with expect.scratch() as folder:
        compile_to(os.path.join(folder, "leaves"), LEAVES)
        compile_to(os.path.join(folder, "temporary"), LEAVES_TEMPORARY)
        tests = by_name(suite(folder, "--test", "./leaves", "--executions", "200", statuses=(3,)))
        if tests["./leaves"]["findings"] or "left files behind" not in (tests["./leaves"]["problem"] or ""):
            raise Problem(f"{tests['./leaves']}")
        tests = by_name(suite(folder, "--test", "./temporary", "--executions", "400", statuses=(0,)))
        if tests["./temporary"]["failing"] or tests["./temporary"]["schedules"] < 2:
            raise Problem(f"{tests['./temporary']}")


def fails_once(_):
    """A test that fails natively in one run, and not in others, is searched."""
    with expect.scratch() as folder:
        compile_to(os.path.join(folder, "once"), FAILS_ONCE)
        test = by_name(suite(folder, "--test", "./once", "--executions", "50", statuses=(0,)))["./once"]
        if test["problem"] or test["executions"] == 0:
            raise Problem(f"{test}")


def outcomes(result):
    """What must not depend on the workers."""
    return {test["name"]: (test["outcomes"], test["executions"], test["failing"],
                           sorted((f["key"], f["level"], f["first_plan"], f["times"]) for f in test["findings"])) for test in result["tests"]}


def deterministic(_):
    with expect.scratch() as folder:
        compile_to(os.path.join(folder, "units"), GTEST, "-lgtest", "-lgtest_main")
        given = ["./units", "--test", f"bank = {ACCOUNT}", "--test", f"fixed = {FIXED}", "--executions", "3000", "--budget", "10m"]
        seen = {}
        for workers, item in ((1, "2s"), (2, "100ms"), (8, "500ms")):
            result = suite(folder, *given, "-j", str(workers), "--item", item, "--out", f"out{workers}", statuses=(1,))
            seen[workers] = outcomes(result)
        if not seen[1] == seen[2] == seen[8]:
            raise Problem(json.dumps(seen, indent=1))
        return f"{sum(one[1] for one in seen[1].values())} plans, {sum(len(one[3]) for one in seen[1].values())} findings, three times"


def has_begun(store):
    """A suite that is killed in its first moments has left nothing to go on with."""
    if not os.path.exists(store):
        return False
    with contextlib.closing(sqlite3.connect(store)) as database:
        tables = database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'suites'").fetchone()[0]
        return tables == 1 and database.execute("SELECT count(*) FROM suites").fetchone()[0] > 0


def goes_on(_):
    """Killed with -9 and interrupted, again and again, it ends with what it would have had at once."""
    with expect.scratch() as folder:
        given = ["--test", f"bank = {ACCOUNT}", "--test", f"fixed = {FIXED}", "--executions", "16000", "--budget", "10m", "--item", "50ms"]
        whole = outcomes(suite(folder, *given, "--out", "whole", statuses=(1,)))
        command = [expect.RADDLE, "suite", "--json", "--out", "cut", *given]
        kills = 0
        for attempt in range(100):
            with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True) as process:
                try:
                    out, err = process.communicate(timeout=0.4 + 0.2 * attempt)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL if attempt % 2 == 0 else signal.SIGINT)
                    out, err = process.communicate(timeout=expect.PATIENCE)
                    kills += 1
            if process.returncode == 1 and not json.loads(out)["interrupted"]:
                break
            if process.returncode == 2:
                raise Problem(err)
            if not has_begun(os.path.join(folder, "cut", "campaign.db")):
                continue
            command = [expect.RADDLE, "suite", "--json", "--out", "cut", "--resume"]
        if outcomes(json.loads(out)) != whole:
            raise Problem(f"after {kills} kills:\n{json.dumps(outcomes(json.loads(out)), indent=1)}\n{json.dumps(whole, indent=1)}")
        if kills < 2:
            raise Problem(f"only {kills} kills: it was too fast")
        if "cut short" not in suite(folder, "--out", "cut", "--resume", statuses=(2,)):
            raise Problem("a suite that has ended goes on")
        return f"{kills} kills"


def budget_goes_on(_):
    """A suite that was cut short has what is left of its budget."""
    with expect.scratch() as folder:
        compile_to(os.path.join(folder, "many"), MANY)
        command = [expect.RADDLE, "suite", "--json", "--test", "./many", "--budget", "8s", "--item", "200ms"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(4)
            process.kill()
        began = time.monotonic()
        suite(folder, "--resume", statuses=(0,))
        took = time.monotonic() - began
        # 8 s in all, of which about 4 are gone, and at least 2 of them by what is stored.
        if took > expect.allowed(6.5):
            raise Problem(f"{took:.1f} s more of 8 s")
        return f"{took:.1f} s more"


def by_risk(_):
    with expect.scratch() as folder:
        result = suite(folder, "--test", f"fixed = {FIXED}", "--until-risk", "0.02", "--budget", "5m", statuses=(0,))
        test = result["tests"][0]
        if test["risk"] > 0.02 and not test["exhausted"]:
            raise Problem(f"{test}")
        # z^2 / n <= 0.02 needs 181 executions of each of the four strategies.
        if not test["exhausted"] and test["executions"] < 4 * 181:
            raise Problem(f"too soon: {test['executions']} executions")
        return f"risk {test['risk']:.4f} after {test['executions']} executions"


def complete(_):
    """A test all of whose schedules were covered gets no more, and one that is only half seen does."""
    with expect.scratch() as folder:
        compile_to(os.path.join(folder, "plain"), THREE)
        done = subprocess.run([expect.CC, "-g", "-O1", "plain.c", "-o", "seen"], cwd=folder, check=False,
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem(done.stderr)
        tests = by_name(suite(folder, "--test", "./seen", "--test", "./plain", "--executions", "600", "--budget", "5m", statuses=(0,)))
        if not tests["./seen"]["complete"] or tests["./seen"]["risk"] != 0 or tests["./plain"]["complete"]:
            raise Problem(f"{tests}")
        if tests["./plain"]["executions"] < 2 * tests["./seen"]["executions"]:
            raise Problem(f"no more for what is not covered: {tests}")
        return f"covered after {tests['./seen']['executions']} executions"


def changes(_):
    """Tests that execute changed lines get more."""
    with expect.scratch() as folder:
        def git(*words):
            subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words], cwd=folder, check=True, capture_output=True)
        git("init", "-q", ".")
        for name in ("one", "two"):
            with open(os.path.join(folder, name + ".c"), "w", encoding="utf-8") as file:
                file.write(MANY)
        git("add", "one.c", "two.c")
        git("commit", "-q", "-m", "first")
        with open(os.path.join(folder, "two.c"), "w", encoding="utf-8") as file:
            file.write(MANY.replace("++sum;", "sum += 1;"))
        git("commit", "-q", "-a", "-m", "second")
        for name in ("one", "two"):
            subprocess.run(["gcc", "-g", "-O1", "-pthread", name + ".c", "-o", name], cwd=folder, check=True)
        given = ["--test", "./one", "--test", "./two", "--executions", "2000", "--budget", "5m"]
        tests = by_name(suite(folder, *given, "--changes", "HEAD~1..HEAD", statuses=(0,)))
        if tests["./one"]["changed"] or not tests["./two"]["changed"]:
            raise Problem(f"{tests}")
        if tests["./two"]["executions"] < 2 * tests["./one"]["executions"]:
            raise Problem(f"the changed one gets {tests['./two']['executions']}, the other {tests['./one']['executions']}")
        if "nowhere" not in suite(folder, *given, "--changes", "nowhere..HEAD", statuses=(2,)):
            raise Problem("no word of a revision that is not there")
        return f"{tests['./two']['executions']} against {tests['./one']['executions']} executions"


def main():
    names = sys.argv[1:]
    checks = {"frameworks": frameworks, "ctest": ctest, "problems": problems, "left behind": left_behind, "fails once": fails_once,
              "deterministic": deterministic, "goes on": goes_on,
              "risk": by_risk, "budget": budget_goes_on, "complete": complete, "changes": changes}
    chosen = [name for name in checks if not names or any(part in name for part in names)]
    expect.run_all(lambda name: checks[name](name), chosen, str)


main()
