#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <raddle/check.hpp>

#include "racy.hpp"

TEST_CASE("Passes") {
  const raddle::Coverage coverage = raddle::check([] {
    CHECK(right_count() == 2);
    REQUIRE_THROWS(throw std::runtime_error("expected"));
  });
  CHECK(coverage.passed);
}

TEST_CASE("NonFatal") {
  raddle::check([] { CHECK(racy_count() == 2); });
}

TEST_CASE("Fatal") {
  raddle::check([] { REQUIRE(racy_count() == 2); });
}

TEST_CASE("InThread") {
  raddle::check([] {
    g_count = 0;
    both([] {
      {
        std::lock_guard<std::mutex> lock(g_mutex);
        ++g_count;
      }
      std::lock_guard<std::mutex> lock(g_mutex);
      REQUIRE(g_count == 2);
    });
  });
}

TEST_CASE("Exception") {
  raddle::check([] {
    if (racy_count() != 2) throw std::runtime_error("lost");
  });
}

TEST_CASE("Deadlock") { raddle::check(deadlock); }

TEST_CASE("Outside") { CHECK(racy_count() == 3); }
