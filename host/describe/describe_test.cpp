// Executions made by hand. Code addresses lie in a module whose file does not exist, so that their
// names are known: "prog+0x10". Data addresses are the test's own.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>

#include "host/describe/failure.hpp"
#include "host/report/text.hpp"
#include "host/report/words/headline.hpp"
#include "host/report/words/step_words.hpp"
#include "host/symbols/symbolizer.hpp"
#include "protocol/fault_address.hpp"

static std::mutex lock_a;
static std::mutex lock_b;

namespace raddle {
namespace {

constexpr std::uint64_t kProgram = 0x10000000;
constexpr std::uint64_t kLibrary = 0x20000000;

std::string maps_text() {
  std::ifstream file("/proc/self/maps");
  std::stringstream text;
  text << "10000000-10100000 r-xp 00000000 00:00 7 /nowhere/prog\n"
          "20000000-20100000 r-xp 00000000 00:00 8 /nowhere/libc.so.6\n"
       << file.rdbuf();
  return text.str();
}

// The call before this address is at prog+`offset`.
std::uint64_t return_to(std::uint64_t offset) { return kProgram + offset + 1; }

class DescribeTest : public ::testing::Test {
 protected:
  DescribeTest() {
    execution_.maps = maps_text();
    execution_.report = std::make_unique<Report>();
  }

  Report& report() { return *execution_.report; }

  void start(OutcomeKind kind, std::uint16_t failing) {
    execution_.kind = report().kind = kind;
    report().thread = ThreadId{failing};
  }

  ThreadReport& add_thread(std::uint16_t id, ThreadState state, std::uint64_t place) {
    ThreadReport& thread = report().thread_table[report().threads++];
    thread.id = ThreadId{id};
    thread.state = state;
    thread.stack.frames = 3;
    thread.stack.pc[0] = kLibrary + 0x40;
    thread.stack.pc[1] = return_to(place);
    thread.stack.pc[2] = return_to(place + 0x100);
    return thread;
  }

  void wait_for(ThreadReport& thread, OpKind op, std::uint32_t object) {
    thread.state = ThreadState::kBlocked;
    thread.op = op;
    thread.object = ObjectId{object};
  }

  void add_object(std::uint32_t id, ObjectClass cls, const void* address, int holder) {
    ObjectReport& object = report().object_table[report().objects++];
    object.id = ObjectId{id};
    object.cls = cls;
    object.address = reinterpret_cast<std::uint64_t>(address);
    if (holder < 0) return;
    object.holders = 1;
    object.holder[0] = ThreadId{static_cast<std::uint16_t>(holder)};
  }

  void add_step(ThreadReport& thread, std::uint64_t step, OpKind op, std::uint32_t object,
                std::uint64_t place) {
    DetailedStep& detail = thread.last[thread.last_steps++ % kMaxLastSteps];
    detail.step = step;
    detail.record = {thread.id, op, 0, ObjectId{object}, 0};
    detail.frames = 2;
    detail.pc[0] = kLibrary + 0x80;
    detail.pc[1] = return_to(place);
  }

  // T1 holds 1 and wants 2, T2 holds 2 and wants 1, main joins T1.
  void make_deadlock() {
    start(OutcomeKind::kDeadlock, 1);
    wait_for(add_thread(0, ThreadState::kBlocked, 0x500), OpKind::thread_join, 3);
    ThreadReport& first = add_thread(1, ThreadState::kBlocked, 0x10);
    wait_for(first, OpKind::mutex_lock, 2);
    ThreadReport& second = add_thread(2, ThreadState::kBlocked, 0x20);
    wait_for(second, OpKind::mutex_lock, 1);
    second.state = ThreadState::kRunning;  // it is the one that noticed
    add_object(1, ObjectClass::mutex, &lock_a, 1);
    add_object(2, ObjectClass::mutex, &lock_b, 2);
    add_object(3, ObjectClass::thread, nullptr, 1);
    add_step(first, 5, OpKind::mutex_lock, 1, 0x18);
    add_step(second, 6, OpKind::mutex_lock, 2, 0x28);
    report().cycle_length = 2;
    report().cycle[0] = ThreadId{1};
    report().cycle[1] = ThreadId{2};
  }

  Failure run() { return describe(execution_, symbols_); }

  Execution execution_;
  Symbolizer symbols_;
};

TEST_F(DescribeTest, Assertion) {
  start(OutcomeKind::kAssertion, 1);
  add_thread(0, ThreadState::kEnabled, 0x500).op = OpKind::yield;
  std::strcpy(add_thread(1, ThreadState::kRunning, 0x10).name, "teller");
  std::strcpy(report().message, "balance_ >= 0");
  std::strcpy(report().file, "account.cpp");
  std::strcpy(report().function, "void Account::withdraw(int)");
  report().line = 18;
  const Failure failure = run();
  EXPECT_EQ(headline(failure), "assertion `balance_ >= 0' failed in Account::withdraw");
  EXPECT_EQ(failure.where.file, "account.cpp");
  EXPECT_EQ(failure.where.line, 18u);
  EXPECT_EQ(failure.where.function, "Account::withdraw");
  EXPECT_EQ(failure.group, "assertion | account.cpp:18 Account::withdraw");
  ASSERT_EQ(failure.threads.size(), 2u);
  EXPECT_EQ(failure.threads[0].id, ThreadId{1});
  EXPECT_EQ(failure.threads[0].name, "teller");
  EXPECT_EQ(doing_words(failure.threads[0].doing), "was running");
  ASSERT_EQ(failure.threads[0].stack.size(), 3u);
  EXPECT_FALSE(failure.threads[0].stack[0].in_program);
  EXPECT_EQ(doing_words(failure.threads[1].doing), "was about to yield");
}

TEST_F(DescribeTest, AbortCrashExceptionExit) {
  add_thread(0, ThreadState::kRunning, 0x10);
  start(OutcomeKind::kAssertion, 0);
  EXPECT_EQ(headline(run()), "abort() called in prog+0x10");
  start(OutcomeKind::kCrash, 0);
  report().signal = SIGSEGV;
  EXPECT_EQ(headline(run()), "segmentation fault at address 0x0 (null pointer) in prog+0x10");
  report().fault_address = 0x18;
  EXPECT_EQ(headline(run()),
            "segmentation fault at address 0x18 (null pointer plus an offset) in prog+0x10");
  report().fault_address = kUnknownFaultAddress;
  EXPECT_EQ(headline(run()),
            "segmentation fault at an address that no memory can have in prog+0x10");
  report().signal = SIGFPE;
  EXPECT_EQ(headline(run()), "arithmetic error (SIGFPE) in prog+0x10");
  EXPECT_EQ(run().group, "crash | :0 prog+0x10");
  start(OutcomeKind::kException, 0);
  std::strcpy(report().exception_type, "St13runtime_error");
  std::strcpy(report().message, "out of\nmoney\n");
  EXPECT_EQ(headline(run()), "uncaught exception std::runtime_error in prog+0x10: out of\\nmoney");
  start(OutcomeKind::kExit, 0);
  report().exit_status = 3;
  EXPECT_EQ(headline(run()), "exit status 3 in prog+0x10");
}

TEST_F(DescribeTest, AFaultingInstructionIsNoReturnAddress) {
  start(OutcomeKind::kCrash, 0);
  Stack& stack = add_thread(0, ThreadState::kRunning, 0).stack;
  stack.frames = 1;
  stack.pc[0] = kProgram + 0x77;
  EXPECT_EQ(run().where.function, "prog+0x76");
  stack.first_is_exact = true;
  EXPECT_EQ(run().where.function, "prog+0x77");
}

TEST_F(DescribeTest, ADeepRecursionIsSaid) {
  start(OutcomeKind::kCrash, 0);
  report().signal = SIGSEGV;
  report().fault_address = 0x7fff0000;
  Stack& stack = add_thread(0, ThreadState::kRunning, 0).stack;
  stack.frames = kMaxFrames;
  for (std::uint64_t i = 0; i < kMaxFrames; ++i) stack.pc[i] = return_to(i);
  EXPECT_EQ(headline(run()), "segmentation fault at address 0x7fff0000 in prog+0x0");
  for (std::uint64_t i = 0; i < kMaxFrames; ++i) stack.pc[i] = return_to(i % 3);
  EXPECT_EQ(headline(run()),
            "segmentation fault in prog+0x0, deep in a recursion: probably a stack overflow");
}

TEST_F(DescribeTest, WithoutAReportTheStatusDecides) {
  execution_.report.reset();
  execution_.kind = OutcomeKind::kExit;
  execution_.wait_status = 7 << 8;
  EXPECT_EQ(headline(run()), "exit status 7");
  EXPECT_EQ(run().group, "exit | exit status 7");
  execution_.kind = OutcomeKind::kCrash;
  execution_.wait_status = SIGKILL;
  EXPECT_EQ(headline(run()), "killed (SIGKILL)");
}

TEST_F(DescribeTest, DeadlockInFull) {
  make_deadlock();
  const Failure failure = run();
  EXPECT_EQ(failure.group, "deadlock | :0 prog+0x10 | :0 prog+0x20");
  EXPECT_EQ(failure.where.function, "prog+0x10");
  EXPECT_EQ(failure_text(failure, {}),
            R"(2 threads wait for each other: T1 waits to lock mutex #2 `lock_b', T2 waits to
  lock mutex #1 `lock_a'
  prog+0x10, thread T1

     T1                                    T2
     ------------------------------------  ------------------------------------
  5  prog+0x18  lock lock_a
  6                                        prog+0x28  lock lock_b
     ^ waits to lock mutex #2 `lock_b', held by T2
                                           ^ waits to lock mutex #1 `lock_a',
                                             held by T1

  The cycle:
    T1 holds mutex #1 `lock_a' and at prog+0x10 waits to lock mutex #2 `lock_b',
      held by T2
    T2 holds mutex #2 `lock_b' and at prog+0x20 waits to lock mutex #1 `lock_a',
      held by T1

  T1  waits to lock mutex #2 `lock_b', held by T2
    ... 1 frame in libc
    prog+0x10
    prog+0x110
  T2  waits to lock mutex #1 `lock_a', held by T1
    ... 1 frame in libc
    prog+0x20
    prog+0x120
  T0 "main"  waits to join T1
    ... 1 frame in libc
    prog+0x500
    prog+0x600
)");
}

TEST_F(DescribeTest, TheSameCycleFromAnotherThreadIsTheSameFinding) {
  make_deadlock();
  const std::string group = run().group;
  std::swap(report().cycle[0], report().cycle[1]);
  EXPECT_EQ(run().group, group);
}

TEST_F(DescribeTest, ACycleOfMoreThreadsIsAnotherFinding) {
  make_deadlock();
  const std::string group = run().group;
  ThreadReport third = report().thread_table[1];
  third.id = ThreadId{7};
  report().thread_table[report().threads++] = third;
  report().cycle[report().cycle_length++] = third.id;
  EXPECT_NE(run().group, group);
}

TEST_F(DescribeTest, ALostWakeUpNamesTheOneThatWaits) {
  start(OutcomeKind::kDeadlock, 0);
  wait_for(add_thread(0, ThreadState::kBlocked, 0x500), OpKind::thread_join, 3);
  wait_for(add_thread(1, ThreadState::kBlocked, 0x10), OpKind::cond_wake, 9);
  add_object(3, ObjectClass::thread, nullptr, 1);
  Failure failure = run();
  EXPECT_EQ(headline(failure), "T1 waits on condition variable #9 and nobody is left to wake it");
  EXPECT_EQ(failure.thread, ThreadId{1});
  EXPECT_EQ(doing_words(failure.threads[1].doing), "waits to join T1");
  wait_for(add_thread(2, ThreadState::kBlocked, 0x20), OpKind::sem_wait, 10);
  add_object(10, ObjectClass::semaphore, nullptr, -1);
  failure = run();
  EXPECT_TRUE(headline(failure).starts_with("2 threads wait and nobody is left to wake them: T"))
      << headline(failure);
  EXPECT_EQ(doing_words(failure.threads[1].doing), "waits for semaphore #10 (value 0)");
  EXPECT_TRUE(failure.verdict->cycle.empty());
}

TEST_F(DescribeTest, AnObjectWithoutANameIsNamedByItsFirstUse) {
  start(OutcomeKind::kDeadlock, 0);
  wait_for(add_thread(0, ThreadState::kBlocked, 0x10), OpKind::mutex_lock, 4);
  add_object(4, ObjectClass::mutex, nullptr, 0);
  report().object_table[0].first_site = return_to(0x30);
  report().cycle_length = 1;
  const Failure failure = run();
  EXPECT_EQ(headline(failure),
            "T0 waits for itself: it waits to lock mutex #4 (first used at prog+0x30), held by T0");
}

TEST_F(DescribeTest, StepsComeFromTheRingOldestFirst) {
  start(OutcomeKind::kLivelock, 0);
  ThreadReport& thread = add_thread(0, ThreadState::kRunning, 0x10);
  for (std::uint64_t i = 0; i < 20; ++i) add_step(thread, 100 + i, OpKind::yield, 0, 0x10 + i);
  const std::vector<StepLine> steps = run().threads[0].last_steps;
  ASSERT_EQ(steps.size(), 16u);
  EXPECT_EQ(steps.front().step, 104u);
  EXPECT_EQ(steps.back().step, 119u);
  EXPECT_EQ(steps.back().where.function, "prog+0x23");
  EXPECT_EQ(step_words(steps.back()), "yield");
}

TEST_F(DescribeTest, WithoutDetailStepsComeFromTheLog) {
  start(OutcomeKind::kLimit, 0);
  add_thread(0, ThreadState::kRunning, 0x10);
  for (std::uint64_t i = 0; i < 30; ++i) {
    const ThreadId who{static_cast<std::uint16_t>(i % 2)};
    execution_.log.push_back({who, OpKind::sem_post, 0, ObjectId{5}, return_to(i)});
  }
  execution_.log.push_back({kMainThread, OpKind::thread_create, 0, kNoObject, return_to(0x98)});
  execution_.log.push_back({kMainThread, OpKind::value_choice, 1, ObjectId{3}, 0});
  execution_.log.push_back({kMainThread, OpKind::cond_wake, 1, ObjectId{6}, return_to(0x99)});
  const std::vector<StepLine> steps = run().threads[0].last_steps;
  ASSERT_EQ(steps.size(), 8u);
  EXPECT_EQ(steps.front().step, 18u);
  EXPECT_EQ(step_words(steps.front()), "post semaphore #5");
  EXPECT_EQ(step_words(steps[6]), "create T1");
  EXPECT_EQ(step_words(steps.back()), "wake from condition variable #6 (timed out)");
  EXPECT_EQ(steps.back().where.function, "prog+0x99");
}

TEST_F(DescribeTest, DivergenceAndMisuse) {
  start(OutcomeKind::kDiverged, 0);
  report().diverged_step = 42;
  report().recorded = {ThreadId{1}, OpKind::mutex_lock, 0, ObjectId{2}, 0};
  report().actual = {ThreadId{2}, OpKind::thread_end, 0, ObjectId{7}, 0};
  Misuse& misuse = report().misuse_table[0];
  misuse = {
      ThreadId{2}, OpKind::mutex_unlock, ObjectId{1}, ObjectClass::mutex, return_to(5), 9, 0, 0, {},
      ""};
  std::strcpy(misuse.text, "unlocks a mutex that another thread holds");
  report().misuses = kMaxMisuses + 4;
  const Failure failure = run();
  EXPECT_EQ(headline(failure),
            "the replay diverged at step 42: recorded was T1 lock mutex #2, now it is T2 end");
  ASSERT_EQ(failure.misuses.size(), kMaxMisuses + 1u);
  EXPECT_EQ(misuse_words(failure.misuses[0]),
            "T2 unlocks a mutex that another thread holds: mutex #1 (prog+0x5)");
  EXPECT_EQ(misuse_words(failure.misuses.back()), "and 4 more");
}

}  // namespace
}  // namespace raddle
