// One execution's verdict, as run and replay show it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/describe/failure.hpp"
#include "host/process/execution.hpp"
#include "host/report/text.hpp"

namespace raddle {

// "3 threads, 29 steps, 15 switches, 0.4 ms, choice log 9c1d..."; says so if there is 1 thread
// only.
std::string execution_facts(const Execution& execution);

// The first line, and what failed, or which misuse a passed execution had.
std::string verdict_text(const Execution& execution, const Failure& failure,
                         const TextOptions& options);

// What the program printed, under a heading; empty if it printed nothing.
std::string program_output(const Execution& execution, const TextOptions& options);

// The fields that run and replay have in common.
nlohmann::ordered_json execution_json(const Execution& execution, const Failure& failure);

// Exit status of a command about this one execution.
int exit_status_of(OutcomeKind kind);

}  // namespace raddle
