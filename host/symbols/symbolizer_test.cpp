// The test binary symbolises itself. It is built with debug information whatever the build type;
// the addresses are taken inside the functions, so that inlining cannot move them.
#include "host/symbols/symbolizer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "host/symbols/maps.hpp"

namespace symbolizer_test {

struct Account {
  int balance = 0;
  std::mutex lock;
  __attribute__((noinline)) std::uint64_t withdraw(int amount);
};

std::uint64_t Account::withdraw(int amount) {
  balance -= amount;
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

Account account;
static int static_counter[4] = {1, 2, 3, 4};

// Address of an instruction inside the caller. The barrier keeps two calls from becoming one.
__attribute__((noinline)) std::uint64_t here() {
  asm volatile("" ::: "memory");
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

__attribute__((always_inline)) inline std::uint64_t inlined_function() { return here() + 0; }

constexpr std::uint32_t kOuterLine = __LINE__ + 2;
__attribute__((noinline)) std::uint64_t outer_function() {
  const std::uint64_t pc = inlined_function();
  static_counter[0] += static_cast<int>(pc);  // keeps the call above from being the last one
  return pc;
}

}  // namespace symbolizer_test

namespace raddle {
namespace {

using symbolizer_test::account;

std::string own_maps() {
  std::ifstream file("/proc/self/maps");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class SymbolizerTest : public ::testing::Test {
 protected:
  void SetUp() override { symbols_.set_maps(own_maps()); }
  Symbolizer symbols_;
};

std::uint64_t address_of(const void* data) { return reinterpret_cast<std::uint64_t>(data); }

TEST_F(SymbolizerTest, NamesAFunctionWithItsFileAndLine) {
  const std::uint32_t line = __LINE__ + 1;
  const std::uint64_t pc = account.withdraw(3);
  const std::vector<Frame> frames = symbols_.frames(pc, true);
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames[0].where.line, line);
  EXPECT_NE(frames[0].where.file.find("symbolizer_test.cpp"), std::string::npos);
  EXPECT_NE(frames[0].where.function.find("TestBody"), std::string::npos);
  EXPECT_TRUE(frames[0].in_program);
  EXPECT_FALSE(frames.back().inlined);
  EXPECT_FALSE(frames[0].module.empty());
}

TEST_F(SymbolizerTest, DropsTheParameterList) {
  std::uint64_t (symbolizer_test::Account::*member)(int) = &symbolizer_test::Account::withdraw;
  std::uint64_t entry = 0;
  static_assert(sizeof(member) >= sizeof(entry));
  std::memcpy(&entry, &member, sizeof(entry));
  EXPECT_EQ(symbols_.frames(entry, false).back().where.function,
            "symbolizer_test::Account::withdraw");
}

TEST_F(SymbolizerTest, ShowsInlinedFramesInnermostFirst) {
  const std::vector<Frame> frames = symbols_.frames(symbolizer_test::outer_function(), true);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].where.function, "symbolizer_test::inlined_function");
  EXPECT_TRUE(frames[0].inlined);
  EXPECT_EQ(frames[1].where.function, "symbolizer_test::outer_function");
  EXPECT_FALSE(frames[1].inlined);
  EXPECT_EQ(frames[1].where.line, symbolizer_test::kOuterLine);
}

TEST_F(SymbolizerTest, KeepsLambdasApart) {
  // Written to memory, so that here() is not the lambda's last call and replaces it on the stack.
  static volatile std::uint64_t pc = 0;
  auto first = []() __attribute__((noinline)) {
    pc = symbolizer_test::here();
    return static_cast<std::uint64_t>(pc);
  };
  auto second = []() __attribute__((noinline)) {
    pc = symbolizer_test::here();
    pc = pc + 0;  // unlike the first: the compiler merges equal functions
    return static_cast<std::uint64_t>(pc);
  };
  const std::string one = symbols_.frames(first(), true)[0].where.function;
  const std::string two = symbols_.frames(second(), true)[0].where.function;
  EXPECT_NE(one.find("{lambda#1}"), std::string::npos) << one;
  EXPECT_NE(two.find("{lambda#2}"), std::string::npos) << two;
  EXPECT_EQ(one.find("operator()"), std::string::npos) << one;
}

TEST_F(SymbolizerTest, NumbersInlinedLambdasToo) {
  static volatile std::uint64_t pc = 0;
  auto first = []() __attribute__((always_inline)) { pc = symbolizer_test::here(); };
  auto second = []() __attribute__((always_inline)) { pc = symbolizer_test::here(); };
  first();
  const Frame one = symbols_.frames(pc, true)[0];
  second();
  const Frame two = symbols_.frames(pc, true)[0];
  EXPECT_TRUE(one.inlined && two.inlined);
  // clang numbers them through the whole file.
  const std::string start =
      "raddle::(anonymous namespace)::SymbolizerTest_NumbersInlinedLambdasToo_Test::TestBody::"
      "{lambda#";
  EXPECT_EQ(one.where.function.rfind(start, 0), 0u) << one.where.function;
  EXPECT_EQ(two.where.function.rfind(start, 0), 0u) << two.where.function;
  EXPECT_NE(one.where.function, two.where.function);
}

TEST_F(SymbolizerTest, NamesGlobalsAndTheirParts) {
  EXPECT_EQ(symbols_.data_name(address_of(&account.lock)), "symbolizer_test::account.lock");
  EXPECT_EQ(symbols_.data_name(address_of(&symbolizer_test::static_counter[2])),
            "symbolizer_test::static_counter[2]");
  static std::mutex local;
  EXPECT_NE(symbols_.data_name(address_of(&local)).find("::local"), std::string::npos);
  const auto on_heap = std::make_unique<int>(1);
  EXPECT_EQ(symbols_.data_name(address_of(on_heap.get())), "");
  EXPECT_EQ(symbols_.data_name(0), "");
}

TEST_F(SymbolizerTest, LibraryFunctionsAreNotTheProgram) {
  const std::vector<Frame> frames =
      symbols_.frames(reinterpret_cast<std::uint64_t>(&::getpid), false);
  EXPECT_FALSE(frames[0].in_program);
  EXPECT_EQ(frames[0].module.rfind("libc.so", 0), 0u) << frames[0].module;
}

TEST_F(SymbolizerTest, UnknownAddressesAreShownAsTheyAre) {
  for (const std::uint64_t pc : {std::uint64_t{0}, std::uint64_t{0x10}, ~std::uint64_t{0}}) {
    const std::vector<Frame> frames = symbols_.frames(pc, false);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0].where.function.rfind("0x", 0), 0u) << frames[0].where.function;
    EXPECT_FALSE(frames[0].in_program);
    EXPECT_FALSE(symbols_.frames(pc, true).empty());
  }
}

TEST_F(SymbolizerTest, AModuleWhoseFileIsGoneIsNamedWithAnOffset) {
  symbols_.set_maps("00400000-00500000 r-xp 00000000 00:00 7 /nowhere/at all/prog (deleted)\n");
  const std::vector<Frame> frames = symbols_.frames(0x400123, false);
  EXPECT_EQ(frames[0].where.function, "prog (deleted)+0x123");
  EXPECT_TRUE(frames[0].in_program);
}

TEST_F(SymbolizerTest, WorksWithoutMapsAndAfterNewOnes) {
  Symbolizer empty;
  EXPECT_FALSE(empty.frames(0x400000, true).empty());
  EXPECT_EQ(empty.data_name(0x400000), "");
  symbols_.set_maps("");
  EXPECT_EQ(symbols_.data_name(address_of(&account.lock)), "");
  symbols_.set_maps(own_maps());
  EXPECT_EQ(symbols_.data_name(address_of(&account.lock)), "symbolizer_test::account.lock");
}

// Descriptors of regular files.
std::vector<int> open_files() {
  std::vector<int> files;
  for (int fd = 0; fd < 256; ++fd) {
    struct stat file{};
    if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode)) files.push_back(fd);
  }
  return files;
}

TEST(KeptSymbolizers, AreUsedAgainByWhoHasTheSameObjects) {
  const std::string maps = own_maps();
  const std::size_t before = open_files().size();
  Symbolizer::keep(1);
  {
    Symbolizer().set_maps(maps);
  }
  const std::vector<int> kept = open_files();
  EXPECT_GT(kept.size(), before);
  {
    Symbolizer next;
    next.set_maps(maps);
    EXPECT_EQ(open_files(), kept);
    EXPECT_EQ(next.frames(symbolizer_test::outer_function(), true)[0].where.function,
              "symbolizer_test::inlined_function");
    // Two at once share nothing, and only one of them is kept.
    Symbolizer other;
    other.set_maps(maps);
    EXPECT_GT(open_files().size(), kept.size());
  }
  EXPECT_EQ(open_files().size(), kept.size());
  Symbolizer::keep(0);
  {
    Symbolizer().set_maps(maps);
  }
  EXPECT_EQ(open_files().size(), before);
}

TEST(KeptSymbolizers, LetNoProgramInheritTheirDescriptors) {
  const std::vector<int> before = open_files();
  Symbolizer symbols;
  symbols.set_maps(own_maps());
  ASSERT_GT(open_files().size(), before.size());
  for (const int fd : open_files()) {
    if (std::find(before.begin(), before.end(), fd) != before.end()) continue;
    EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC) << fd;
  }
}

TEST(MapsTest, SkipsWhatItCannotRead) {
  EXPECT_TRUE(parse_maps("").empty());
  EXPECT_TRUE(parse_maps("garbage\n\n-\n1-0 r-xp 0 0 0 /x\nzz-yy r-xp 0 0 0 /x").empty());
  EXPECT_TRUE(parse_maps("1000-2000 r--p 0 0:0 1 /data/only\n").empty());
  const auto objects = parse_maps(
      "1000-2000 r--p 0 0:0 1   /a b\n2000-3000 r-xp 0 0:0 1   /a b\n3000-4000 rw-p 0 0:0 0\n"
      "4000-5000 rw-p 0 0:0 1   /a b\n7000-8000 r-xp 0 0:0 0   [vdso]");
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(objects[0].path, "/a b");
  EXPECT_EQ(objects[0].low, 0x1000u);
  EXPECT_EQ(objects[0].high, 0x5000u);
  EXPECT_EQ(objects[1].path, "[vdso]");
}

}  // namespace
}  // namespace raddle
