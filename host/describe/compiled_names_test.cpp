// Names from the debug information of small programs, as gcc and clang write it at each level of
// optimisation. A program prints its maps and the frames of its stack, and is compared with what it
// says of itself.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "host/describe/failure.hpp"
#include "host/report/words/step_words.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {
namespace {

constexpr const char* kProgram = R"(
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>
#include <array>
#include <mutex>

namespace bank {
struct Limits { int daily; std::mutex lock; };
struct Base { virtual ~Base() {} long id; };
struct Account : Base {
  int balance_ = 0;
  Limits limits;
  std::mutex m_;
  int last_[4] = {};
  static int total;
  __attribute__((noinline)) void withdraw();
};
int Account::total = 7;
Account global_account;
template <class T> struct Queue { T items[8]; std::mutex lock; };
Queue<long> queue;
std::array<std::mutex, 3> forks;
}
int counter = 1;
static int hidden[3] = {1, 2, 3};
thread_local int mine = 4;

static unsigned long frames[64][2];
static int count;

static _Unwind_Reason_Code step(struct _Unwind_Context* context, void*) {
  // The unwinder tells the CFA of the frame before.
  if (count > 0) frames[count - 1][1] = _Unwind_GetCFA(context);
  if (count == 64) return _URC_END_OF_STACK;
  frames[count++][0] = _Unwind_GetIP(context);
  return _URC_NO_REASON;
}

extern "C" __attribute__((noinline)) void say(const char* what, const void* address) {
  printf("at %s %lx\n", what, (unsigned long)address);
  count = 0;
  _Unwind_Backtrace(step, nullptr);
  for (int i = 0; i < count; ++i) printf("frame %lx %lx\n", frames[i][0], frames[i][1]);
}
extern "C" __attribute__((noinline)) void data(const char* what, const void* address) {
  printf("data %s %lx\n", what, (unsigned long)address);
}

void bank::Account::withdraw() { say("self", this); balance_ = balance_ - 1; }

static inline __attribute__((always_inline)) void inlined(int* outer) {
  int inner_value = *outer;
  say("inner_value", &inner_value);
  if (inner_value == 3) puts("three");
}

extern "C" __attribute__((noinline)) int recurse(int depth) {
  int level = depth;
  if (depth > 0) {
    int below = recurse(depth - 1);
    return below + level;
  }
  say("level", &level);
  return level;
}

static bool announce;
__attribute__((noinline)) void* operator new(size_t bytes) {
  void* block = malloc(bytes);
  if (announce) printf("new %lx %lx %lx\n", (unsigned long)block, (unsigned long)bytes,
                       (unsigned long)__builtin_return_address(0));
  return block;
}

int main(int argc, char** argv) {
  bank::Account account;
  pthread_mutex_t locks[3];
  memset(locks, 0, sizeof locks);
  int done = argc;
  say("done", &done);
  say("account.m_", &account.m_);
  say("account.limits.lock", &account.limits.lock);
  say("locks[2]", &locks[2]);
  for (int i = 0; i < 2; ++i) {
    int in_block = i + argc;
    say("in_block", &in_block);
    if (in_block == 77) return 1;
  }
  inlined(&done);
  recurse(2);
  account.withdraw();
  announce = true;
  bank::Account* on_heap = new bank::Account;  // here
  announce = false;
  on_heap->withdraw();
  data("counter", &counter);
  data("hidden", hidden);
  data("bank::Account::total", &bank::Account::total);
  data("bank::global_account", &bank::global_account);
  data("bank::queue", &bank::queue);
  data("bank::forks", &bank::forks);
  static int times = argc;
  data("main::times", &times);
  printf("offset m_ %lx\n", (unsigned long)((char*)&account.m_ - (char*)&account));
  printf("offset limits.lock %lx\n", (unsigned long)((char*)&account.limits.lock - (char*)&account));
  printf("offset last_[2] %lx\n", (unsigned long)((char*)&account.last_[2] - (char*)&account));
  printf("offset id %lx\n", (unsigned long)((char*)&account.id - (char*)&account));
  printf("size %lx\n", (unsigned long)sizeof account);
  printf("queue %lx\n", (unsigned long)((char*)&bank::queue.lock - (char*)&bank::queue));
  fflush(stdout);
  FILE* maps = fopen("/proc/self/maps", "r");
  static char line[4096];
  while (fgets(line, sizeof line, maps)) printf("map %s", line);
  return done == 99 ? mine + hidden[1] : 0;
}
)";

struct Said {
  struct Stack {
    std::string name;
    std::uint64_t address = 0;
    std::vector<std::array<std::uint64_t, 2>> frames;  // pc, cfa
  };
  std::vector<Stack> stacks;
  std::map<std::string, std::uint64_t> data;
  std::map<std::string, std::uint64_t> offsets;
  std::uint64_t size = 0;
  std::uint64_t queue_lock = 0;
  std::uint64_t block = 0, block_bytes = 0, block_site = 0;
  std::string maps;
};

Said parse(std::FILE* from) {
  Said said;
  char line[4096];
  while (std::fgets(line, sizeof line, from) != nullptr) {
    std::istringstream words(line);
    std::string kind, name;
    std::uint64_t number = 0, second = 0;
    words >> kind >> std::hex;
    if (kind == "at" && words >> name >> number) said.stacks.push_back({name, number, {}});
    if (kind == "frame" && words >> number >> second) {
      said.stacks.back().frames.push_back({number, second});
    }
    if (kind == "data" && words >> name >> number) said.data[name] = number;
    if (kind == "offset" && words >> name >> number) said.offsets[name] = number;
    if (kind == "size" && words >> number) said.size = number;
    if (kind == "queue" && words >> number) said.queue_lock = number;
    if (kind == "new") words >> said.block >> said.block_bytes >> said.block_site;
    if (kind == "map") said.maps += std::string(line).substr(4);
  }
  return said;
}

struct Compiler {
  const char* name;
  const char* command;
  const char* level;
};

void PrintTo(const Compiler& compiler, std::ostream* out) { *out << compiler.name; }

class CompiledNamesTest : public ::testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    const std::string probe = std::string("command -v ") + GetParam().command + " >/dev/null";
    if (std::system(probe.c_str()) != 0) GTEST_SKIP() << "there is no " << GetParam().command;
    char pattern[] = "/tmp/raddle-names-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    folder_ = pattern;
    std::ofstream(folder_ + "/bank.cpp") << kProgram;
    const std::string build = std::string(GetParam().command) + " -std=c++17 -g -w " +
                              GetParam().level + " -o " + folder_ + "/bank " + folder_ +
                              "/bank.cpp";
    ASSERT_EQ(std::system(build.c_str()), 0) << build;
    std::FILE* run = popen((folder_ + "/bank").c_str(), "r");
    ASSERT_NE(run, nullptr);
    said_ = parse(run);
    ASSERT_EQ(pclose(run), 0);
    symbols_.set_maps(said_.maps);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  std::string folder_;
  Said said_;
  Symbolizer symbols_;
};

TEST_P(CompiledNamesTest, LocalsByVariableAndFunction) {
  ASSERT_EQ(said_.stacks.size(), 10u);
  for (const Said::Stack& stack : said_.stacks) {
    if (stack.name == "self") continue;
    std::string found;
    for (const auto& [pc, cfa] : stack.frames) {
      const auto local = symbols_.local_name(pc, true, cfa, stack.address);
      if (local) found += local->path + " in " + local->function + ";";
      // The same frame at another place of a stack.
      const auto elsewhere = symbols_.local_name(pc, true, cfa + 4096, stack.address + 4096);
      EXPECT_EQ(elsewhere.has_value(), local.has_value());
      if (local && elsewhere) {
        EXPECT_EQ(elsewhere->path, local->path);
      }
    }
    const std::string function = stack.name == "inner_value" ? "inlined"
                                 : stack.name == "level"     ? "recurse"
                                                             : "main";
    EXPECT_EQ(found, stack.name + " in " + function + ";");
  }
}

TEST_P(CompiledNamesTest, OtherMemoryIsNoLocal) {
  for (const Said::Stack& stack : said_.stacks) {
    for (const auto& [pc, cfa] : stack.frames) {
      EXPECT_FALSE(symbols_.local_name(pc, true, cfa, said_.data["counter"]).has_value());
      EXPECT_FALSE(symbols_.local_name(pc, true, cfa, cfa).has_value());
      EXPECT_FALSE(symbols_.local_name(pc, true, 0, stack.address).has_value());
      EXPECT_FALSE(symbols_.local_name(0, true, cfa, stack.address).has_value());
    }
  }
}

TEST_P(CompiledNamesTest, MembersByOffset) {
  ASSERT_EQ(said_.offsets.size(), 4u);
  for (const auto& [member, offset] : said_.offsets) {
    EXPECT_EQ(symbols_.member_at("bank::Account", offset), member);
  }
  EXPECT_EQ(symbols_.member_at("bank::Account", said_.size), "");
  EXPECT_EQ(symbols_.member_at("bank::Queue<long>", said_.queue_lock), "lock");
  EXPECT_EQ(symbols_.member_at("bank::Queue<long>", 16), "items[2]");
  EXPECT_EQ(symbols_.member_at("bank::Nothing", 0), "");
  EXPECT_EQ(symbols_.member_at("", 0), "");
  EXPECT_EQ(symbols_.class_size("bank::Account"), said_.size);
  EXPECT_EQ(symbols_.class_size("bank::Nothing"), 0u);
}

// At every byte that is no padding a member is what member_at() says of it.
TEST_P(CompiledNamesTest, DataMembersOfAClass) {
  for (const std::string cls : {"bank::Account", "bank::Queue<long>"}) {
    const std::vector<ClassMember> members = symbols_.data_members(cls);
    std::vector<std::string> by_byte(symbols_.class_size(cls));
    for (const ClassMember& member : members) {
      ASSERT_LE(member.offset + member.bytes, by_byte.size()) << member.path;
      for (std::uint64_t i = 0; i < member.bytes; ++i) {
        EXPECT_EQ(by_byte[member.offset + i], "") << member.path;
        by_byte[member.offset + i] = member.path;
      }
    }
    for (std::uint64_t offset = 0; offset < by_byte.size(); ++offset) {
      if (by_byte[offset].empty()) continue;
      EXPECT_EQ(by_byte[offset], symbols_.member_at(cls, offset)) << cls << " at " << offset;
    }
    if (cls != "bank::Account") continue;
    for (const auto& [member, offset] : said_.offsets) EXPECT_EQ(by_byte[offset], member);
  }
  EXPECT_TRUE(symbols_.data_members("bank::Nothing").empty());
}

TEST_P(CompiledNamesTest, DataSymbolsAreTheVariablesOfTheProgram) {
  std::map<std::string, DataSymbol> symbols;
  for (const DataSymbol& symbol : symbols_.data_symbols(100'000)) {
    EXPECT_GT(symbol.bytes, 0u);
    symbols[symbol.name] = symbol;
  }
  for (const auto& [name, address] : said_.data) {
    ASSERT_TRUE(symbols.contains(name)) << name;
    EXPECT_EQ(symbols[name].address, address) << name;
  }
  EXPECT_EQ(symbols["hidden"].bytes, 12u);
  for (const auto& [name, symbol] : symbols) {
    EXPECT_EQ(name.find("vtable"), std::string::npos);
    EXPECT_EQ(name.find("guard"), std::string::npos);
    EXPECT_NE(name, "mine");  // has an address for each thread
  }
  EXPECT_LT(symbols.size(), 30u);
  EXPECT_EQ(symbols_.data_symbols(3).size(), 3u);
  EXPECT_EQ(symbols_.data_symbols(0).size(), 0u);
}

TEST_P(CompiledNamesTest, AnElementOfAStdArray) {
  const std::uint64_t forks = said_.data["bank::forks"];
  EXPECT_EQ(symbols_.data_name(forks + 2 * sizeof(std::mutex)), "bank::forks[2]");
}

TEST_P(CompiledNamesTest, FunctionsOfCode) {
  const auto& frames = said_.stacks.front().frames;
  ASSERT_GE(frames.size(), 2u);
  EXPECT_EQ(symbols_.function_of(frames[0][0]), "say");
  EXPECT_EQ(symbols_.function_of(frames[1][0]), "main");
  EXPECT_EQ(symbols_.function_of(said_.stacks.back().frames[1][0]), "bank::Account::withdraw");
  EXPECT_EQ(symbols_.function_of(8), "");
}

// A thread that waits for a mutex, with the stack that the program printed.
Execution waiting_for(const Said& said, const Said::Stack& stack, std::uint64_t mutex) {
  Execution execution;
  execution.maps = said.maps;
  execution.kind = OutcomeKind::kDeadlock;
  execution.report = std::make_unique<Report>();
  Report& report = *execution.report;
  report.kind = OutcomeKind::kDeadlock;
  report.threads = 1;
  ThreadReport& thread = report.thread_table[0];
  thread.state = ThreadState::kBlocked;
  thread.op = OpKind::mutex_lock;
  thread.object = ObjectId{4};
  for (const auto& [pc, cfa] : stack.frames) {
    thread.stack.pc[thread.stack.frames] = pc;
    thread.stack.cfa[thread.stack.frames++] = cfa;
  }
  report.objects = 1;
  report.object_table[0].id = ObjectId{4};
  report.object_table[0].cls = ObjectClass::mutex;
  report.object_table[0].address = mutex;
  return execution;
}

TEST_P(CompiledNamesTest, ReportsNameLocksOnTheStack) {
  for (const Said::Stack& stack : said_.stacks) {
    if (stack.name != "account.m_") continue;
    const Execution execution = waiting_for(said_, stack, stack.address);
    EXPECT_EQ(doing_words(describe(execution, symbols_).threads.at(0).doing),
              "waits to lock mutex #4 `account.m_ in main'");
    return;
  }
  FAIL();
}

TEST_P(CompiledNamesTest, ReportsNameLocksInHeapObjects) {
  const std::uint64_t mutex = said_.block + said_.offsets["m_"];
  Execution execution = waiting_for(said_, said_.stacks.back(), mutex);
  ObjectReport& object = execution.report->object_table[0];
  object.block = said_.block;
  object.block_bytes = said_.block_bytes;
  object.block_site = said_.block_site;
  object.block_ordinal = 2;
  std::uint32_t line = 1;
  std::istringstream source(kProgram);
  for (std::string text; std::getline(source, text) && text.find("// here") == text.npos;) ++line;
  const std::string place = "bank.cpp:" + std::to_string(line);
  EXPECT_EQ(doing_words(describe(execution, symbols_).threads.at(0).doing),
            "waits to lock mutex #4 `bank::Account::m_ of #2 of bank::Account from " + place + "'");
  // Of another size: some other class.
  object.block_bytes += 8;
  char offset[32];
  std::snprintf(offset, sizeof offset, "%#llx",
                static_cast<unsigned long long>(said_.offsets["m_"]));
  EXPECT_EQ(
      doing_words(describe(execution, symbols_).threads.at(0).doing),
      "waits to lock mutex #4 `" + std::string(offset) + " into block #2 from " + place + "'");
}

INSTANTIATE_TEST_SUITE_P(
    Compilers, CompiledNamesTest,
    ::testing::Values(Compiler{"gcc_O0", "g++", "-O0"}, Compiler{"gcc_O1", "g++", "-O1"},
                      Compiler{"gcc_O2", "g++", "-O2"}, Compiler{"clang_O0", "clang++-19", "-O0"},
                      Compiler{"clang_O1", "clang++-19", "-O1"},
                      Compiler{"clang_O2", "clang++-19", "-O2"},
                      Compiler{"clang_O2_pic", "clang++-19", "-O2 -fPIE -pie -gdwarf-4"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace raddle
