// Schedules in Catch2 (2 and 3): what is wrong with one is a failure of the test.
//
//   RADDLE_SCHEDULED_TEST(Queue, TakeWithAdd, "afterAdd -> beforeTake", "[beforeTake] ->
//   beforeAdd") { body }
//
// is the test case "Queue.TakeWithAdd" with a section for each schedule.
#ifndef RADDLE_SCHEDULE_CATCH2_HPP
#define RADDLE_SCHEDULE_CATCH2_HPP

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <raddle/schedule.hpp>

#ifndef RADDLE_DISABLE

namespace raddle {
namespace detail {

inline const ScheduleReporter& catch_schedule_reporter() {
  static const ScheduleReporter reporter{
      [](const char* text, const char* file, unsigned line) {
        FAIL_CHECK(file << ":" << line << ": " << text);
      },
      [] { return false; },  // REQUIRE throws, so the schedule's destructor knows
  };
  return reporter;
}

inline const bool catch_knows_schedules =
    (raddle_schedule_reporter(&catch_schedule_reporter()), true);

}  // namespace detail
}  // namespace raddle

#endif

#define RADDLE_SCHEDULED_TEST(suite, name, ...)         \
  static void suite##_##name##_scheduled();             \
  TEST_CASE(#suite "." #name) {                         \
    for (const char* raddle_schedule : {__VA_ARGS__}) { \
      DYNAMIC_SECTION(raddle_schedule) {                \
        ::raddle::Schedule schedule(raddle_schedule);   \
        suite##_##name##_scheduled();                   \
      }                                                 \
    }                                                   \
  }                                                     \
  static void suite##_##name##_scheduled()

#endif
