#include "host/report/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "host/base/printable.hpp"
#include "host/describe/testing/test_failures.hpp"
#include "host/report/layout.hpp"

namespace raddle {
namespace {

TEST(TextTest, AssertionInFull) {
  EXPECT_EQ(failure_text(assertion_failure(), {}),
            R"(assertion `balance_ >= 0' failed in Account::withdraw
  src/bank.cpp:18 in Account::withdraw, thread T2 "teller-2"

      T1 "teller-1"                         T2 "teller-2"
      ------------------------------------  ------------------------------------
   9                                        begin
  10  bank.cpp:30  lock account.m_
  11                                        bank.cpp:30  lock account.m_
  12                                        bank.cpp:30  unlock account.m_
  13  bank.cpp:30  unlock account.m_
  14  bank.cpp:31  lock account.m_
  15  bank.cpp:31  unlock account.m_
  16  end
  17                                        bank.cpp:31  lock account.m_
                                            ^ assertion `balance_ >= 0' failed,
                                              bank.cpp:18

  T2 "teller-2"  was running
    ... 2 frames in libc
    src/bank.cpp:18  Account::withdraw
    src/bank.cpp:31  teller
  T0 "main"  waits to join T2
    ... 1 frame in libstdc++
    src/bank.cpp:44  main

  Misuse on the way:
    T1 unlocks a mutex that another thread holds: mutex #2 `log'
      (src/log.cpp:12)
)");
}

TEST(TextTest, DeadlockInFull) {
  EXPECT_EQ(failure_text(deadlock_failure(), {}),
            R"(2 threads wait for each other: T1 waits to lock mutex #2 `b', T2 waits to lock
  mutex #1 `a'
  locks.cpp:12 in first, thread T1 "first"

     T0 "main"                T1 "first"               T2 "second"
     -----------------------  -----------------------  -----------------------
  1  locks.cpp:28  create T1
  2  locks.cpp:29  create T2
  3                           locks.cpp:11  lock a
  4                                                    locks.cpp:19  lock b
     ^ waits to join T1
                              ^ waits to lock mutex #2 `b', held by T2
                                                       ^ waits to lock mutex #1
                                                         `a', held by T1

  The cycle:
    T1 holds mutex #1 `a' and at locks.cpp:12 waits to lock mutex #2 `b', held
      by T2
    T2 holds mutex #2 `b' and at locks.cpp:20 waits to lock mutex #1 `a', held
      by T1

  T1 "first"  waits to lock mutex #2 `b', held by T2
    locks.cpp:12  first
  T2 "second"  waits to lock mutex #1 `a', held by T1
    locks.cpp:20  second
  T0 "main"  waits to join T1
    locks.cpp:30  main
)");
}

TEST(TextTest, Summary) {
  const Failure failure = assertion_failure();
  EXPECT_EQ(text_summary(failure, 113, 200, {}),
            "assertion `balance_ >= 0' failed  bank.cpp:18 in Account::withdraw  113 of 200");
  TextOptions narrow;
  narrow.width = 60;
  EXPECT_EQ(text_summary(failure, 113, 200, narrow),
            "assertion `balance_ >= 0' failed  bank.cpp:18  113 of 200");
  EXPECT_LE(text_width(text_summary(deadlock_failure(), 1, 1000000, {})), 80u);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Many threads, long names, many steps.
Failure crowded_failure() {
  Failure failure = deadlock_failure();
  for (std::uint16_t id = 3; id < 40; ++id) {
    const ObjectRef object = test_mutex(9, std::string(200, 'd'));
    ThreadLine thread{ThreadId{id},
                      std::string(60, 'n'),
                      test_wait(OpKind::mutex_lock, object),
                      0,
                      true,
                      false,
                      {},
                      {}};
    for (std::uint64_t i = 0; i < 20; ++i) {
      thread.stack.push_back(test_frame(std::string(90, 'f').c_str(), 7, "function"));
      thread.last_steps.push_back(
          test_step(i * 100 + id, OpKind::mutex_lock, {}, {std::string(90, 's'), 1, "f"}));
    }
    failure.threads.push_back(thread);
  }
  return failure;
}

TEST(TextTest, FitsTheWidthAndLeavesNoSpacesAtTheEnd) {
  for (const Failure& failure : {assertion_failure(), deadlock_failure(), crowded_failure()}) {
    for (const int width : {-1, 40, 80, 133, 1 << 30}) {
      for (const bool verbose : {false, true}) {
        TextOptions options{width, false, verbose};
        for (const std::string& line : lines_of(failure_text(failure, options))) {
          EXPECT_LE(text_width(line), usable_width(options)) << line;
          EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
        }
      }
    }
  }
}

TEST(TextTest, AScreenAndAHalfAtMost) {
  EXPECT_LE(lines_of(failure_text(assertion_failure(), {})).size(), 36u);
  EXPECT_LE(lines_of(failure_text(deadlock_failure(), {})).size(), 36u);
}

TEST(TextTest, MoreThanThreeThreadsAreAList) {
  const std::string text = failure_text(crowded_failure(), {});
  EXPECT_EQ(text.find("-----"), std::string::npos);
  EXPECT_NE(text.find("and 32 more threads"), std::string::npos);
}

TEST(TextTest, ColourAddsNothingButEscapes) {
  TextOptions colour;
  colour.colour = true;
  for (const Failure& failure : {assertion_failure(), deadlock_failure()}) {
    std::string text = failure_text(failure, colour);
    EXPECT_NE(text.find("\x1b["), std::string::npos);
    for (std::size_t at; (at = text.find('\x1b')) != std::string::npos;) {
      text.erase(at, text.find('m', at) - at + 1);
    }
    EXPECT_EQ(text, failure_text(failure, {}));
  }
}

TEST(TextTest, VerboseUnfoldsTheLibrary) {
  TextOptions verbose;
  verbose.verbose = true;
  const std::string text = failure_text(assertion_failure(), verbose);
  EXPECT_NE(text.find("__assert_fail [libc.so.6]"), std::string::npos);
  EXPECT_NE(text.find("T1 \"teller-1\"  ended"), std::string::npos);
}

TEST(TextTest, AnEmptyFailureIsNoProblem) {
  EXPECT_EQ(failure_text(Failure{}, {}), "\n");
  EXPECT_EQ(text_summary(Failure{}, 0, 0, {}), "  0 of 0");
}

TEST(LayoutTest, Wraps) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped("", 10, 2), Lines{""});
  EXPECT_EQ(wrapped("one two  three", 80, 2), Lines{"one two  three"});
  EXPECT_EQ(wrapped("one two three four", 12, 2), (Lines{"one two", "  three four"}));
  EXPECT_EQ(wrapped("abcdefghijklmnop", 10, 2), (Lines{"abcdefghij", "  klmnop"}));
}

}  // namespace
}  // namespace raddle
