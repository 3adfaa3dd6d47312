// The result of `raddle suite`: what each test got, what was found, and what risk is left.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/campaign/suite/rounds.hpp"
#include "host/report/document/document.hpp"

namespace raddle {

struct SuiteReport {
  std::string folder;
  const std::vector<TestState>& tests;
  std::vector<std::string> left_out;  // tests that were listed and not taken, with the reason
  std::function<std::string(const std::string& test, const std::string& key)> replay_of;
  std::uint64_t workers = 0;
  std::uint64_t items = 0;
  bool interrupted = false;
  bool out_of_budget = false;
  double seconds = 0;
};

Document document_of(const SuiteReport& report);

}  // namespace raddle
