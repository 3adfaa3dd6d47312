// The name of an execution, short enough to be copied by hand:
//
//   random.6.1f0c9a.77ab31.5e21aa04        strategy . parameters . test . build . choice log
//   choices.GQ3d1...                       the choices themselves instead of a seed: an explorer's,
//                                          or of a strategy that learns ("t": time passes)
//
// Parameters: seed, then for a strategy that needs the length (pct) "d<depth>k<steps>", then "s"
// (spurious wake-ups), "a" (adversarial clock), and "r" or "e" (plain accesses that race, or all of
// them, are decision points). The last three fields are hashes, in hex: of the
// test, of its build, of the choice log.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "protocol/choice_log.hpp"
#include "protocol/plan.hpp"

namespace raddle {

struct TestIdentity {
  std::uint32_t test = 0;  // 24 bits each
  std::uint32_t build = 0;
};

struct NamedExecution {
  Plan plan{};
  // Choices to follow: who, and the values between; the operations are not named. Empty: the plan
  // alone decides.
  std::vector<StepRecord> choices;
  TestIdentity identity;
  std::uint32_t log = 0;  // of the choice log's hash
};

// The last field of the name.
std::uint32_t short_log_hash(std::span<const StepRecord> log);

// `by_choices`: the plan's strategy does not say it all. Writes at most `size` characters and a
// zero, allocates nothing; a name that does not fit is cut.
void write_replay_string(char* to, std::size_t size, const Plan& plan, bool by_choices,
                         TestIdentity identity, std::span<const StepRecord> log);
std::string replay_string(const Plan& plan, bool by_choices, TestIdentity identity,
                          std::span<const StepRecord> log);

// The error says which part makes no sense. `defaults` gives what a name does not say (limits).
Result<NamedExecution> parse_replay_string(std::string_view text, const Plan& defaults);

}  // namespace raddle
