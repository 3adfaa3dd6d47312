// Schedules for multithreaded unit tests: the test says in which order events happen, instead of
// sleeping and hoping.
//
//   TEST(BlockingQueue, TakeWithAdd) {
//     raddle::Schedule schedule("afterAdd1 -> beforeTake1, [beforeTake2] -> beforeAdd2");
//     BlockingQueue<int> q(1);
//     std::thread adder([&] {
//       q.add(1);
//       RADDLE_EVENT(afterAdd1);
//       RADDLE_EVENT(beforeAdd2);
//       q.add(2);
//     });
//     RADDLE_EVENT(beforeTake1);
//     EXPECT_EQ(q.take(), 1);
//     RADDLE_EVENT(beforeTake2);
//     EXPECT_EQ(q.take(), 2);
//     adder.join();
//   }
//
// The language (docs/schedules.md has examples):
//   a -> b              b waits until a has happened
//   [a] -> b            b waits until a has happened and the thread that did it is blocked
//   a && (b || [c]) -> d
//   a@t                 a of the thread that called name_thread("t"); start@t, end@t
//   a#2, a+             the second a; every a
//   a..b !-> c..d       what lies between a and b never overlaps what lies between c and d
//   a -> b, c -> d      both
//
// Link with raddle::schedule (CMake: find_package(raddle)), a small static library that needs
// nothing else of Raddle. Needs C++17. Include raddle/schedule_gtest.hpp, schedule_catch2.hpp or
// schedule_doctest.hpp to make failures those of the test framework. With RADDLE_DISABLE defined
// all of this is empty; files with and without it may be in one program.
#ifndef RADDLE_SCHEDULE_HPP
#define RADDLE_SCHEDULE_HPP

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include <raddle/annotations.hpp>

namespace raddle {

// The schedule cannot be used: it cannot be parsed, it is cyclic, or it contradicts another one
// that is active. Thrown by the constructor of Schedule; where exceptions are off, the text is
// printed and the process aborted. what() shows the place.
class ScheduleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

// How schedules talk to a test framework; a schedule_*.hpp provides it. Both are called on the
// thread that made the schedule, in its destructor. Without a framework a failure is printed, and
// the process is aborted.
struct ScheduleReporter {
  void (*fail)(const char* text, const char* file, unsigned line);
  // The test has already failed in a way that ended it early.
  bool (*ended_early)();
};

extern "C" {
extern int raddle_schedules_active;
void* raddle_schedule_begin(const char* text, int checking, const char* file, unsigned line,
                            char** error);
void raddle_schedule_forget_error(char* error);
void raddle_schedule_end(void* schedule, int unwinding);
void raddle_schedule_event(const char* name);
void raddle_schedule_name_thread(const char* name);
void raddle_schedule_reporter(const ScheduleReporter* reporter);
}

struct SchedulePlace {
  const char* file;
  unsigned line;
};

constexpr SchedulePlace schedule_here(const char* file = __builtin_FILE(),
                                      unsigned line = __builtin_LINE()) {
  return {file, line};
}

}  // namespace detail

#ifndef RADDLE_DISABLE

inline namespace scheduled {

// Active from its constructor to its destructor. Make it before the threads of the test, so that
// they are joined before it ends. The thread that makes it is called "main", unless it has a name.
class Schedule {
 public:
  enum Mode {
    enforcing,  // a thread waits at its event until the schedule allows the event
    checking    // no thread waits; the test fails if the order of events was another
  };

  // Throws ScheduleError.
  explicit Schedule(const char* text, Mode mode = enforcing,
                    detail::SchedulePlace place = detail::schedule_here()) {
    char* error = nullptr;
    schedule_ =
        detail::raddle_schedule_begin(text, mode == checking, place.file, place.line, &error);
    if (error == nullptr) return;
#if defined(__cpp_exceptions)
    const std::string message = error;
    detail::raddle_schedule_forget_error(error);
    throw ScheduleError(message);
#else
    std::fprintf(stderr, "raddle: %s\n", error);
    std::abort();
#endif
  }
  explicit Schedule(const std::string& text, Mode mode = enforcing,
                    detail::SchedulePlace place = detail::schedule_here())
      : Schedule(text.c_str(), mode, place) {}

  // Fails the test if the schedule was not kept: violated, stuck, or with events that never were.
  ~Schedule() {
    detail::raddle_schedule_end(schedule_, std::uncaught_exceptions() > unwinding_ ? 1 : 0);
  }
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

 private:
  void* schedule_ = nullptr;
  int unwinding_ = std::uncaught_exceptions();
};

// The calling thread is at the event. Without an active schedule this is a load and a branch.
__attribute__((always_inline)) inline void event(const char* name) {
  if (__builtin_expect(__atomic_load_n(&detail::raddle_schedules_active, __ATOMIC_RELAXED) != 0, 0))
    detail::raddle_schedule_event(name);
}
__attribute__((always_inline)) inline void event(const std::string& name) { event(name.c_str()); }

// Names the calling thread: event@name. Its start@name happens here; its end@name happens when it
// exits.
__attribute__((always_inline)) inline void name_thread(const char* name) {
  raddle::name_thread<>(name);
  detail::raddle_schedule_name_thread(name);
}

}  // namespace scheduled

#define RADDLE_EVENT(name) ::raddle::event(#name)

#else

inline namespace unscheduled {

class Schedule {
 public:
  enum Mode { enforcing, checking };
  explicit Schedule(const char*, Mode = enforcing) {}
  explicit Schedule(const std::string&, Mode = enforcing) {}
  ~Schedule() {}  // not trivial: an unused variable is no mistake
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
};

inline void event(const char*) {}
inline void event(const std::string&) {}
inline void name_thread(const char* name) { raddle::name_thread<>(name); }

}  // namespace unscheduled

#define RADDLE_EVENT(name) ((void)0)

#endif

}  // namespace raddle

#endif
