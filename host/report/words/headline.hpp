// The one sentence that says how an execution failed. Called by the printers, and by cli/ for what
// it writes into files.
#pragma once

#include <cstdint>
#include <string>

#include "host/describe/failure.hpp"

namespace raddle {

// Whether the function of the failure is part of the sentence: not where the place beside it says
// that too.
enum class InFunction : std::uint8_t { kSaid, kLeftOut };

// "assertion `balance_ >= 0' failed in Account::withdraw". Empty if there is no verdict.
std::string headline(const Failure& failure, InFunction function = InFunction::kSaid);

// That of an execution without a place: "the execution took more than 1000 steps".
std::string headline(const Verdict& verdict);

}  // namespace raddle
