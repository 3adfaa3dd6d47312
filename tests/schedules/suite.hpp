// The same tests for Catch2 and doctest: one passes with both of its schedules, two fail.
#pragma once

#include <string>
#include <thread>

RADDLE_SCHEDULED_TEST(Suite, EitherFirst, "a -> beforeB", "b -> beforeA") {
  std::string order;
  std::thread other([&] {
    RADDLE_EVENT(beforeA);
    order += 'a';
    RADDLE_EVENT(a);
  });
  RADDLE_EVENT(beforeB);
  order += 'b';
  RADDLE_EVENT(b);
  other.join();
  CHECK(order.size() == 2);
}

RADDLE_SCHEDULED_TEST(Suite, Never, "a -> never") { RADDLE_EVENT(a); }

RADDLE_SCHEDULED_TEST(Suite, CannotBeRead, "a -> ") { RADDLE_EVENT(a); }
