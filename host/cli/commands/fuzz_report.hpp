// The result of `raddle fuzz`, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/campaign/fuzz/fuzz.hpp"
#include "host/cli/options/options.hpp"
#include "host/report/text.hpp"

namespace raddle {

std::string fuzz_text(const FuzzCommand& command, const FuzzResult& result,
                      const TextOptions& look);
nlohmann::ordered_json fuzz_json(const FuzzCommand& command, const FuzzResult& result);

// 1: something fails. 3: no execution gave a verdict. Else 0, also for an interrupted campaign of
// which some executions passed.
int fuzz_exit_status(const FuzzResult& result);

}  // namespace raddle
