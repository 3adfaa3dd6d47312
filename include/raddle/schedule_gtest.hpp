// Schedules in GoogleTest: what is wrong with one is a failure of the test.
//
//   RADDLE_SCHEDULED_TEST(Queue, TakeWithAdd, "afterAdd -> beforeTake", "[beforeTake] ->
//   beforeAdd") { body }
//
// makes one test of each schedule: Queue.TakeWithAdd/0, Queue.TakeWithAdd/1.
#ifndef RADDLE_SCHEDULE_GTEST_HPP
#define RADDLE_SCHEDULE_GTEST_HPP

#include <gtest/gtest.h>

#include <cstdio>
#include <initializer_list>
#include <string>

#include <raddle/schedule.hpp>

#ifndef RADDLE_DISABLE

namespace raddle {
namespace detail {

inline const ScheduleReporter& gtest_schedule_reporter() {
  static const ScheduleReporter reporter{
      [](const char* text, const char* file, unsigned line) {
        ADD_FAILURE_AT(file, int(line)) << text;
      },
      [] { return ::testing::Test::HasFatalFailure(); },
  };
  return reporter;
}

inline const bool gtest_knows_schedules =
    (raddle_schedule_reporter(&gtest_schedule_reporter()), true);

}  // namespace detail
}  // namespace raddle

#endif

namespace raddle {
inline namespace
#ifndef RADDLE_DISABLE
    scheduled
#else
    unscheduled
#endif
{

class ScheduledTest : public ::testing::Test {
 public:
  explicit ScheduledTest(const char* schedule) : schedule_(schedule) {}

 private:
  void TestBody() override {
    std::printf("[ schedule ] %s\n", schedule_);
    RecordProperty("schedule", schedule_);
    Schedule schedule(schedule_);
    body();
  }
  virtual void body() = 0;

  const char* schedule_;
};

template <class Test>
bool add_scheduled_tests(const char* suite, const char* name, const char* file, int line,
                         std::initializer_list<const char*> schedules) {
  int number = 0;
  for (const char* schedule : schedules) {
    const std::string numbered = std::string(name) + "/" + std::to_string(number++);
    ::testing::RegisterTest(suite, numbered.c_str(), nullptr, schedule, file, line,
                            [=]() -> ::testing::Test* { return new Test(schedule); });
  }
  return true;
}

}  // namespace scheduled
}  // namespace raddle

#define RADDLE_SCHEDULED_TEST(suite, name, ...)                                                  \
  class suite##_##name##_Scheduled final : public ::raddle::ScheduledTest {                      \
    using ScheduledTest::ScheduledTest;                                                          \
    void body() override;                                                                        \
    static const bool added_;                                                                    \
                                                                                                 \
   public:                                                                                       \
    static bool add() {                                                                          \
      return ::raddle::add_scheduled_tests<suite##_##name##_Scheduled>(#suite, #name, __FILE__,  \
                                                                       __LINE__, {__VA_ARGS__}); \
    }                                                                                            \
  };                                                                                             \
  const bool suite##_##name##_Scheduled::added_ = suite##_##name##_Scheduled::add();             \
  void suite##_##name##_Scheduled::body()

#endif
