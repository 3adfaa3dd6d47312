// Schedules in doctest: what is wrong with one is a failure of the test.
//
//   RADDLE_SCHEDULED_TEST(Queue, TakeWithAdd, "afterAdd -> beforeTake", "[beforeTake] ->
//   beforeAdd") { body }
//
// is the test case "Queue.TakeWithAdd" with a subcase for each schedule.
#ifndef RADDLE_SCHEDULE_DOCTEST_HPP
#define RADDLE_SCHEDULE_DOCTEST_HPP

#include <doctest/doctest.h>

#include <raddle/schedule.hpp>

#ifndef RADDLE_DISABLE

namespace raddle {
namespace detail {

inline const ScheduleReporter& doctest_schedule_reporter() {
  static const ScheduleReporter reporter{
      [](const char* text, const char* file, unsigned line) {
        DOCTEST_ADD_FAIL_CHECK_AT(file, int(line), ::doctest::String(text));
      },
      [] { return false; },  // REQUIRE throws, so the schedule's destructor knows
  };
  return reporter;
}

inline const bool doctest_knows_schedules =
    (raddle_schedule_reporter(&doctest_schedule_reporter()), true);

}  // namespace detail
}  // namespace raddle

#endif

#define RADDLE_SCHEDULED_TEST(suite, name, ...)         \
  static void suite##_##name##_scheduled();             \
  DOCTEST_TEST_CASE(#suite "." #name) {                 \
    for (const char* raddle_schedule : {__VA_ARGS__}) { \
      DOCTEST_SUBCASE(raddle_schedule) {                \
        ::raddle::Schedule schedule(raddle_schedule);   \
        suite##_##name##_scheduled();                   \
      }                                                 \
    }                                                   \
  }                                                     \
  static void suite##_##name##_scheduled()

#endif
