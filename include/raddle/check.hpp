// raddle::check: a function of a unit test, executed again and again in the same process, each time
// with another interleaving of the threads that it makes. Ordinary std::thread, std::mutex,
// std::condition_variable, std::async, ...: no wrappers, no annotations.
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
// The function must do the same each time when the same thread goes first each time: it makes its
// own objects, or resets what is global. It must join its threads. What is a failure, and how one
// is replayed: docs/unit_tests.md.
//
// Link with raddle::check (CMake), i.e. libraddle_check.so and libraddle.so. Needs C++17. Include
// it after the header of the test framework (GoogleTest, Catch2 2, doctest), or include
// raddle/check_gtest.hpp, check_catch2.hpp or check_doctest.hpp: then a failure is one of the
// framework's own. Otherwise it is an exception, CheckFailed.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace raddle {

struct Options {
  // How executions are chosen. At random: "random" (each thread equally likely at each step),
  // "pos", "pct", "round-robin". All there are: "dfs", "bfs", "icb" (by number of preemptions),
  // "dpor" (one of each kind that differs).
  const char* strategy = "random";
  // How many at most; 0: 1,000 at random, or all there are. RADDLE_EXECUTIONS in the environment
  // overrides it (a number) or scales it ("10x").
  std::uint64_t executions = 0;
  double seconds = 0;                 // or for how long; 0: no limit
  std::uint64_t seed = 1;             // of the first execution; each one after it has the next
  unsigned depth = 3;                 // pct: how many ordering constraints a bug takes
  unsigned bound = 2;                 // icb: how many preemptions at most
  std::uint64_t max_steps = 100'000;  // an execution that takes more fails
  double timeout = 10;                // real seconds; so does one that takes longer; 0: no limit
  bool spurious_wakeups = false;      // condition waits may return without a signal
  bool adversarial_clock = false;     // any time-out may fire at any time
};

// What was done.
struct Coverage {
  bool passed = false;
  bool complete = false;  // everything that the strategy promises was covered
  std::uint64_t executions = 0;
  double seconds = 0;
};

// A failure where no test framework is there to report it to. what() has the explanation.
class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

// How to tell a test framework; filled in by the check_*.hpp. All called on the thread that called
// check(), `invoke` on a thread of the execution.
struct Framework {
  const char* name;
  // Calls function(data) and catches what the framework itself throws to end a test.
  void (*invoke)(void (*function)(void*), void* data);
  // Before the first execution and after the last: in between, failed assertions are not the
  // framework's to report, but are told with raddle_check_note_failure().
  void (*begin)();
  void (*end)();
  void (*pass)();
  void (*fail)(const char* text, const char* file, unsigned line);
  // The running test's name, and the arguments of the test binary that run it alone; empty outside
  // one. Valid until the next call.
  const char* (*test)();
  const char* (*arguments)();
};

// `size` is sizeof the structure, for a library of another version.
struct Request {
  unsigned size;
  Options options;
  void (*function)(void*);
  void* data;
  const char* replay;  // null: search
  const char* file;
  unsigned line;
};

struct Answer {
  unsigned size;
  Coverage coverage;
  const char* failure;  // null: passed, or reported to the framework; valid until the next check
};

extern "C" {
void raddle_check_run(const Request* request, Answer* answer);
void raddle_check_framework(const Framework* framework);
// An assertion failed on the calling thread, in an execution. False outside one.
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
  Function* pointer = &function;  // a plain function has no address that fits void*
  const Request request{sizeof(Request), options,    &call<Function>, &pointer,
                        replay,          place.file, place.line};
  Answer answer{sizeof(Answer), {}, nullptr};
  raddle_check_run(&request, &answer);
  if (answer.failure != nullptr) throw CheckFailed(answer.failure);
  return answer.coverage;
}

}  // namespace detail

// Executes `function` until something fails, until as much was done as the options say, or until
// all there is was done. A failure is reported to the test framework, or thrown.
template <class Function, class = std::enable_if_t<std::is_invocable_v<Function&>>>
Coverage check(Function&& function, detail::Place place = detail::here()) {
  return detail::run<std::remove_reference_t<Function>>({}, function, nullptr, place);
}

template <class Function, class = std::enable_if_t<std::is_invocable_v<Function&>>>
Coverage check(const Options& options, Function&& function, detail::Place place = detail::here()) {
  return detail::run<std::remove_reference_t<Function>>(options, function, nullptr, place);
}

// Exactly the execution that a failure of check() named. Setting RADDLE_REPLAY in the environment
// of the test binary does the same without a change to the test.
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
