// What a person reads when a schedule cannot be kept, and that the test ends.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <functional>
#include <mutex>
#include <thread>

#include "prevent/monitor/watch.hpp"
#include "raddle/schedule_gtest.hpp"

namespace {

using raddle::Schedule;

// The text of the failures of a test body; empty if it passes.
std::string failures_of(const std::function<void()>& body) {
  raddle::monitor::pace().look_ms = 5;
  raddle::monitor::pace().note_ms = 100;
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    body();
  }
  raddle::monitor::pace() = raddle::monitor::Pace();
  std::string out;
  for (int i = 0; i < results.size(); ++i) out += results.GetTestPartResult(i).message();
  return out;
}

std::string error_of(const char* text) {
  try {
    const Schedule schedule(text);
  } catch (const raddle::ScheduleError& error) {
    return error.what();
  }
  return "";
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(ScheduleFailure, WhatCannotBeReadOrKeptIsRefused) {
  EXPECT_HAS(
      error_of("a -> b, [c -> d"),
      "the schedule cannot be read: expected `]` after `c`\n  a -> b, [c -> d\n             ^");
  EXPECT_HAS(error_of("a -> b, b -> a"),
             "is cyclic: its events can never all happen\n  `a` waits for `b`");
  const Schedule first("a -> b");
  EXPECT_HAS(error_of("b -> a"), "contradicts what is active");
  EXPECT_HAS(error_of("b -> a"), "`a -> b` of schedule `a -> b` (");
  RADDLE_EVENT(a);
  RADDLE_EVENT(b);
}

TEST(ScheduleFailure, EventsThatNeverHappen) {
  const std::string text = failures_of([] {
    const Schedule schedule("a -> b#3, x@adder -> y, after@man -> z");
    RADDLE_EVENT(a);
    RADDLE_EVENT(b);
  });
  EXPECT_HAS(text, "`b#3` never happened: `b` happened once\n");
  EXPECT_HAS(text, "`x@adder` never happened (no thread is called `adder`)\n");
  EXPECT_HAS(text, "no thread is called `man`; did you mean `main`?");
}

TEST(ScheduleFailure, AMisspeltEventSuggestsTheNearest) {
  const std::string text = failures_of([] {
    const Schedule schedule("befor -> after");
    RADDLE_EVENT(before);
    RADDLE_EVENT(after);
  });
  EXPECT_HAS(text,
             "stuck: no thread can go on\n  main (last event `before`) is held at `after`, which "
             "waits for "
             "`befor` (did you mean `before`, which happened?), by `befor -> after`");
  EXPECT_HAS(text, "failures_test.cpp");
}

TEST(ScheduleFailure, NothingIsSaidAboutATestThatEndedEarly) {
  EXPECT_EQ(failures_of([] {
              try {
                const Schedule schedule("a -> b");
                throw 1;
              } catch (int) {
              }
            }),
            "");
}

TEST(ScheduleFailure, StuckByALockOfTheProgram) {
  std::mutex mutex;
  const std::string text = failures_of([&] {
    const Schedule schedule("locked -> here, a -> b");
    std::thread adder([&] {
      raddle::name_thread("adder");
      const std::lock_guard<std::mutex> lock(mutex);
      RADDLE_EVENT(locked);
      RADDLE_EVENT(b);
    });
    RADDLE_EVENT(here);
    mutex.lock();
    RADDLE_EVENT(a);
    mutex.unlock();
    adder.join();
  });
  EXPECT_HAS(text, "waits for a mutex that adder holds");
  EXPECT_HAS(text, "adder (last event `locked`) is held at `b`, which waits for `a`, by `a -> b`");
}

TEST(ScheduleFailure, StuckBecauseTheThreadIsJoinedTooEarly) {
  const std::string text = failures_of([] {
    const Schedule schedule("a -> b");
    std::thread adder([] {
      raddle::name_thread("adder");
      RADDLE_EVENT(b);
    });
    adder.join();
    RADDLE_EVENT(a);
  });
  EXPECT_HAS(text, "main waits for the end of adder");
}

TEST(ScheduleFailure, ABlockingEventWhoseThreadEnded) {
  const std::string text = failures_of([] {
    const Schedule schedule("[a] -> b");
    std::thread adder([] {
      raddle::name_thread("adder");
      RADDLE_EVENT(a);
    });
    RADDLE_EVENT(b);
    adder.join();
  });
  EXPECT_HAS(text, "`b` cannot happen: adder, the thread of `a`, had ended (`[a] -> b`)");
}

TEST(ScheduleFailure, AThreadThatIsStillHeldAtTheEnd) {
  std::thread adder;
  const std::string text = failures_of([&] {
    const Schedule schedule("a -> b");
    adder = std::thread([] {
      raddle::name_thread("adder");
      RADDLE_EVENT(b);
    });
    // Long enough for the thread to come to its event, on any machine; too early is another
    // failure.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  adder.join();
  EXPECT_HAS(text, "`a` never happened");
  EXPECT_HAS(text, "`b` never happened");
}

TEST(ScheduleFailure, CheckingSaysWhatWasViolated) {
  const std::string text = failures_of([] {
    const Schedule schedule("a -> b, x..y !-> u..v", Schedule::checking);
    for (const char* name : {"b", "a", "x", "u", "v", "y"}) raddle::event(name);
  });
  EXPECT_HAS(text, "violated: `b` happened in main when `a` had not happened (`a -> b`)\n");
  EXPECT_HAS(text,
             "violated: `u` happened in main when the other section was open (`x..y !-> u..v`)");
  EXPECT_EQ(failures_of([] {
              const Schedule schedule("a -> b, x..y !-> u..v", Schedule::checking);
              for (const char* name : {"a", "b", "x", "y", "u", "v"}) raddle::event(name);
            }),
            "");
}

int epoll_wait_once(int milliseconds) {
  const int file = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  const int result = epoll_wait(file, &event, 1, milliseconds);
  close(file);
  return result;
}

// A thread that may still move is no failure; the note on standard error says what it does.
void expect_note(const std::function<void()>& other, const std::string& note) {
  ::testing::internal::CaptureStderr();
  const std::string text = failures_of([&] {
    const Schedule schedule("a -> b");
    std::thread thread([&] {
      raddle::name_thread("other");
      other();
      RADDLE_EVENT(a);
    });
    RADDLE_EVENT(b);
    thread.join();
  });
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(text, "");
  EXPECT_HAS(said, "but not stuck: other " + note);
  EXPECT_NE(said.find("\n      ", said.find("\n  other ")), std::string::npos) << said;
  EXPECT_EQ(said.find("no stack"), std::string::npos) << said;
  EXPECT_HAS(said, "main is held at `b`, which waits for `a`, by `a -> b`");
}

TEST(ScheduleFailure, AThreadThatSleepsComputesOrWaitsOutsideIsNotStuck) {
  const auto later = [] {
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  };
  expect_note([&] { std::this_thread::sleep_until(later()); }, "sleeps");
  expect_note(
      [&] {
        for (const auto end = later(); std::chrono::steady_clock::now() < end;) {
        }
      },
      "runs");
  // Nobody notices the signal that fetches the stack.
  const auto lasts = [](const std::function<int()>& call) {
    return [call] {
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_EQ(call(), 0) << errno;
      EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(300));
    };
  };
  expect_note(lasts([] { return usleep(300'000); }), "sleeps");
  expect_note(lasts([] {
                timespec time{0, 300'000'000};
                return nanosleep(&time, &time);
              }),
              "sleeps");
  expect_note(lasts([] { return poll(nullptr, 0, 300); }), "waits for something outside");
  expect_note(lasts([] { return epoll_wait_once(300); }), "waits for something outside");
  expect_note(lasts([] {
                timeval time{0, 300'000};
                return select(0, nullptr, nullptr, nullptr, &time);
              }),
              "waits for something outside");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::thread writer([&] {
    std::this_thread::sleep_until(later());
    EXPECT_EQ(write(ends[1], "x", 1), 1);
  });
  expect_note(
      [&] {
        char c;
        EXPECT_EQ(read(ends[0], &c, 1), 1);
      },
      "waits for something outside the process, in read");
  writer.join();
}

TEST(ScheduleFailure, TheLimitEndsAWait) {
  raddle::monitor::pace().limit_ms = 50;
  std::thread sleeper([] { std::this_thread::sleep_for(std::chrono::milliseconds(300)); });
  const std::string text = failures_of([] {
    const Schedule schedule("a -> b");
    RADDLE_EVENT(b);
  });
  sleeper.join();
  EXPECT_HAS(text, "given up after 0 s without an event (RADDLE_SCHEDULE_LIMIT)");
}

TEST(ScheduleDeathTest, ADeadlockOfTheProgramIsToldFromAStuckSchedule) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::mutex first;
  std::mutex second;
  const auto deadlock = [&] {
    const Schedule schedule("locked -> b, b -> both");
    std::thread other([&] {
      raddle::name_thread("other");
      first.lock();
      RADDLE_EVENT(locked);
      RADDLE_EVENT(both);
      second.lock();
    });
    second.lock();
    RADDLE_EVENT(b);
    first.lock();
    other.join();
  };
  EXPECT_DEATH(
      deadlock(),
      "deadlock of the program: every thread waits for another, and no schedule holds one");
}

TEST(ScheduleDeathTest, AnExceptionInAnotherThreadNamesIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto thrower = [] {
    const Schedule schedule("a -> b");
    std::thread other([] {
      raddle::name_thread("other");
      throw std::runtime_error("no more");
    });
    RADDLE_EVENT(b);
    other.join();
  };
  EXPECT_DEATH(thrower(),
               "other ends with an exception that nobody catches: std::runtime_error: no more");
}

}  // namespace
