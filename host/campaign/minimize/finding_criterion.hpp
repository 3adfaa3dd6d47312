// For replaying and minimizing what did not fail: the same finding, as its detector sees it in the
// execution.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/campaign/confirm/candidates.hpp"
#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/minimize/minimize.hpp"
#include "host/replay/confirmed_group.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

class FindingCriterion final : public Criterion {
 public:
  explicit FindingCriterion(SoughtFinding sought) : sought_(std::move(sought)) {}

  EventSink* listen() override;
  bool has(const Execution& execution) override;

 private:
  const SoughtFinding sought_;
  std::unique_ptr<Pipeline> pipeline_;  // of the execution under way
};

// What a replay file says of a finding that was confirmed. `candidate` is null for what was met
// without being predicted.
ConfirmedGroup confirmed_group(const Finding& finding, const Candidate* candidate);

// The other way round, for what can be minimized; nothing for atom's violations, since their
// detector needs to know what the strategy did.
std::optional<SoughtFinding> sought_in(const ConfirmedGroup& group);

// What the group says, as the trace of that execution shows it; nothing if it does not. `unseen` is
// what synchronises unseen (TraceHeader::unseen): nothing is certainly unordered then.
std::optional<Confirmation> confirmed_by_trace(const ConfirmedGroup& group, const Plan& plan,
                                               const KeptTrace& trace,
                                               std::vector<std::string> unseen = {});

}  // namespace raddle
