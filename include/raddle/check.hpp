// raddle::check executes a function of a unit test again and again in the same process, each time
// with another interleaving of the threads that the function makes. It works with ordinary
// std::thread, std::mutex, std::condition_variable, std::async, ...: no wrappers, no annotations.
//
//   TEST(Bank, NeverOverdrawn) {
//     raddle::check([] {
//       Account account(100);
//       std::thread a([&] { account.withdraw(100); });
//       std::thread b([&] { account.withdraw(100); });
//       a.join();
//       b.join();
//       EXPECT_GE(account.balance(), 0);
//     });
//   }
//
// The function must behave the same in every execution in which its threads run in the same order.
// So it makes its own objects, or resets global ones, and it joins its threads. docs/unit_tests.md
// says what counts as a failure, and how to replay one.
//
// Link with raddle::check (CMake), that is libraddle_check.so and libraddle.so. Needs C++17.
// Include this header after that of the test framework (GoogleTest, Catch2 2, doctest), or include
// raddle/check_gtest.hpp, check_catch2.hpp or check_doctest.hpp instead: then a failure becomes one
// of the framework's own. Otherwise it becomes an exception, CheckFailed.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace raddle {

struct Options {
  // How to choose executions. A random sample: "random" (each thread equally likely at each step),
  // "pos", "pct", "round-robin". All executions: "dfs", "bfs", "icb" (by number of preemptions),
  // "dpor" (one of each class of equivalent executions), "causal" (only those in which a thread
  // sees something new, or which end in a new deadlock; for tests built with raddle-c++).
  const char* strategy = "random";
  // The most executions; 0 means 1,000 of a sample, or all there are. The environment variable
  // RADDLE_EXECUTIONS overrides this (a number) or scales it ("10x").
  std::uint64_t executions = 0;
  double seconds = 0;                 // the longest time for all of them; 0: no limit
  std::uint64_t seed = 1;             // of the first execution; each later one has the next seed
  unsigned depth = 3;                 // pct: number of ordering constraints that a bug needs
  unsigned bound = 2;                 // icb: the most preemptions in an execution
  std::uint64_t max_steps = 100'000;  // an execution with more steps fails
  double timeout = 10;                // real seconds; a longer execution fails; 0: no limit
  bool spurious_wakeups = false;      // condition waits may return without a signal
  bool adversarial_clock = false;     // a time-out may fire at any time
  // Of tests built with raddle-c++. Plain accesses that race in the first executions are decision
  // points of all executions ("dpor": all plain accesses are). A data race is a failure by itself,
  // whatever came of it; not if this is false.
  bool races = true;
  bool every_access = false;  // all plain accesses are decision points, with any strategy
};

// The result of check().
struct Coverage {
  bool passed = false;
  // An explorer has executed everything that it promises, and nothing is `unseen`. A random sample
  // is never complete.
  bool complete = false;
  // An explorer has executed everything that it promises of what it saw.
  bool exhausted = false;
  std::uint64_t executions = 0;
  double seconds = 0;
  // Of explorers: executions that are known and were not reached, and the memory of that queue.
  std::uint64_t queued = 0;
  std::uint64_t queue_bytes = 0;
  // What was not seen or not tried, in words, and what to do about it. Of explorers: code whose
  // memory accesses are not decision points, because raddle-c++ did not compile it. Of all: that
  // sleeps and time-outs lasted as long as they say, if the function has any, unless
  // adversarial_clock let them end at any moment. Null: there is none. Valid until the next check.
  const char* unseen = nullptr;
  // Of "causal": questions to its solver, and those of them that it gave up.
  std::uint64_t queries = 0;
  std::uint64_t unknown = 0;
};

// The failure, if no test framework is there to take it. what() explains it.
class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

// How check() talks to a test framework; a check_*.hpp provides it. check() calls `invoke` on a
// thread of the execution, and everything else on the thread that called check().
struct Framework {
  const char* name;
  // Calls function(data), and catches what the framework throws to end a test.
  void (*invoke)(void (*function)(void*), void* data);
  // Called before the first execution and after the last. In between, the framework does not report
  // a failed assertion itself: it passes the failure to raddle_check_note_failure().
  void (*begin)();
  void (*end)();
  void (*pass)();
  void (*fail)(const char* text, const char* file, unsigned line);
  // The name of the running test, and the arguments of the test binary that run this test alone.
  // Both are empty outside a test, and valid until the next call.
  const char* (*test)();
  const char* (*arguments)();
};

// `size` is sizeof(Request), so that the library can be of another version than this header.
struct Request {
  unsigned size;
  Options options;
  void (*function)(void*);
  void* data;
  const char* replay;  // null: search for a failure
  const char* file;
  unsigned line;
};

struct Answer {
  unsigned size;
  Coverage coverage;
  const char* failure;  // null: the check passed, or the framework has the failure; valid until the
                        // next check
};

extern "C" {
void raddle_check_run(const Request* request, Answer* answer);
void raddle_check_framework(const Framework* framework);
// Tells that an assertion failed on the calling thread. Returns false outside an execution.
bool raddle_check_note_failure(const char* text, const char* file, unsigned line);
}

struct Place {
  const char* file;
  unsigned line;
};

constexpr Place here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
  return {file, line};
}

template <class Function>
void call(void* pointer) {
  (**static_cast<Function**>(pointer))();
}

template <class Function>
Coverage run(const Options& options, Function& function, const char* replay, Place place) {
  Function* pointer = &function;  // void* cannot hold a pointer to a plain function
  const Request request{sizeof(Request), options,    &call<Function>, &pointer,
                        replay,          place.file, place.line};
  Answer answer{sizeof(Answer), {}, nullptr};
  raddle_check_run(&request, &answer);
  if (answer.failure != nullptr) throw CheckFailed(answer.failure);
  return answer.coverage;
}

}  // namespace detail

// Executes `function` until an execution fails, until a limit of the options is reached, or until
// no execution is left. Reports a failure to the test framework, or throws CheckFailed.
template <class Function, class = std::enable_if_t<std::is_invocable_v<Function&>>>
Coverage check(Function&& function, detail::Place place = detail::here()) {
  return detail::run<std::remove_reference_t<Function>>({}, function, nullptr, place);
}

template <class Function, class = std::enable_if_t<std::is_invocable_v<Function&>>>
Coverage check(const Options& options, Function&& function, detail::Place place = detail::here()) {
  return detail::run<std::remove_reference_t<Function>>(options, function, nullptr, place);
}

// Repeats exactly the execution that a failure of check() named. The environment variable
// RADDLE_REPLAY does the same to a test binary, without a change to the test.
template <class Function, class = std::enable_if_t<std::is_invocable_v<Function&>>>
Coverage replay(const char* execution, Function&& function, detail::Place place = detail::here()) {
  return detail::run<std::remove_reference_t<Function>>({}, function, execution, place);
}

}  // namespace raddle

#if defined(GTEST_TEST)
#include <raddle/check_gtest.hpp>
#elif defined(CATCH_VERSION_MAJOR)
#include <raddle/check_catch2.hpp>
#elif defined(DOCTEST_VERSION_MAJOR)
#include <raddle/check_doctest.hpp>
#endif
