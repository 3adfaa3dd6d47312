// What `raddle fuzz` says of candidates, with a strategy that confirms.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/campaign/fuzz/fuzz.hpp"
#include "host/report/document/document.hpp"
#include "host/report/text.hpp"

namespace raddle {

// The table of candidates and what became of them; empty with other strategies.
std::string pursued_text(const FuzzResult& result, const TextOptions& look);

// The members `candidates`, `confirmed` and `pursued` of the JSON object.
nlohmann::ordered_json pursued_json(const FuzzResult& result);

// One for each candidate, whatever became of it.
std::vector<DocumentFinding> pursued_findings(const FuzzResult& result);

}  // namespace raddle
