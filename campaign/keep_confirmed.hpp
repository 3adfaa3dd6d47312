// For minimising what did not fail: the same finding, as its detector sees it in the execution.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "analysis/pipeline.hpp"
#include "campaign/candidates.hpp"
#include "campaign/minimize.hpp"

namespace raddle {

class KeepConfirmed final : public Keep {
 public:
  explicit KeepConfirmed(Candidate candidate) : candidate_(std::move(candidate)) {}

  TraceLevel trace() const override { return TraceLevel::kMemory; }
  EventSink* listen() override;
  bool has(const Execution& execution) override;

 private:
  const Candidate candidate_;
  std::unique_ptr<Pipeline> pipeline_;  // of the execution under way
};

// How a replay file says which finding its execution has, in the place of a failure's group:
// "confirmed | race | PLACE | PATTERN | PLACES of the steps...", numbers in hexadecimal. Empty for
// what cannot be minimised: the detector of atom's violations needs to know what the strategy did.
std::string confirmed_group(const Candidate& candidate, const Finding& finding);

// The other way round; false for anything else.
bool parse_confirmed_group(const std::string& group, Candidate* candidate);

}  // namespace raddle
