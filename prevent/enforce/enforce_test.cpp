// Properties that are enforced: by threads that wait, and by what is said if that does not help.
#include <gtest/gtest.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <semaphore>
#include <thread>

#include "prevent/enforce/property.hpp"
#include "prevent/enforce/testing/specification.hpp"
#include "prevent/monitor/gate.hpp"

namespace raddle::enforce {
namespace {

constexpr const char* kOneFork = "free [ acquire -> busy ]  busy [ release -> free ]";
enum { kAcquire, kRelease };

// Never freed: properties live on.
TestProperty& one_fork(bool enforced) {
  auto& fork = *new TestProperty("OneFork", "fsm", kOneFork, {{"acquire", 1}, {"release", 1}}, 1,
                                 {"nonfail"}, enforced);
  return fork;
}

TEST(Enforce, NoForkIsTakenTwice) {
  TestProperty& fork = one_fork(true);
  fork.begin();
  constexpr int kForks = 3;
  std::atomic<int> users[kForks]{};
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  threads.reserve(6);
  for (int thread = 0; thread < 6; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 500; ++i) {
        std::atomic<int>& own = users[(thread + i) % kForks];
        fork(kAcquire, {&own});
        const int now = ++own;
        if (now > most) most = now;
        if (i % 8 == 0) std::this_thread::yield();
        --own;
        fork(kRelease, {&own});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(fork.property->monitors(), 3U);
  for (std::atomic<int>& user : users) destroyed(fork.property, 0, &user);
  EXPECT_EQ(fork.property->monitors(), 0U);
}

// Readers go together, a writer alone: a string rewriting system counts the readers.
TestProperty& readers_and_writers() {
  auto& rules =
      *new TestProperty("SafeAppend", "srs",
                        "bm am -> #epsilon . ba aa -> #epsilon . bm aa -> #fail ."
                        "ba am -> #fail . bm ba -> #fail . ba bm -> #fail . bm bm -> #fail .",
                        {{"ba", 1}, {"aa", 1}, {"bm", 1}, {"am", 1}}, 1, {"nonfail"}, true);
  rules.begin();
  return rules;
}

TEST(Enforce, ReadersAndWriters) {
  TestProperty& rules = readers_and_writers();
  int list = 0;
  std::atomic<int> readers{0};
  std::atomic<int> writers{0};
  std::atomic<bool> wrong{false};
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, reads = thread % 2 == 0] {
      for (int i = 0; i < 300; ++i) {
        rules(reads ? 0 : 2, {&list});
        (reads ? readers : writers)++;
        if (i % 8 == 0) std::this_thread::yield();
        if (writers > 1 || (writers == 1 && readers > 0)) wrong = true;
        (reads ? readers : writers)--;
        rules(reads ? 1 : 3, {&list});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(wrong);
}

// One thread is woken after an event; each that goes wakes the next that may go as well.
TEST(Enforce, AllThatMayGoTogetherDo) {
  TestProperty& rules = readers_and_writers();
  constexpr int kReaders = 6;
  int list = 0;
  std::atomic<int> inside{0};
  rules(2, {&list});
  std::vector<std::thread> threads;
  threads.reserve(kReaders);
  for (int thread = 0; thread < kReaders; ++thread) {
    threads.emplace_back([&] {
      rules(0, {&list});
      ++inside;
      while (inside < kReaders) std::this_thread::yield();
      rules(1, {&list});
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until they sleep
  EXPECT_EQ(inside, 0);
  rules(3, {&list});
  for (std::thread& thread : threads) thread.join();
}

// A condition that looks at the program may say something else when the woken thread asks again.
TEST(Enforce, AWokenThreadThatMayNotGoWakesAnother) {
  static std::atomic<bool> opened{false};
  static std::atomic<void*> first{nullptr};  // who is asked first when it has been opened
  static std::atomic<int> asked{0};
  TestProperty& fork = one_fork(true);
  fork.infos[kAcquire].when = [](const void*, void* context) {
    if (context == nullptr || !opened) return true;
    void* nobody = nullptr;
    const bool is_first = first.compare_exchange_strong(nobody, context) || nobody == context;
    return is_first && ++asked == 2;  // it may go, may not, and may
  };
  fork.begin();
  int object = 0;
  fork(kAcquire, {&object});
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      int own = 0;
      fork(kAcquire, {&object}, &own);
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until they sleep
  opened = true;
  monitor::Gate::get().changed();
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(asked, 2);
}

TEST(Enforce, WithoutEnforceNobodyWaitsAndHandlersRun) {
  static int failures;
  static std::string place;
  failures = 0;
  static TestProperty fork("Monitored", "fsm", kOneFork, {{"acquire", 1}, {"release", 1}}, 1,
                           {"fail"}, false);
  fork.handlers[0] = [](Handling& handling) {
    ++failures;
    place = handling.location;
    handling.reset = true;
    handling.skip = true;
  };
  fork.begin();
  int object = 0;
  EXPECT_FALSE(fork(kAcquire, {&object}));
  EXPECT_TRUE(fork(kAcquire, {&object})) << "__SKIP";
  EXPECT_EQ(failures, 1);
  EXPECT_EQ(place, "test.cpp:1");
  EXPECT_FALSE(fork(kAcquire, {&object})) << "__RESET";
  EXPECT_EQ(failures, 1);
}

TEST(Enforce, PartialInstancesHoldThreads) {
  // Figure 3.5, shortened: no modification between an iterator's first step and its end.
  static TestProperty safe("SafeIteration", "fsm",
                           "na [ create -> init ] init [ next -> unsafe, finished -> safe ]"
                           "unsafe [ next -> unsafe, finished -> safe ]"
                           "safe [ modify -> safe, finished -> safe, next -> safe ]",
                           {{"create", 3, true}, {"modify", 1}, {"next", 2}, {"finished", 2}}, 2,
                           {"nonfail"}, true);
  safe.begin();
  int list = 0;
  int other = 0;
  int iterator = 0;
  safe(1, {&list, nullptr});
  safe(0, {&list, &iterator});
  safe(2, {nullptr, &iterator});
  safe(1, {&other, nullptr});
  std::atomic<bool> modified{false};
  std::thread modifier([&] {
    safe(1, {&list, nullptr});
    modified = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_FALSE(modified);
  safe(3, {nullptr, &iterator});
  modifier.join();
  EXPECT_TRUE(modified);
}

TEST(Enforce, ADestroyedObjectLetsItsThreadsGo) {
  TestProperty& fork = one_fork(true);
  fork.begin();
  int object = 0;
  fork(kAcquire, {&object});
  std::thread waits([&] { fork(kAcquire, {&object}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  destroyed(fork.property, 0, &object);
  waits.join();
}

// A thread that sleeps may still do something.
TEST(Enforce, ASleepIsNoDeadlock) {
  static std::atomic<bool> stuck{false};
  TestProperty& fork = one_fork(true);
  fork.specification.deadlock = [](const char*) { stuck = true; };
  fork.begin();
  int object = 0;
  fork(kAcquire, {&object});
  std::thread waits([&] { fork(kAcquire, {&object}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  fork(kRelease, {&object});
  waits.join();
  EXPECT_FALSE(stuck);
}

// Nor does a thread that waits for the world outside.
TEST(Enforce, AReadIsNoDeadlock) {
  static std::atomic<bool> stuck{false};
  TestProperty& fork = one_fork(true);
  fork.specification.deadlock = [](const char*) { stuck = true; };
  fork.begin();
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  itimerspec half_a_second{};
  half_a_second.it_value.tv_nsec = 500'000'000;
  ASSERT_EQ(timerfd_settime(timer, 0, &half_a_second, nullptr), 0);
  int object = 0;
  fork(kAcquire, {&object});
  std::thread waits([&] { fork(kAcquire, {&object}); });
  std::uint64_t ticks = 0;
  EXPECT_EQ(read(timer, &ticks, sizeof ticks), ssize_t(sizeof ticks));
  fork(kRelease, {&object});
  waits.join();
  close(timer);
  EXPECT_FALSE(stuck);
}

// Two threads, each with a fork that the other one wants, in a process of its own. The forks may be
// of two properties.
void deadlock_of_philosophers(void (*handler)(const char*), bool two_properties = false) {
  TestProperty& fork = one_fork(true);
  fork.specification.deadlock = handler;
  TestProperty& other = two_properties ? one_fork(true) : fork;
  if (two_properties) other.begin();
  fork.begin();
  static int forks[2];
  static std::atomic<int> have{0};
  const auto both = [&](int first) {
    (first == 0 ? fork : other)(kAcquire, {&forks[first]});
    ++have;
    while (have < 2) std::this_thread::yield();
    (first == 0 ? other : fork)(kAcquire, {&forks[1 - first]});
  };
  std::thread one(both, 0);
  std::thread two(both, 1);
  one.join();
  two.join();
}

TEST(EnforceDeathTest, DeadlockWithoutAHandlerEndsTheProgram) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(deadlock_of_philosophers(nullptr),
               "property OneFork \\(test.mop:1\\): stuck: no thread can go on(.|\n)*"
               "is held at `OneFork.acquire`, which would violate OneFork");
}

TEST(EnforceDeathTest, DeadlockHandler) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(deadlock_of_philosophers([](const char*) {
                std::fprintf(stderr, "philosophers are stuck\n");
                _exit(7);
              }),
              testing::ExitedWithCode(7), "philosophers are stuck");
}

// A property without a handler would end the program, and waits for the one that has one.
TEST(EnforceDeathTest, DeadlockOfTwoPropertiesWithOneHandler) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto handler = [](const char*) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    _exit(7);
  };
  EXPECT_EXIT(deadlock_of_philosophers(handler, true), testing::ExitedWithCode(7), "");
}

// One thread waits here and has a mutex that the other one wants.
TEST(EnforceDeathTest, DeadlockWithALockOfTheProgram) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        TestProperty& fork = one_fork(true);
        fork.begin();
        static int object;
        static std::mutex mutex;
        static std::atomic<bool> locked{false};
        fork(kAcquire, {&object});
        std::thread holder([&] {
          const std::lock_guard<std::mutex> guard(mutex);
          locked = true;
          fork(kAcquire, {&object});
        });
        while (!locked) std::this_thread::yield();
        mutex.lock();
        fork(kRelease, {&object});
        mutex.unlock();
        holder.join();
      },
      "stuck: no thread can go on(.|\n)*waits for a mutex that");
}

TEST(EnforceDeathTest, OneThreadAloneCannotBeHeld) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        TestProperty& fork = one_fork(true);
        fork.begin();
        int object = 0;
        fork(kAcquire, {&object});
        fork(kAcquire, {&object});
      },
      "property OneFork \\(test.mop:1\\): cannot be enforced: `acquire` at test.cpp:1 would "
      "violate it, and no other thread is there to change that");
}

TEST(EnforceDeathTest, ABodyThatThrows) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        TestProperty& fork = one_fork(true);
        fork.infos[0].body = [](void*, void*) { throw std::runtime_error("no"); };
        fork.begin();
        int object = 0;
        fork(kAcquire, {&object});
      },
      "the code of `acquire` threw an exception at test.cpp:1: no");
}

TEST(EnforceDeathTest, RewritingOverItsBound) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        static TestProperty endless("Endless", "srs", "a -> a", {{"a", 0}}, 0, {"nonfail"}, true);
        endless.begin();
        endless(0, {nullptr});
      },
      "property Endless .*rewriting takes more steps after `a`");
}

// A thread waits until another one, by its name, is blocked.
TEST(Enforce, ThreadBlocked) {
  static TestProperty queue("Queue", "ere", "put take", {{"put", 0}, {"take", 0}}, 0, {"nonfail"},
                            true);
  queue.infos[1].blocked = [](const void*, void*) { return "putter"; };
  queue.begin();
  std::mutex mutex;
  std::condition_variable changed;
  bool taken = false;
  std::atomic<bool> waits{false};
  std::thread putter([&] {
    pthread_setname_np(pthread_self(), "putter");
    queue(0, {nullptr});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::unique_lock<std::mutex> lock(mutex);
    waits = true;
    changed.wait(lock, [&] { return taken; });
  });
  queue(1, {nullptr});
  EXPECT_TRUE(waits);
  {
    const std::lock_guard<std::mutex> guard(mutex);
    taken = true;
  }
  changed.notify_all();
  putter.join();
}

// The other thread has passed the property, and nobody else was there, before this one comes.
TEST(Enforce, ThreadBlockedLongAgo) {
  static TestProperty queue("Queue", "ere", "put take", {{"put", 0}, {"take", 0}}, 0, {"nonfail"},
                            true);
  queue.infos[1].blocked = [](const void*, void*) { return "putter"; };
  queue.begin();
  std::binary_semaphore has_put(0);
  std::binary_semaphore taken(0);
  std::thread putter([&] {
    pthread_setname_np(pthread_self(), "putter");
    queue(0, {nullptr});
    has_put.release();
    taken.acquire();
  });
  has_put.acquire();
  queue(1, {nullptr});
  taken.release();
  putter.join();
}

TEST(Enforce, EachThreadHasItsOwnMonitors) {
  static std::atomic<int> failures;
  static TestProperty once("Once", "ere", "a b", {{"a", 0}, {"b", 0}}, 0, {"fail"}, false);
  failures = 0;
  once.specification.perthread = true;
  once.handlers[0] = [](Handling&) { ++failures; };
  once.begin();
  once(0, {nullptr});
  std::thread([&] {
    once(0, {nullptr});
    once(1, {nullptr});
  }).join();
  EXPECT_EQ(failures, 0);
  once(1, {nullptr});
  EXPECT_EQ(failures, 0);
  once(1, {nullptr});
  EXPECT_EQ(failures, 1);
}

TEST(Enforce, UnsynchronizedHasOneMonitorForAllThreads) {
  static int failures;
  failures = 0;
  static TestProperty once("Alone", "ere", "a b", {{"a", 0}, {"b", 0}}, 0, {"fail"}, false);
  once.specification.unsynchronized = true;
  once.handlers[0] = [](Handling& handling) {
    ++failures;
    handling.reset = true;
  };
  once.begin();
  once(0, {nullptr});
  std::thread([&] { once(1, {nullptr}); }).join();
  EXPECT_EQ(failures, 0) << "one monitor for all threads";
  once(1, {nullptr});
  EXPECT_EQ(failures, 1);
  once(0, {nullptr});
  EXPECT_EQ(failures, 1) << "__RESET";
}

TEST(Enforce, ADestroyedObjectEndsItsMonitorsInAllThreads) {
  static std::atomic<int> failures;
  failures = 0;
  static TestProperty once("OnceEach", "ere", "a b", {{"a", 1}, {"b", 1}}, 1, {"fail"}, false);
  once.specification.perthread = true;
  once.handlers[0] = [](Handling&) { ++failures; };
  once.begin();
  int object = 0;
  once(0, {&object});
  std::thread([&] { destroyed(once.property, 0, &object); }).join();
  once(0, {&object});
  EXPECT_EQ(failures, 0) << "another object at the same address";
  once(0, {&object});
  EXPECT_EQ(failures, 1);
}

}  // namespace
}  // namespace raddle::enforce
