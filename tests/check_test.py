#!/usr/bin/env python3
"""raddle check and raddle analyze: real programs, each bug beside its fixed twin, and what bad input gets."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import expect

RADDLE = expect.RADDLE
CXX = os.path.join(expect.BUILD, "bin", "raddle-c++")
ALL = ["race", "lifetime", "lockset", "atomizer", "serial", "atomset", "deadlock"]
KINDS = {"race", "lockset", "atomicity", "serializability", "atomic-set", "lock-order"}
FINDING = {"level", "kind", "id", "count", "what", "why", "object", "declared", "inference", "units", "harm", "maybe_ordered_by",
           "steps", "published", "announced", "explanation"}
STEP = {"thread", "thread_name", "step", "role", "file", "line", "function", "source", "object", "value", "locks",
        "stack"}

# A lock that no library knows, and a program that counts under it. It is right; whoever does not see the lock does not know.
OWN_LOCK = r"""
#include <sched.h>
#include <atomic>
static std::atomic<int> held;
void take() { for (int free = 0; !held.compare_exchange_strong(free, 1); free = 0) sched_yield(); }
void give() { held = 0; }
"""
OWN_LOCK_USER = r"""
#include <thread>
void take();
void give();
int hits;
void hit() { take(); hits = hits + 1; give(); }
int main() { std::thread a(hit), b(hit); a.join(); b.join(); }
"""

# Each is compiled twice: as it is, and with -DFIXED.
PROGRAMS = {
    # Two threads increment a counter, with and without a lock.
    "lost": r"""
#include <mutex>
#include <thread>
int hits = 0;
std::mutex m;
void hit() {
#ifdef FIXED
  std::lock_guard<std::mutex> lock(m);
#endif
  hits = hits + 1;  // the update
}
int main() {
  std::thread a(hit), b(hit);
  a.join();
  b.join();
}
""",
    # Free of data races; what was checked no longer holds when it is acted upon.
    "account": r"""
#include <mutex>
#include <thread>
class Account {
 public:
  int balance() {
    std::lock_guard<std::mutex> lock(m_);
    return balance_;
  }
  void withdraw(int amount) {
    std::lock_guard<std::mutex> lock(m_);
    balance_ -= amount;
  }
  bool take(int amount) {
#ifdef FIXED
    std::lock_guard<std::mutex> lock(m_);
    if (balance_ < amount) return false;
    balance_ -= amount;
#else
    if (balance() < amount) return false;
    withdraw(amount);
#endif
    return true;
  }
 private:
  std::mutex m_;
  int balance_ = 100;
};
Account account;
void teller() {
  for (int i = 0; i < 4; ++i) account.take(10);
}
int main() {
  std::thread a(teller), b(teller);
  a.join();
  b.join();
}
""",
    # append() holds its own lock, and the other buffer's twice with a gap in between.
    "buffer": r"""
#include <mutex>
#include <thread>
class StringBuffer {
 public:
  int length() {
    std::lock_guard<std::mutex> lock(m_);
    return length_;
  }
  void copy(int n, char* to) {
    std::lock_guard<std::mutex> lock(m_);
    for (int i = 0; i < n; ++i) to[i] = text_[i];
  }
  void set_length(int n) {
    std::lock_guard<std::mutex> lock(m_);
    length_ = n;
  }
  void append(StringBuffer& other) {
    std::lock_guard<std::mutex> lock(m_);
#ifdef FIXED
    std::lock_guard<std::mutex> second(other.m_);
    const int n = other.length_;
    for (int i = 0; i < n; ++i) text_[length_ + i] = other.text_[i];
#else
    const int n = other.length();
    other.copy(n, text_ + length_);
#endif
    length_ += n;
  }
 private:
  std::mutex m_;
  int length_ = 4;
  char text_[64] = "abc";
};
StringBuffer one, two;
int main() {
  std::thread a([] { for (int i = 0; i < 3; ++i) one.append(two); });
  std::thread b([] { for (int i = 0; i < 3; ++i) two.set_length(i); });
  a.join();
  b.join();
}
""",
    # Correct: std::scoped_lock backs off, shared pointers come and go, main prepares and collects.
    "correct": r"""
#include <memory>
#include <mutex>
#include <thread>
class Account {
 public:
  static void transfer(Account& from, Account& to, int amount) {
    std::scoped_lock lock(from.m_, to.m_);
    from.balance_ -= amount;
    to.balance_ += amount;
  }
  int balance() const { return balance_; }
 private:
  std::mutex m_;
  int balance_ = 100;
};
struct Config { int amount = 1; };
class Teller {
 public:
  explicit Teller(std::shared_ptr<Config> config) : config_(std::move(config)) {}
  std::shared_ptr<Config> config() const { return config_; }
  int amount() const { auto one = config(); auto two = config(); return (one->amount + two->amount) / 2; }
  void work(Account& from, Account& to) {
    Account::transfer(from, to, amount());
  }
 private:
  std::shared_ptr<Config> config_;
};
int main() {
  Account a, b;
  auto config = std::make_shared<Config>();
  config->amount = 2;
  Teller one(config), two(config);
  config.reset();
  std::thread first([&] { for (int i = 0; i < 5; ++i) one.work(a, b); });
  std::thread second([&] { for (int i = 0; i < 5; ++i) two.work(b, a); });
  first.join();
  second.join();
  return a.balance() + b.balance() == 200 ? 0 : 1;
}
""",
    # Figure 3 of Park and Sen: two calls, each with its lock, under one more lock. A lock that is held in all of what a thread does would
    # make no block.
    "guarded": r"""
#include <mutex>
#include <thread>
class Account {
 public:
  int balance() {
    std::lock_guard<std::mutex> lock(m_);
    return balance_;
  }
  void withdraw(int amount) {
    std::lock_guard<std::mutex> lock(m_);
    balance_ -= amount;
  }
 private:
  std::mutex m_;
  int balance_ = 100;
};
Account account;
std::mutex outer;
void spend() {
  std::lock_guard<std::mutex> lock(outer);
  if (account.balance() >= 70) account.withdraw(70);
}
void spend_twice() {
  spend();
  spend();
}
int main() {
  std::thread a(spend_twice), b(spend_twice);
  a.join();
  b.join();
}
""",
    # Two locks in both orders. The threads come one after the other, but nothing says that they must.
    "order": r"""
#include <atomic>
#include <mutex>
#include <thread>
std::mutex left, right;
std::atomic<bool> go{false};
int meals = 0;
void first() {
  {
    std::lock_guard<std::mutex> a(left);
    std::lock_guard<std::mutex> b(right);
    ++meals;
  }
  go.store(true, std::memory_order_relaxed);
}
void second() {
  while (!go.load(std::memory_order_relaxed)) std::this_thread::yield();
#ifdef FIXED
  std::lock_guard<std::mutex> a(left);
  std::lock_guard<std::mutex> b(right);
#else
  std::lock_guard<std::mutex> b(right);
  std::lock_guard<std::mutex> a(left);
#endif
  ++meals;
}
int main() {
  std::thread a(first), b(second);
  a.join();
  b.join();
}
""",
    # An atomic block, annotated, that is not atomic.
    "block": r"""
#include <mutex>
#include <thread>
#include <raddle/annotations.hpp>
std::mutex m;
int stock = 10;
int look() { std::lock_guard<std::mutex> lock(m); return stock; }
void set(int n) { std::lock_guard<std::mutex> lock(m); stock = n; }
void sell() {
  raddle::atomic_block block("sale");
#ifdef FIXED
  std::lock_guard<std::mutex> lock(m);
  stock = stock - 1;
#else
  set(look() - 1);
#endif
}
void shop() { for (int i = 0; i < 4; ++i) sell(); }
int main() {
  std::thread a(shop), b(shop);
  a.join();
  b.join();
}
""",
    "fails": r"""
#include <atomic>
#include <cassert>
#include <thread>
int main(int argc, char** argv) {
  std::thread a([] {});
  a.join();
  std::atomic<unsigned> n{0};
  if (argc > 1 && argv[1][0] == 's') for (;;) ++n;
  assert(argc > 1);
}
""",
    # Twelve different races.
    "many": r"""
#include <thread>
int v[12];
#define R(i) void w##i() { v[i] = v[i] + 1; }
R(0) R(1) R(2) R(3) R(4) R(5) R(6) R(7) R(8) R(9) R(10) R(11)
void all() { w0(); w1(); w2(); w3(); w4(); w5(); w6(); w7(); w8(); w9(); w10(); w11(); }
int main() {
  std::thread a(all), b(all);
  a.join();
  b.join();
}
""",
}
# Which kinds of finding each program must have for some seed; its fixed twin has none for any.
BUGS = {
    "lost": {"race", "lockset"},
    "account": {"atomic-set"},
    "buffer": {"atomicity", "serializability"},
    "order": {"lock-order"},
    "block": {"atomicity", "serializability"},
}
SEEDS = range(1, 9)


def run(*arguments, cwd=None, env=None, timeout=120):
    done = subprocess.run([RADDLE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, cwd=cwd, env=env,
                          timeout=timeout, check=False)
    return done.returncode, done.stdout.decode(errors="replace"), expect.own_words(done.stderr.decode(errors="replace"))


class CheckTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="raddle-check-test-")
        for name, text in PROGRAMS.items():
            source = os.path.join(cls.folder, name + ".cpp")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            for output, flags in ((name, []), (name + "_fixed", ["-DFIXED"])):
                subprocess.run([CXX, "-std=c++20", "-O1", "-g", *flags, source, "-o", os.path.join(cls.folder, output),
                                "-pthread"], check=True)
        subprocess.run(["c++", "-std=c++20", "-g", os.path.join(cls.folder, "order.cpp"), "-o",
                        os.path.join(cls.folder, "plain"), "-pthread"], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def program(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        return path

    def check(self, *arguments):
        """Arguments with the program after --; its exit status, by which every candidate counts, and the JSON object."""
        status, out, err = run("check", "--json", "--strict", "--out", os.path.join(self.folder, "out"), *arguments)
        self.assertIn(status, (0, 1), err)
        return status, json.loads(out)

    def analyze(self, *arguments):
        status, out, err = run("analyze", "--json", "--strict", *arguments)
        self.assertIn(status, (0, 1), err)
        return status, json.loads(out)

    def record(self, name, seed=1):
        trace = os.path.join(self.folder, f"{name}-{seed}.trace")
        status, _, err = run("record", "-o", trace, "--seed", str(seed), "--", self.program(name))
        self.assertEqual(status, 0, err)
        return trace

    # ---- What is found ----

    def test_each_bug_is_found_and_its_fixed_twin_is_silent(self):
        for name, kinds in BUGS.items():
            found = set()
            for seed in SEEDS:
                status, result = self.check("--seed", str(seed), "--", self.program(name))
                predicted = (result["predicted"] or {"findings": []})["findings"]
                self.assertEqual(status, 1 if result["findings"] or predicted else 0)
                self.assertEqual(result["problems"], [], name)
                found |= {finding["kind"] for finding in result["findings"]}
                status, result = self.check("--seed", str(seed), "--", self.program(name + "_fixed"))
                self.assertEqual([f["what"] for f in result["findings"]], [], f"{name}_fixed, seed {seed}")
                self.assertEqual((result["predicted"] or {"findings": []})["findings"], [], f"{name}_fixed, seed {seed}")
                self.assertEqual((status, result["problems"]), (0, []))
            self.assertTrue(kinds <= found, f"{name}: {found}")

    def test_json_has_what_the_documentation_says(self):
        status, result = self.check("--", self.program("lost"))
        self.assertEqual(status, 1)
        self.assertEqual((result["command"], result["outcome"], result["instrumented"], result["detectors"]),
                         ("check", "passed", True, ALL))
        for member in ("findings", "suppressed", "known", "unused_suppressions", "notes", "problems", "problem_count",
                       "events", "threads", "seed", "choice_log", "stdout", "stderr"):
            self.assertIn(member, result)
        race = result["findings"][0]
        self.assertEqual(set(race), FINDING)
        self.assertEqual((race["kind"], race["level"], race["object"]), ("race", "confirmed", "hits"))
        self.assertRegex(race["id"], "^[0-9a-f]{16}$")
        lines = PROGRAMS["lost"].splitlines()
        for step in race["steps"]:
            self.assertEqual(set(step), STEP)
            self.assertEqual(step["file"], os.path.join(self.folder, "lost.cpp"))
            self.assertEqual(step["source"], lines[step["line"] - 1].strip())
            self.assertIn("// the update", step["source"])
            self.assertEqual((step["function"], step["object"], step["locks"]), ("hit", "hits", []))
            self.assertEqual(step["stack"][0]["function"], "hit")
        self.assertEqual([step["thread"] for step in sorted(race["steps"], key=lambda s: s["thread"])], [1, 2])

    def test_atomic_sets_have_their_pattern(self):
        patterns = set()
        for seed in SEEDS:
            for finding in self.check("--seed", str(seed), "--", self.program("account"))[1]["findings"]:
                self.assertEqual(finding["kind"], "atomic-set")
                self.assertEqual(set(finding), FINDING | {"pattern"})
                patterns.add(finding["pattern"])
        self.assertTrue(patterns)
        self.assertTrue(patterns <= set(range(1, 15)), patterns)
        self.assertTrue(patterns & {1, 2}, patterns)

    def test_text_says_what_where_and_why(self):
        status, out, err = run("check", "--", self.program("lost"))
        self.assertEqual((status, out), (1, ""))
        for part in ("1  CONFIRMED  race  hits", "T1 hit", "T2 hit", "lost.cpp:10", "| hits = hits + 1;", "no lock held",
                     "Why: ", "undefined", "id:", "--suppressions"):
            self.assertIn(part, err)
        # Commands are to be pasted, so they are not broken.
        self.assertTrue(all(len(line) <= 80 for line in err.splitlines()[1:] if RADDLE not in line), err)
        self.assertNotIn("\x1b", err)
        self.assertLess(len(err.splitlines()), 40)

    def test_nothing_found_is_a_result(self):
        status, _, err = run("check", "--seed", "3", "--", self.program("lost_fixed"))
        self.assertEqual(status, 0)
        for part in ("nothing found in", "3 threads", *ALL, "seed 3", "not covered", "check --seed 4 -- "):
            self.assertIn(part, err)

    def test_the_worst_ten_and_how_to_see_the_rest(self):
        program = self.program("many")
        _, result = self.check("--detector", "race", "--", program)
        self.assertEqual(len(result["findings"]), 12)
        status, _, err = run("check", "--detector", "race", "--", program)
        self.assertEqual((status, err.count("CONFIRMED")), (1, 10))
        self.assertIn("12 candidates", err)
        self.assertIn("--all shows all", err)
        _, _, err = run("check", "--detector", "race", "--all", "--", program)
        self.assertEqual(err.count("CONFIRMED"), 12)
        self.assertNotIn("--all", err)

    def test_the_same_twice(self):
        first = self.check("--seed", "5", "--", self.program("buffer"))[1]
        second = self.check("--seed", "5", "--", self.program("buffer"))[1]
        for result in (first, second):
            del result["seconds"]
            for finding in result["predicted"]["findings"]:
                del finding["replay"]  # another number each time
        self.assertEqual(first, second)

    # ---- The program ----

    def test_a_failing_program_is_reported_too(self):
        status, _, err = run("check", "--", self.program("fails"))
        self.assertEqual(status, 1)
        self.assertIn("assertion `argc > 1' failed", err)
        self.assertIn("nothing else found in", err)
        status, result = self.check("--", self.program("fails"))
        self.assertEqual((status, result["outcome"], result["findings"]), (1, "assertion", []))
        self.assertIn("argc > 1", result["finding"]["message"])

    def test_a_limit_is_inconclusive(self):
        status, out, err = run("check", "--json", "--timeout", "500ms", "--", self.program("fails"), "spin")
        self.assertEqual(status, 3, err)
        self.assertEqual(json.loads(out)["findings"], [])

    def test_ctrl_c_keeps_what_was_found(self):
        with subprocess.Popen([RADDLE, "check", "--", self.program("fails"), "spin"], stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, start_new_session=True) as process:
            time.sleep(expect.allowed(1))
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=expect.allowed(30))
        self.assertEqual(process.returncode, 3, err)
        self.assertIn(b"nothing found in", err)

    def test_a_program_that_is_not_instrumented(self):
        status, _, err = run("check", "--seed", "1", "--", self.program("plain"))
        first = err.splitlines()[0]
        self.assertIn("not built with raddle-cc or raddle-c++", first)
        self.assertIn("race, lifetime, lockset, atomset see nothing, only atomizer, serial, deadlock", err)
        self.assertEqual(status, 1)
        self.assertIn("lock-order  left -> right -> left", err)
        _, result = self.check("--", self.program("plain"))
        self.assertEqual((result["instrumented"], result["detectors"]), (False, ["atomizer", "serial", "deadlock"]))
        # Said only if it matters.
        self.assertNotIn("not built", run("check", "--detector", "deadlock", "--", self.program("plain"))[2])
        status, _, err = run("check", "--detector", "race", "--", self.program("plain"))
        self.assertIn("nothing could be looked for", err)

    # ---- Options ----

    def test_detectors_are_chosen(self):
        for name in ("race", "lockset"):
            _, result = self.check("--detector", name, "--", self.program("lost"))
            self.assertEqual([f["kind"] for f in result["findings"]], [name])
            self.assertEqual(result["detectors"], [name])
        _, result = self.check("--detector", "deadlock,race", "--", self.program("lost"))
        self.assertEqual(result["detectors"], ["race", "deadlock"])

    def test_atomic_blocks_are_chosen(self):
        found = {}
        for source in ("annotated", "locks", "functions", "annotated,locks,functions"):
            kinds = set()
            for seed in SEEDS:
                _, result = self.check("--detector", "atomizer,serial", "--atomic", source, "--seed", str(seed), "--",
                                       self.program("block"))
                kinds |= {f["kind"] for f in result["findings"]}
            found[source] = kinds
        self.assertIn("atomicity", found["annotated"])
        self.assertEqual(found["locks"], set())
        self.assertIn("atomicity", found["annotated,locks,functions"])

    def test_a_correct_program_is_silent(self):
        for seed in range(1, 9):
            for atomic in ("annotated,locks", "annotated,locks,functions"):
                status, result = self.check("--seed", str(seed), "--atomic", atomic, "--", self.program("correct"))
                self.assertEqual((status, result["findings"]), (0, []))

    def test_without_refinements_a_guarded_window_counts(self):
        status, result = self.check("--", self.program("guarded"))
        self.assertEqual((status, result["findings"]), (0, []))
        status, result = self.check("--no-refine", "--", self.program("guarded"))
        self.assertEqual((status, [f["kind"] for f in result["findings"]]), (1, ["atomicity"]))
        self.assertIn("releases account.m_, and then acquires account.m_", result["findings"][0]["what"])

    def test_a_baseline_holds_in_another_folder(self):
        base = os.path.join(self.folder, "base_of_one_folder")
        self.check("--write-baseline", base, "--", self.program("lost"))
        with tempfile.TemporaryDirectory(prefix="raddle-elsewhere-") as folder:
            folder = os.path.join(folder, os.path.basename(self.folder))  # the last folder of a path counts
            os.mkdir(folder)
            source = os.path.join(folder, "lost.cpp")
            shutil.copy(os.path.join(self.folder, "lost.cpp"), source)
            program = os.path.join(folder, "lost")
            subprocess.run([CXX, "-std=c++20", "-O1", "-g", source, "-o", program, "-pthread"], check=True)
            status, result = self.check("--baseline", base, "--", program)
        self.assertEqual((status, result["findings"], result["known"]), (0, [], 2))

    def test_bounds_are_said(self):
        for seed in SEEDS:
            _, result = self.check("--max-automata", "1", "--seed", str(seed), "--", self.program("account"))
            if result["notes"]:
                break
        self.assertTrue(result["notes"])
        _, _, err = run("check", "--max-automata", "1", "--seed", str(seed), "--", self.program("account"))
        self.assertRegex(err, r"\n   bound +atomset: ")

    def test_bad_usage(self):
        for arguments, message in ((["--detector", "rase"], "`rase' is no detector; there are: race, "),
                                   (["--detector", ""], "is no detector"),
                                   (["--atomic", "all"], "is no source of atomic blocks"),
                                   (["--max-automata", "0"], "--max-automata"),
                                   (["--max-automata", "many"], "--max-automata"),
                                   (["--suppressions", ""], "--suppressions"),
                                   (["--suppressions", "/nonexistent"], "cannot read /nonexistent: No such file"),
                                   (["--baseline", self.folder], "Is a directory"),
                                   (["--write-baseline", "/nonexistent/b"], "cannot write /nonexistent/b"),
                                   (["--frobnicate"], "--frobnicate")):
            status, out, err = run("check", *arguments, "--", self.program("lost"))
            self.assertEqual((status, out), (2, ""), arguments)
            self.assertIn(message, err)
            self.assertEqual(err.count("\n"), 1, err)
            status, out, err = run("analyze", *arguments, self.program("lost"))
            self.assertEqual((status, out), (2, ""), arguments)
        self.assertEqual(run("check", "--json")[0], 2)
        self.assertEqual(run("check", "--", "/nonexistent/program")[0], 2)
        self.assertEqual(run("analyze")[0], 2)
        self.assertEqual(run("analyze", "/nonexistent/file")[0], 2)
        self.assertEqual(run("analyze", self.program("lost"))[0], 2)
        self.assertEqual(run("analyze", "x", "--", self.program("lost"))[0], 2)

    # ---- Suppressions and baseline ----

    def test_suppressions(self):
        race, lockset = self.check("--", self.program("lost"))[1]["findings"]
        for text, kinds, unused in ((f"id:{race['id']}\n", ["lockset"], 0), ("race object:hits", ["lockset"], 0),
                                    ("lockset function:h*t # known", ["race"], 0), ("file:lost.cpp\n", [], 0),
                                    ("# all\nobject:hits\nfunction:miss\nid:1\n", [], 2),
                                    ("function:hits", ["race", "lockset"], 1)):
            path = self.write("some.supp", text)
            status, result = self.check("--suppressions", path, "--", self.program("lost"))
            self.assertEqual([f["kind"] for f in result["findings"]], kinds, text)
            self.assertEqual(status, 1 if kinds else 0)
            self.assertEqual(result["suppressed"], 2 - len(kinds))
            self.assertEqual(len(result["unused_suppressions"]), unused)
        self.assertNotEqual(race["id"], lockset["id"])
        path = self.write("some.supp", "object:hits\n\nrace function:miss\n")
        status, _, err = run("check", "--suppressions", path, "--", self.program("lost"))
        self.assertEqual(status, 0)
        self.assertIn("nothing new found", err)
        self.assertRegex(err, "suppressed +2 by ")
        self.assertRegex(" ".join(err.split()), r"unused `race function:miss' \(\S*some.supp:3\) matched nothing")

    def test_a_bad_suppression_line_is_named(self):
        path = self.write("bad.supp", "# fine\nfunction:hit\nobjekt:hits\n")
        status, out, err = run("check", "--suppressions", path, "--", self.program("lost"))
        self.assertEqual((status, out), (2, ""))
        self.assertTrue(err.startswith(f"raddle: {path}:3: expected function:NAME"), err)

    def test_baseline(self):
        base = os.path.join(self.folder, "base")
        status, result = self.check("--detector", "race", "--write-baseline", base, "--", self.program("lost"))
        self.assertEqual((status, len(result["findings"])), (1, 1))
        status, result = self.check("--baseline", base, "--", self.program("lost"))
        self.assertEqual((status, [f["kind"] for f in result["findings"]], result["known"]), (1, ["lockset"], 1))
        # Both: what was known stays.
        self.check("--baseline", base, "--write-baseline", base, "--", self.program("lost"))
        status, result = self.check("--baseline", base, "--", self.program("lost"))
        self.assertEqual((status, result["findings"], result["known"]), (0, [], 2))
        status, _, err = run("check", "--baseline", base, "--", self.program("lost"))
        self.assertEqual(status, 0)
        self.assertIn("nothing new found", err)
        self.assertRegex(" ".join(err.split()), r"known 2 in \S*base, not shown")
        # Another program's findings are not in it.
        self.assertEqual(self.check("--baseline", base, "--", self.program("many"))[0], 1)

    def test_a_bad_baseline_is_refused(self):
        for text, message in (("", ":1: no baseline"), ("id:12\n", ":1: no baseline"),
                              ("# raddle baseline 1\nxyz\n", ":2: expected an id"), ("\udcff\0", ":1: no baseline")):
            path = self.write("bad.base", text)
            status, out, err = run("check", "--baseline", path, "--", self.program("lost"))
            self.assertEqual((status, out), (2, ""))
            self.assertIn(path + message, err)

    # ---- Recorded executions ----

    def test_a_recorded_execution_gives_the_same_findings(self):
        for name in BUGS:
            for seed in (1, 2, 3):
                _, live = self.check("--seed", str(seed), "--", self.program(name))
                if live["outcome"] != "passed":
                    continue
                status, recorded = self.analyze(self.record(name, seed))
                self.assertEqual(status, 1 if live["findings"] else 0)
                self.assertEqual(recorded["findings"], live["findings"])
                self.assertEqual((recorded["events"], recorded["threads"]), (live["events"], live["threads"]))

    def test_std_text_gives_the_same_verdicts(self):
        for name in ("lost", "lost_fixed", "order", "order_fixed", "block", "block_fixed"):
            for seed in (1, 2, 3):
                trace = self.record(name, seed)
                text = self.write("some.std", run("trace", "--std", trace)[1])
                # STD knows neither functions nor which regions hold a lock on purpose: only its own blocks count.
                options = ["--detector", "race,serial,deadlock", "--atomic", "annotated"]
                kinds = {f["kind"] for f in self.analyze(*options, trace)[1]["findings"]}
                status, again = self.analyze(*options, text)
                self.assertEqual({f["kind"] for f in again["findings"]}, kinds, f"{name}, seed {seed}")
                self.assertEqual(status, 1 if kinds else 0)

    def test_std_text_as_others_write_it(self):
        text = self.write("race.std", "T0|fork(T1)|1\nT0|w(x)|2\nT1|w(x)|3\nT0|join(T1)|4\n")
        status, result = self.analyze(text)
        self.assertEqual((status, result["findings"][0]["kind"], result["findings"][0]["object"]), (1, "race", "x"))
        text = self.write("fine.std", "T0|w(x)|2\nT0|fork(T1)|1\nT1|w(x)|3\nT0|join(T1)|4\n")
        self.assertEqual(self.analyze("--detector", "race,atomizer,serial,atomset,deadlock", text)[0], 0)
        bad = self.write("bad.std", "T0|w(x)|2\nT0|w(x|3\n")
        status, _, err = run("analyze", bad)
        self.assertEqual(status, 2)
        self.assertIn("bad.std:2:", err)
        status, out, err = run("analyze", "--salvage", bad)
        self.assertEqual(status, 3, err)
        self.assertIn("the trace breaks off", out)

    def test_a_damaged_trace(self):
        trace = self.record("lost")
        with open(trace, "rb") as file:
            data = bytearray(file.read())
        for position in range(0, len(data), max(1, len(data) // 60)):
            damaged = os.path.join(self.folder, "damaged.trace")
            with open(damaged, "wb") as file:
                file.write(data[:position] + bytes([data[position] ^ 0x55]) + data[position + 1:])
            for options in ([], ["--salvage"], ["--strict-events", "--salvage"]):
                status, _, err = run("analyze", *options, damaged)
                self.assertIn(status, (0, 1, 2, 3), err)
                if status == 2:
                    self.assertTrue(err.startswith("raddle: "), err)
        cut = os.path.join(self.folder, "cut.trace")
        with open(cut, "wb") as file:
            file.write(data[:len(data) * 2 // 3])
        self.assertIn(run("analyze", "--salvage", cut)[0], (1, 2, 3))

    def test_a_library_that_orders_unseen(self):
        source, user = self.write("lock.cpp", OWN_LOCK), self.write("user.cpp", OWN_LOCK_USER)
        program, library = os.path.join(self.folder, "user"), os.path.join(self.folder, "libownlock.so")
        for compiler, seen in (("g++", False), (CXX, True)):
            subprocess.run([compiler, "-O1", "-g", "-shared", "-fPIC", source, "-o", library], check=True)
            subprocess.run([CXX, "-O1", "-g", "-pthread", user, library, "-Wl,-rpath," + self.folder, "-o", program], check=True)
            trace = os.path.join(self.folder, "user.trace")
            self.assertEqual(run("record", "-o", trace, "--", program)[0], 0)
            for command in (["check", "--", program], ["analyze", trace]):
                status, out, err = run(command[0], "--json", *command[1:])
                result = json.loads(out)
                self.assertEqual((status, result["unseen"]), (0, [] if seen else ["libownlock.so"]), out + err)
                for finding in result["findings"]:
                    self.assertEqual((finding["level"], finding["maybe_ordered_by"]), ("candidate", ["libownlock.so"]))
                text = " ".join(" ".join(run(*command)[1:]).split())
                self.assertEqual("Not certain: libownlock.so synchronises by itself and is not instrumented: this may be ordered "
                                 "by it" in text, not seen, text)
            self.assertEqual({finding["kind"] for finding in result["findings"]}, set() if seen else {"race", "lockset"})
            # The same in a hunt, and in the replay of what it saw: one truth.
            hunted = ["hunt", "--budget", "1s", "--strict", "--out", os.path.join(self.folder, "out"), "--", program]
            status, out, err = run("hunt", "--json", *hunted[1:])
            result = json.loads(out)
            self.assertEqual(status, 0 if seen else 1, out + err)
            races = [finding for finding in result["findings"] if finding["kind"] == "race"]
            self.assertEqual([finding["level"] for finding in races], [] if seen else ["seen"] * len(races))
            self.assertEqual(bool(races), not seen)
            for race in races[:1]:
                again = json.loads(run("replay", "--json", race["replay"])[1])
                self.assertEqual((again["confirmed"]["level"], again["confirmed"]["maybe_ordered_by"]), ("seen", ["libownlock.so"]))
            for command in (["hunt", "--budget", "500ms"], ["fuzz", "-n", "20"]):
                text = " ".join(run(*command, "--out", os.path.join(self.folder, "out"), "--", program)[1].split())
                self.assertEqual(text.count("libownlock.so"), 0 if seen else 1, text)

    def test_colours_only_on_a_terminal(self):
        script = f"stty cols 80; '{RADDLE}' check -- '{self.program('lost')}'"
        for variable, coloured in (("", True), ("1", False)):
            env = dict(os.environ, TERM="xterm", NO_COLOR=variable)
            done = subprocess.run(["script", "-qec", script, "/dev/null"], stdin=subprocess.DEVNULL,
                                  capture_output=True, env=env, timeout=60, check=False)
            self.assertEqual(b"\x1b[" in done.stdout, coloured, done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
