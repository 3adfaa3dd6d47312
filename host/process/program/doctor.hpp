// Whether this machine, and this program, can be controlled, and what is missing. Plain data: cli/
// prints it. Each check tries the thing itself where that is harmless, rather than guess from a
// version.
#pragma once

#include <string>
#include <vector>

#include "host/process/program/target.hpp"

namespace raddle {

struct Check {
  std::string what;  // "address randomisation"
  // ok: nothing to do; warn: it works, with a limit; bad: programs cannot be controlled.
  enum Level { ok, warn, bad } level;
  std::string detail;  // what was found, "can be switched off"
  std::string advice;  // what to do; empty for ok
};

std::vector<Check> doctor_machine();

// Whether an execution has the same addresses each time; a container may refuse what that takes.
Check address_randomisation();
// Whether a debugger can run here. Starts a child and waits for it.
Check debugging();

// What of this program cannot be controlled: commands say so before they start it.
std::vector<Check> control_problems(const Target& target);

// For a program that inspect_target() accepted; what it refused has its reason in the error.
std::vector<Check> doctor_program(const Target& target);

}  // namespace raddle
