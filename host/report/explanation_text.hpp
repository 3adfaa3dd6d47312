// An explanation as text for a terminal. Called by the reports.
#pragma once

#include <string>

#include "host/describe/explanation.hpp"
#include "host/report/text.hpp"

namespace raddle {

// The whole report of a failure: failure_text(), with the explanation in place of the last steps
// where there is one.
std::string explained_text(const Failure& failure, const Explanation& explanation,
                           const TextOptions& options);

// Title, columns, sentences, suggestion. Without the failure's own verdict.
std::string explanation_text(const Explanation& explanation, const Failure& failure,
                             const TextOptions& options);

// A misuse in an execution that passed, with its explanation if there is one.
std::string misuse_text(const MisuseLine& misuse, const Explanation& explanation,
                        const TextOptions& options);

}  // namespace raddle
