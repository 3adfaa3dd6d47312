// What the commands about one execution say of it: run, record, check, replay, minimize.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/campaign/minimize/shrink.hpp"
#include "host/describe/failure.hpp"
#include "host/process/execution.hpp"
#include "host/report/document/document.hpp"
#include "host/report/text.hpp"

namespace raddle {

// "3 threads, 29 steps, 15 switches, 0.4 ms, choice log 9c1d..."; says so if there is 1 thread
// only.
std::string execution_facts(const Execution& execution);

// The first line, and what failed, or which misuse a passed execution had.
std::string verdict_text(const Execution& execution, const Failure& failure,
                         const TextOptions& options);

// What the program printed, under a heading; empty if it printed nothing.
std::string program_output(const Execution& execution);

// The last lines that it printed, for a finding among others; empty if it printed nothing.
std::string last_output(const Execution& execution);

// The members that these commands have in common, and `stdout` and `stderr`, which come later.
nlohmann::ordered_json execution_json(const Execution& execution, const Failure& failure);
nlohmann::ordered_json output_json(const Execution& execution);
nlohmann::ordered_json cost_json(const ScheduleCost& cost);

// The document of a command about this one execution; who calls it adds the rest.
Document execution_document(const Execution& execution, const Failure& failure);
DocumentVerdict verdict_of(OutcomeKind kind);

}  // namespace raddle
