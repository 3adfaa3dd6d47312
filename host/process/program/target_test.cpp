#include "host/process/program/target.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "host/process/program/doctor.hpp"
#include "host/process/program/environment.hpp"

namespace raddle {
namespace {

namespace fs = std::filesystem;

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A folder that is gone after the test, and a small dynamically linked program to change.
class TargetTest : public ::testing::Test {
 protected:
  TargetTest() {
    std::string name = (fs::temp_directory_path() / "raddle-target-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~TargetTest() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes, mode_t mode = 0755) {
    const std::string path = (folder_ / name).string();
    unlink(path.c_str());
    std::ofstream(path, std::ios::binary) << bytes;
    chmod(path.c_str(), mode);
    return path;
  }

  // Builds a C++ program in the folder; empty if this machine cannot.
  std::string compile(const std::string& name, const std::string& options) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path + ".cpp") << "int main() {}\n";
    const std::string command =
        "g++ " + path + ".cpp -o " + path + " " + options + " >/dev/null 2>&1";
    return std::system(command.c_str()) == 0 ? path : "";
  }

  static void expect_refused(const std::string& path, const std::string& part) {
    const Result<Target> target = inspect_target(path);
    ASSERT_FALSE(target) << path;
    EXPECT_NE(target.error().find(part), std::string::npos) << target.error();
    EXPECT_EQ(target.error().find('\n'), std::string::npos) << target.error();
    EXPECT_NE(target.error().find(path), std::string::npos) << target.error();
  }

  fs::path folder_;
  const std::string shell_ = contents("/bin/sh");
};

template <class Header>
void edit_header(std::string* elf, Header edit) {
  Elf64_Ehdr header;
  std::memcpy(&header, elf->data(), sizeof header);
  edit(&header);
  std::memcpy(elf->data(), &header, sizeof header);
}

template <class Edit>
void edit_segments(std::string* elf, Edit edit) {
  Elf64_Ehdr header;
  std::memcpy(&header, elf->data(), sizeof header);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const std::size_t place = header.e_phoff + i * sizeof segment;
    std::memcpy(&segment, elf->data() + place, sizeof segment);
    edit(&segment);
    std::memcpy(elf->data() + place, &segment, sizeof segment);
  }
}

TEST_F(TargetTest, AcceptsThisProgram) {
  const Result<Target> target = inspect_target("/proc/self/exe");
  ASSERT_TRUE(target) << target.error();
  EXPECT_EQ(target->path, fs::canonical("/proc/self/exe").string());
  EXPECT_NE(target->file_hash, 0U);
  EXPECT_FALSE(target->is_go);
  bool has_libc = false;
  for (const std::string& library : target->needed) has_libc |= library == "libc.so.6";
  EXPECT_TRUE(has_libc);
}

TEST_F(TargetTest, SearchesPathAndFollowsLinks) {
  const Result<Target> by_name = inspect_target("sh");
  ASSERT_TRUE(by_name) << by_name.error();
  EXPECT_EQ(by_name->path, fs::canonical("/bin/sh").string());
  EXPECT_EQ(by_name->build_id.size(), 40U);
  const std::string link = (folder_ / "link").string();
  fs::create_symlink("/bin/sh", link);
  const Result<Target> by_link = inspect_target(link);
  ASSERT_TRUE(by_link) << by_link.error();
  EXPECT_EQ(by_link->path, by_name->path);
  EXPECT_EQ(by_link->file_hash, by_name->file_hash);
}

TEST_F(TargetTest, RefusesWhatIsNotThere) {
  expect_refused("", "no program was named");
  expect_refused("no-such-program-anywhere", "is not in PATH: check the name");
  expect_refused((folder_ / "none").string(), "does not exist: check the path");
  expect_refused("/bin/sh/x", "Not a directory");
  expect_refused(folder_.string(), "is a folder: give the program in it");
  fs::create_symlink("nowhere", folder_ / "dangling");
  expect_refused((folder_ / "dangling").string(),
                 "is a symbolic link to a file that does not exist");
  expect_refused("/dev/null", "is a device or pipe");
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0755), 0);
  expect_refused(pipe, "is a device or pipe");
}

TEST_F(TargetTest, RefusesWhatIsNoProgram) {
  expect_refused(write("empty", ""), "is empty");
  expect_refused(write("text", "int main() {}\n"), "is a text file, not a program");
  expect_refused(write("sh", "#! /bin/sh -e\nexec ./x\n"), "is a script for /bin/sh: ");
  expect_refused(write("py", "#!/usr/bin/env -S python3 -u\n"), "is a script for python3: ");
  expect_refused(write("bare", "#!"), "is a script for an interpreter: ");
  expect_refused(write("zip", std::string("PK\3\4\0\0\0\0", 8)), "is not a Linux program");
}

TEST_F(TargetTest, RefusesWhatMayNotBeStarted) {
  expect_refused(write("plain", shell_, 0644), "is not executable: chmod +x ");
  expect_refused(write("setuid", shell_, 04755), "is set-uid, so nothing can be preloaded");
  expect_refused(write("setgid", shell_, 02755), "is set-gid, so nothing can be preloaded");
}

TEST_F(TargetTest, RefusesOtherKindsOfElf) {
  const auto changed = [&](auto edit) {
    std::string elf = shell_;
    edit_header(&elf, edit);
    return write("changed", elf);
  };
  expect_refused(changed([](Elf64_Ehdr* h) { h->e_machine = EM_AARCH64; }), "is for aarch64");
  expect_refused(changed([](Elf64_Ehdr* h) { h->e_machine = EM_386; }), "is for 32-bit x86");
  expect_refused(changed([](Elf64_Ehdr* h) { h->e_ident[EI_CLASS] = ELFCLASS32; }), "32-bit");
  expect_refused(changed([](Elf64_Ehdr* h) { h->e_ident[EI_DATA] = ELFDATA2MSB; }), "big-endian");
  expect_refused(changed([](Elf64_Ehdr* h) { h->e_type = ET_REL; }), "is an object file");
  expect_refused(changed([](Elf64_Ehdr* h) { h->e_type = ET_CORE; }), "is a core dump");
}

TEST_F(TargetTest, RefusesStaticAndForeignLoaders) {
  std::string elf = shell_;
  edit_segments(&elf, [](Elf64_Phdr* segment) {
    if (segment->p_type == PT_INTERP) segment->p_type = PT_NULL;
  });
  expect_refused(write("static", elf), "is statically linked");

  const auto with_loader = [&](const std::string& loader) {
    std::string changed = shell_;
    const std::string old = "/lib64/ld-linux-x86-64.so.2";
    const std::size_t place = changed.find(old);
    EXPECT_NE(place, std::string::npos);
    EXPECT_LE(loader.size(), old.size());
    changed.replace(place, old.size(), loader + std::string(old.size() - loader.size(), '\0'));
    return write("loader", changed);
  };
  expect_refused(with_loader("/lib/ld-musl-x86_64.so.1"), "is linked with musl");
  expect_refused(with_loader("/lib/ld-other.so"), "wants the loader /lib/ld-other.so");
  expect_refused(with_loader("/xx/ld-linux-x86-64.so.2"), "which is not installed here");
}

TEST_F(TargetTest, RefusesRealStaticPrograms) {
  const std::string fixed = compile("fixed", "-static");
  const std::string pie = compile("pie", "-static-pie");
  const std::string library = compile("library", "-shared -fPIC -Wl,-soname,libx.so.1");
  if (fixed.empty() || pie.empty() || library.empty()) GTEST_SKIP() << "no g++ or no static libc";
  expect_refused(fixed, "is statically linked");
  expect_refused(pie, "is statically linked");
  expect_refused(library, "is a shared library");
}

TEST_F(TargetTest, SeesDebugInformationAndBuildIds) {
  const std::string debug = compile("debug", "-g -Wl,--build-id=0xAbCd");
  const std::string bare = compile("bare", "-s -Wl,--build-id=none");
  if (debug.empty() || bare.empty()) GTEST_SKIP() << "no g++";
  const Result<Target> with = inspect_target(debug);
  ASSERT_TRUE(with) << with.error();
  EXPECT_TRUE(with->has_debug_info);
  EXPECT_EQ(with->build_id, "abcd");
  const Result<Target> without = inspect_target(bare);
  ASSERT_TRUE(without) << without.error();
  EXPECT_FALSE(without->has_debug_info);
  EXPECT_EQ(without->build_id, "");
}

// Whatever is cut off or changed: an answer, never a crash.
TEST_F(TargetTest, SurvivesTruncatedAndDamagedPrograms) {
  for (std::size_t size : {4UL, 16UL, 19UL, 40UL, 64UL, 100UL, 1000UL, 10'000UL}) {
    expect_refused(write("cut", shell_.substr(0, size)), "is truncated or damaged (");
  }
  // A small program, so that thousands of copies cost little; damage goes where the reader looks.
  std::string small = compile("small", "-s");
  small = small.empty() ? shell_ : contents(small);
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string elf = small;
    for (unsigned n = 1 + random() % 4; n > 0; --n) {
      const std::size_t from_end = std::min<std::size_t>(elf.size(), 2048);
      const std::size_t place = random() % 4 == 0   ? elf.size() - 1 - random() % from_end
                                : random() % 2 == 0 ? random() % 64
                                                    : random() % 1024;
      elf[place] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    const Result<Target> target = inspect_target(write("mutant", elf));
    if (!target) {
      EXPECT_EQ(target.error().find('\n'), std::string::npos) << target.error();
    }
  }
}

TEST(SameBuild, ComparesBuildIdsThenContents) {
  ReplayFile file;
  Target target;
  target.path = "/home/user/bank";
  file.build_id = target.build_id = "aa11";
  file.file_hash = 1;
  target.file_hash = 2;  // stripped: the same build
  EXPECT_TRUE(check_same_build(file, target));

  target.build_id = "bb22";
  const Result<std::monostate> other = check_same_build(file, target);
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().find("build id aa11 recorded, build id bb22 now"), std::string::npos);
  EXPECT_NE(other.error().find("/home/user/bank is another build"), std::string::npos);

  target.build_id = "";
  EXPECT_FALSE(check_same_build(file, target));
  file.build_id = "";
  EXPECT_FALSE(check_same_build(file, target));
  target.file_hash = 1;
  EXPECT_TRUE(check_same_build(file, target));
}

TEST(Environment, KeepsWhatMattersAndNoSecrets) {
  const char* const environment[] = {"HOME=/home/user",
                                     "GITHUB_TOKEN=x",
                                     "my_api_key=x",
                                     "DbPassword=x",
                                     "RADDLE_REGION=/proc/1/fd/3",
                                     "LD_PRELOAD=/opt/raddle/libraddle.so:libother.so /x/y.so",
                                     "EMPTY=",
                                     "nonsense",
                                     "=x",
                                     "PATH=/bin",
                                     nullptr};
  const std::vector<std::string> recorded = recorded_environment(environment);
  EXPECT_EQ(recorded, (std::vector<std::string>{"HOME=/home/user", "LD_PRELOAD=libother.so:/x/y.so",
                                                "EMPTY=", "PATH=/bin"}));
  const char* const present[] = {"HOME=/elsewhere", "GITHUB_TOKEN=y", nullptr};
  EXPECT_EQ(replay_environment({"HOME=/home/user", "RADDLE_X=1"}, present),
            (std::vector<std::string>{"HOME=/home/user", "GITHUB_TOKEN=y"}));

  const char* const ours_alone[] = {"LD_PRELOAD=/opt/libraddle.so", nullptr};
  EXPECT_TRUE(recorded_environment(ours_alone).empty());
  const char* const theirs[] = {"LD_PRELOAD=a.so  b.so", nullptr};
  EXPECT_EQ(recorded_environment(theirs), std::vector<std::string>{"LD_PRELOAD=a.so  b.so"});
}

TEST(Environment, SecretsByTheirNames) {
  for (const char* entry :
       {"DOCKER_AUTH_CONFIG={}", "SSH_KEY=x", "DEPLOY_PAT=x", "STRIPE_SK=x", "MY_CREDS=x",
        "SLACK_WEBHOOK_URL=x", "WEBHOOK=x", "SESSION_COOKIE=x", "MYSQL_PWD=x", "DB_PASS=x",
        "AWS_ACCESS_KEY_ID=x", "SENTRY_DSN=x", "key=x", "CI_JOB_JWT=x", "MYAPIKEY=x"}) {
    EXPECT_TRUE(looks_secret(entry)) << entry;
  }
  for (const char* entry : {"PATH=/bin", "PWD=/home/user", "OLDPWD=/", "HOME=/home/user",
                            "MONKEY=1", "KEYBOARD=us", "AUTHOR=me", "COMPASS=n", "TASK=1",
                            "PATTERN=.*", "LANG=C.UTF-8", "GITHUB_SHA=12ab", "EMPTY="}) {
    EXPECT_FALSE(looks_secret(entry)) << entry;
  }
}

TEST(Environment, SecretsByTheirValues) {
  for (const char* entry : {"DATABASE_URL=postgres://u:pw@h/db", "REDIS=redis://:pw@h",
                            "URL=https://u:p/w@h/", "URLS=http://a.example http://u:pw@b.example",
                            "DEPLOY=-----BEGIN OPENSSH PRIVATE KEY-----\nx"}) {
    EXPECT_TRUE(looks_secret(entry)) << entry;
  }
  for (const char* entry :
       {"PROXY=http://proxy.example:3128", "REPOSITORY=ssh://git@example.org/x",
        "TIMES=at 12:30, me@example.org", "URLS=http://a.example:80 me@example.org", "X=://",
        "CERTIFICATE=-----BEGIN CERTIFICATE-----"}) {
    EXPECT_FALSE(looks_secret(entry)) << entry;
  }
  // What was recorded stays, and is not there twice.
  const char* const present[] = {"DATABASE_URL=postgres://u:pw@h/db", nullptr};
  EXPECT_EQ(replay_environment({"DATABASE_URL=sqlite:x"}, present),
            std::vector<std::string>{"DATABASE_URL=sqlite:x"});
  EXPECT_EQ(replay_environment({"DATABASE_URL=postgres://other:pw@h/db"}, present),
            std::vector<std::string>{"DATABASE_URL=postgres://u:pw@h/db"});
}

TEST(Doctor, EveryProblemHasAdvice) {
  std::vector<Check> checks = doctor_machine();
  EXPECT_EQ(checks.size(), 12U);
  Target target;
  target.path = "/x";
  target.links_libgomp = target.links_libtsan = target.is_go = target.calls_clone = true;
  for (Check& check : doctor_program(target)) checks.push_back(std::move(check));
  int bad = 0;
  for (const Check& check : checks) {
    EXPECT_FALSE(check.what.empty());
    EXPECT_FALSE(check.detail.empty()) << check.what;
    EXPECT_EQ(check.advice.empty(), check.level == Check::ok) << check.what;
    bad += check.level == Check::bad && check.what == "Go";
  }
  EXPECT_EQ(bad, 1);
}

TEST(Doctor, WhatCannotBeControlled) {
  Target target;
  EXPECT_TRUE(control_problems(target).empty());
  target.has_asan = target.links_libgomp = true;
  EXPECT_TRUE(control_problems(target).empty());
  target.has_tsan_inside = target.is_go = target.calls_clone = true;
  EXPECT_EQ(control_problems(target).size(), 2U);  // that it imports clone() says little
}

TEST(Environment, WhatAddressSanitizerIsTold) {
  const std::string needed = "verify_asan_link_order=0:detect_leaks=0:use_sigaltstack=0";
  std::vector<std::string> environment = {"A=1"};
  adapt_asan_options(environment);
  EXPECT_EQ(environment, (std::vector<std::string>{"A=1", "ASAN_OPTIONS=" + needed}));
  adapt_asan_options(environment);  // a replay of a replay
  EXPECT_EQ(environment.back(), "ASAN_OPTIONS=" + needed);
  environment = {"ASAN_OPTIONS=detect_leaks=1", "B=2"};
  adapt_asan_options(environment);
  EXPECT_EQ(environment.front(), "ASAN_OPTIONS=detect_leaks=1:" + needed);
}

TEST(Doctor, TriesAreUndone) {
  const std::string before = contents("/proc/self/personality");
  doctor_machine();
  EXPECT_EQ(contents("/proc/self/personality"), before);
}

}  // namespace
}  // namespace raddle
