// The result of `raddle fuzz`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/campaign/fuzz/fuzz.hpp"
#include "host/report/document/document.hpp"
#include "host/report/text.hpp"

namespace raddle {

// What was asked for, as far as the report speaks of it, and what came of it.
struct FuzzReport {
  std::string program;
  std::string strategy;
  std::uint64_t first_seed = 1;
  bool keep_going = false;
  bool strict = false;  // what was brought about counts, also if it rests on an inference
  bool steady_clock = true;
  bool spurious_wakeups = false;
  bool decides_all = false;
  const FuzzResult& result;
};

Document document_of(const FuzzReport& report);

// The two layouts; document_of() puts them into the document.
std::string fuzz_text(const FuzzReport& report, const TextOptions& look);
nlohmann::ordered_json fuzz_json(const FuzzReport& report);
// "other schedules, other inputs".
std::string not_covered_text(const FuzzReport& report);
// few_executions_text(), of a campaign that found nothing before its budget was used up; or empty.
std::string few_text(const FuzzReport& report);
double executions_per_second(const FuzzResult& result);

}  // namespace raddle
