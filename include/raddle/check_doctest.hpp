// raddle::check in doctest. If an assertion fails in an execution, the execution fails, and what
// check() finds is a failure of the test. doctest itself prints the failed assertion too.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include <raddle/check.hpp>

namespace raddle {
namespace detail {

inline std::string& doctest_current() {
  static std::string name;
  return name;
}

struct DoctestListener final : ::doctest::IReporter {
  explicit DoctestListener(const ::doctest::ContextOptions&) {}
  void log_assert(const ::doctest::AssertData& data) override {
    if (!data.m_failed) return;
    const std::string text = std::string(::doctest::assertString(data.m_at)) + "( " + data.m_expr +
                             " ) with values " + data.m_decomp.c_str();
    raddle_check_note_failure(text.c_str(), data.m_file, unsigned(data.m_line));
  }
  void log_message(const ::doctest::MessageData& data) override {
    if ((data.m_severity & ::doctest::assertType::is_warn) != 0) return;
    raddle_check_note_failure(data.m_string.c_str(), data.m_file, unsigned(data.m_line));
  }
  void test_case_start(const ::doctest::TestCaseData& data) override {
    doctest_current() = data.m_name;
  }
  void test_case_end(const ::doctest::CurrentTestCaseStats&) override { doctest_current().clear(); }
  void report_query(const ::doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const ::doctest::TestRunStats&) override {}
  void test_case_reenter(const ::doctest::TestCaseData&) override {}
  void test_case_exception(const ::doctest::TestCaseException&) override {}
  void subcase_start(const ::doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void test_case_skipped(const ::doctest::TestCaseData&) override {}
};

inline const char* doctest_arguments() {
  static std::string arguments;
  arguments.clear();
  if (!doctest_current().empty()) arguments = "--test-case=\"" + doctest_current() + "\"";
  return arguments.c_str();
}

inline const Framework& doctest_framework() {
  static const Framework framework{
      "doctest",
      [](void (*function)(void*), void* data) {
        try {
          function(data);
        } catch (const ::doctest::detail::TestFailureException&) {
          // doctest reported it before it threw.
        }
      },
      [] {},
      [] {},
      [] {},
      [](const char* text, const char* file, unsigned line) {
        DOCTEST_ADD_FAIL_CHECK_AT(file, int(line), ::doctest::String(text));
      },
      [] { return doctest_current().c_str(); },
      doctest_arguments,
  };
  return framework;
}

inline const bool doctest_known = (::doctest::registerReporter<DoctestListener>("raddle", 1, false),
                                   raddle_check_framework(&doctest_framework()), true);

}  // namespace detail
}  // namespace raddle
