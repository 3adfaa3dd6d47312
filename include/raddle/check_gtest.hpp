// raddle::check in GoogleTest. If an assertion fails in an execution, the execution fails, and what
// check() finds is a failure of the test.
#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include <raddle/check.hpp>

namespace raddle {
namespace detail {

class GtestReporter final : public ::testing::ScopedFakeTestPartResultReporter {
 public:
  explicit GtestReporter(::testing::TestPartResultArray* results)
      : ScopedFakeTestPartResultReporter(INTERCEPT_ALL_THREADS, results) {}

  void ReportTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const char* file = result.file_name() != nullptr ? result.file_name() : "";
    const unsigned line = result.line_number() > 0 ? unsigned(result.line_number()) : 0;
    raddle_check_note_failure(result.message(), file, line);
  }
};

struct GtestSession {
  ::testing::TestPartResultArray results;
  GtestReporter reporter{&results};
};

inline std::unique_ptr<GtestSession>& gtest_session() {
  static std::unique_ptr<GtestSession> session;
  return session;
}

inline const ::testing::TestInfo* gtest_test() {
  return ::testing::UnitTest::GetInstance()->current_test_info();
}

inline const char* gtest_name(const char* before) {
  static std::string name;
  name.clear();
  if (const ::testing::TestInfo* test = gtest_test()) {
    name = std::string(before) + test->test_suite_name() + "." + test->name();
  }
  return name.c_str();
}

inline const Framework& gtest_framework() {
  static const Framework framework{
      "GoogleTest",
      [](void (*function)(void*), void* data) {
#if GTEST_HAS_EXCEPTIONS
        try {
          function(data);
        } catch (const ::testing::AssertionException&) {
          // GoogleTest reported it before it threw (--gtest_throw_on_failure).
        }
#else
        function(data);
#endif
      },
      [] { gtest_session() = std::make_unique<GtestSession>(); },
      [] { gtest_session().reset(); },
      [] {},
      [](const char* text, const char* file, unsigned line) {
        ADD_FAILURE_AT(file, int(line)) << text;
      },
      [] { return gtest_name(""); },
      [] { return gtest_name("--gtest_filter="); },
  };
  return framework;
}

inline const bool gtest_known = (raddle_check_framework(&gtest_framework()), true);

}  // namespace detail
}  // namespace raddle
