#!/usr/bin/env python3
"""The Debian package that cpack makes, unpacked: what is in it, and examples/ci/hunt.sh with the raddle in it.

RADDLE_TEST_FULL=1: lintian looks at it, too, and it is installed, used and removed on a bare Debian, where debootstrap and root
are to be had.

usage: package_test.py [-v] [PackageTest.NAME...]
"""

import glob
import json
import os
import shutil
import subprocess
import tempfile
import unittest

import expect

ROOT = os.path.dirname(expect.TESTS)
HUNT = os.path.join(ROOT, "examples", "ci", "hunt.sh")
ACCOUNT = os.path.join(expect.BUILD, "examples", "account")
FIXED = os.path.join(expect.BUILD, "examples", "account_fixed")


@unittest.skipUnless(os.access(expect.BUILD, os.W_OK), "cpack writes to the build folder")
class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="raddle-package-test-")
        made = subprocess.run(["cpack", "--config", os.path.join(expect.BUILD, "CPackConfig.cmake"), "-B", cls.work],
                              capture_output=True, text=True, cwd=cls.work)
        if made.returncode != 0:
            raise AssertionError(made.stdout + made.stderr)
        [cls.package] = glob.glob(os.path.join(cls.work, "raddle_*.deb"))
        cls.root = os.path.join(cls.work, "root")
        subprocess.run(["dpkg-deb", "-x", cls.package, cls.root], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def hunt(self, *arguments):
        environment = dict(os.environ, RADDLE=os.path.join(self.root, "usr", "bin", "raddle"))
        done = subprocess.run([HUNT, "-t", "2s", *arguments], capture_output=True, text=True, cwd=self.work, env=environment)
        return done.returncode, done.stdout + done.stderr

    def test_contents(self):
        for path in ("bin/raddle", "bin/raddle-c++", "lib/raddle/libraddle.so", "lib/raddle/libraddle_check.so",
                     "include/raddle/check.hpp", "lib/cmake/raddle/raddle_add_hunt.cmake", "share/man/man1/raddle-hunt.1.gz",
                     "share/zsh/vendor-completions/_raddle", "share/bash-completion/completions/raddle",
                     "share/fish/vendor_completions.d/raddle.fish", "share/doc/raddle/copyright", "share/doc/raddle/changelog.gz",
                     "share/doc/raddle/examples/ci/hunt.sh", "share/doc/raddle/docs/desk.md"):
            self.assertTrue(os.path.exists(os.path.join(self.root, "usr", path)), path)
        fields = subprocess.run(["dpkg-deb", "-f", self.package, "Depends"], capture_output=True, text=True, check=True).stdout
        for library in ("libc6", "libdw1", "libzstd1"):
            self.assertIn(library, fields)

    def test_a_baseline_forgives_what_was_there(self):
        status, said = self.hunt("-o", "first", "--", ACCOUNT)
        self.assertEqual(status, 1, said)
        self.assertRegex(said, r"hunt.sh: 1 of 1 new:\n  /.*/account.cpp:19: assertion `balance_ >= 0' failed in Account::withdraw")
        self.assertIn("look at first/report.html#1, or: raddle explain first/replays/1.replay", said)
        for name in ("raddle.sarif", "report.html", "raddle.xml", "summary.md", "new.txt", "replays/1.replay"):
            self.assertTrue(os.path.getsize(os.path.join(self.work, "first", name)), name)
        # From the red job to the line, with nothing but what it uploaded.
        raddle = os.path.join(self.root, "usr", "bin", "raddle")
        told = subprocess.run([raddle, "explain", "first/replays/1.replay"], capture_output=True, text=True, cwd=self.work)
        self.assertIn("account.cpp:17", told.stdout)
        status, said = self.hunt("-b", "first/raddle.sarif", "-o", "second", "--", ACCOUNT)
        self.assertEqual(status, 0, said)
        self.assertIn("nothing new", said)
        self.assertIn("JUnit's too, have all that was found", said)
        self.layouts(os.path.join(self.work, "first", "baseline.sarif"))
        # A baseline of a branch without findings, and none yet: all of it is new.
        status, said = self.hunt("-o", "fixed", "--", FIXED)
        self.assertEqual(status, 0, said)
        for baseline in ("fixed/raddle.sarif", "none.sarif"):
            self.assertEqual(self.hunt("-b", baseline, "-o", "third", "--", ACCOUNT)[0], 1)

    def layouts(self, baseline):
        """A baseline may be laid out otherwise; what is not one does not count as empty."""
        with open(baseline, encoding="utf-8") as file:
            text = file.read()
        sarif = json.loads(text)
        other = json.loads(text)
        other["runs"][0]["tool"]["driver"]["name"] = "lint"
        note = json.loads(text)
        note["runs"][0]["results"][0]["level"] = "note"
        for name, words, expected in (("one line", json.dumps(sarif), 0), ("sorted", json.dumps(sarif, sort_keys=True, indent=1), 0),
                                      ("a note", json.dumps(note), 1), ("cut off", text[:len(text) // 2], 2), ("empty", "", 2),
                                      ("no JSON", "<html>\n", 2), ("another tool's", json.dumps(other), 2), ("two", text + text, 2)):
            with self.subTest(baseline=name):
                path = os.path.join(self.work, name + ".sarif")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(words)
                status, said = self.hunt("-b", path, "-o", "layouts", "--", ACCOUNT)
                self.assertEqual(status, expected, said)
                if expected == 2:
                    self.assertIn(f"{path} is no baseline", said)
                    self.assertNotIn("executions", said)  # said before it hunts

    def test_a_folder_is_used_again(self):
        """What an earlier run left is gone, other people's files stay, and no verdict leaves no baseline."""
        folder = os.path.join(self.work, "again")
        self.assertEqual(self.hunt("-o", "again", "--", ACCOUNT)[0], 1)
        shutil.copy(os.path.join(folder, "replays", "1.replay"), os.path.join(folder, "replays", "2.replay"))
        with open(os.path.join(folder, "mine.txt"), "w", encoding="utf-8") as file:
            file.write("mine")
        # The baseline may be the file that this run replaces.
        status, said = self.hunt("-b", "again/baseline.sarif", "-o", "again", "--", FIXED)
        self.assertEqual(status, 0, said)
        self.assertEqual(glob.glob(os.path.join(folder, "replays", "*.replay")), [])
        self.assertEqual(sorted(os.listdir(folder)),
                         ["baseline.sarif", "mine.txt", "raddle.sarif", "raddle.xml", "replays", "report.html", "summary.md"])
        status, said = self.hunt("-o", "again", "--", "./none")
        self.assertEqual(status, 2, said)
        self.assertFalse(os.path.exists(os.path.join(folder, "baseline.sarif")))

    def test_a_pull_request(self):
        """It fails for what it brought in, which is named; what was there before stays known when its line moves."""
        source = shutil.copy(os.path.join(expect.TESTS, "reports", "two_bugs.cpp"), self.work)
        subprocess.run(["git", "init", "-q", self.work], check=True)
        for program, options in (("main", []), ("changed", ["-DCHANGED"])):
            expect.build(source, os.path.join(self.work, program), *options, compiler="g++")
        status, said = self.hunt("-o", "main-report", "--", "./main")
        self.assertEqual(status, 1, said)
        self.assertIn("1 of 1 new:\n  two_bugs.cpp:21: ", said)
        status, said = self.hunt("-b", "main-report/raddle.sarif", "-o", "changed-report", "--", "./changed")
        self.assertEqual(status, 1, said)
        last = said[said.index("hunt.sh: "):].splitlines()
        self.assertEqual(last[0], "hunt.sh: 1 of 2 new:")
        self.assertIn("  two_bugs.cpp:40: assertion `left_ >= 0' failed in Stock::sell", last[1])
        raddle = os.path.join(self.root, "usr", "bin", "raddle")
        told = subprocess.run([raddle, *last[2].split("or: raddle ")[1].split()], capture_output=True, text=True, cwd=self.work)
        self.assertIn("left_ >= 0", told.stdout)
        # The branch is merged: nothing is new any more.
        status, said = self.hunt("-b", "changed-report/raddle.sarif", "-o", "merged-report", "--", "./changed")
        self.assertEqual(status, 0, said)

    def test_bad_use(self):
        status, said = self.hunt()
        self.assertEqual(status, 2)
        self.assertTrue(said.startswith("  hunt.sh [-b") and said.endswith("one in PATH.\n"), said)
        status, said = self.hunt("--", ACCOUNT + " --fast")
        self.assertEqual(status, 2)
        self.assertIn(f"words of their own: -- {ACCOUNT} --fast", said)
        done = subprocess.run([HUNT, "--", ACCOUNT], capture_output=True, text=True, cwd=self.work, env=dict(os.environ, RADDLE="no-raddle"))
        self.assertEqual((done.returncode, "there is no no-raddle in PATH" in done.stderr), (2, True), done.stderr)
        status, said = self.hunt("--", "./none")
        self.assertEqual(status, 2, said)
        self.assertIn("none", said)

    @unittest.skipUnless(expect.FULL, "RADDLE_TEST_FULL=1 runs lintian")
    def test_lintian(self):
        if shutil.which("lintian") is None:
            self.skipTest("lintian is not installed (scripts/setup tests)")
        done = subprocess.run(["lintian", "--fail-on", "error", self.package], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    @unittest.skipUnless(expect.FULL, "RADDLE_TEST_FULL=1 makes a bare Debian")
    def test_bare_debian(self):
        if shutil.which("debootstrap") is None or os.geteuid() != 0:
            self.skipTest("needs debootstrap (scripts/setup tests) and root")
        if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            self.skipTest("mount namespaces are refused here")
        root = os.path.join(self.work, "bare")
        sites = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE)"], capture_output=True, text=True).stdout.split()
        mirror = next(site for site in sites if site.endswith("/debian"))
        # The package is for the Debian that it was built on.
        release = subprocess.run(["sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME"], capture_output=True, text=True).stdout.strip()
        subprocess.run(["debootstrap", "--variant=minbase", release, root, mirror], check=True, stdout=subprocess.DEVNULL)
        shutil.copytree("/etc/apt/apt.conf.d", os.path.join(root, "etc/apt/apt.conf.d"), dirs_exist_ok=True)
        shutil.copy("/etc/resolv.conf", os.path.join(root, "etc/resolv.conf"))
        for file in (self.package, ACCOUNT):
            shutil.copy(file, os.path.join(root, "root"))
        script = """set -e; mount -t proc proc /proc; export DEBIAN_FRONTEND=noninteractive; cd /root
          # What keeps the books changes anyway: apt, dpkg, debconf, logs, caches that are made anew.
          files() { find / -xdev \\( -path /proc -o -path /root -o -path /tmp -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg \\
            -o -path /var/cache/apt -o -path /var/cache/ldconfig \\) -prune -o -print | sort; }
          files >before
          apt-get -qq install -y --no-install-recommends ./raddle_*.deb >/dev/null
          raddle doctor; status=0; /usr/share/doc/raddle/examples/ci/hunt.sh -t 5s -- ./account || status=$?
          test $status = 1; raddle explain raddle-report/replays/1.replay | grep account.cpp:17
          apt-get -qq purge -y --autoremove raddle >/dev/null
          files >after; diff before after
          ! grep -rls raddle /var/lib/dpkg/info /var/lib/dpkg/status /etc"""
        done = subprocess.run(["unshare", "-m", "-p", "-f", "chroot", root, "bash", "-c", script], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
