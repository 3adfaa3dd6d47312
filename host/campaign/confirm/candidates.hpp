// What the profile of a campaign predicts and a strategy can bring about: data races, cycles of
// locks, atomic sets that two units of work can leave inconsistent (phase one of AssetFuzzer), and
// uses of memory that only a lock kept before its free.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/analysis/model/finding.hpp"
#include "host/campaign/profile/racing_sites.hpp"
#include "host/replay/aims.hpp"
#include "protocol/strategies.hpp"

namespace raddle {

// What a detector has to see in an execution: the finding of another execution, by what is the same
// in both. Sites have other numbers there, so that their steps are compared by places.
struct SoughtFinding {
  FindingKind kind{};
  int pattern = 0;                    // atomic_set: 1 to 14
  std::uint64_t place = 0;            // Finding::place. atomicity: 0, any violation will do
  std::vector<std::uint64_t> places;  // ExecutionState::stable() of the steps
};

// Predicted by an analysis; nobody has seen it happen.
struct Candidate {
  SoughtFinding sought;
  std::uint64_t key = 0;       // the same candidate has the same, in every execution of a build
  std::vector<PlanAim> steps;  // AimRole::kStep, kWindow
  Finding finding;             // what the analysis said
};

// The finding, as it is to be looked for in other executions; `state` is that of its own.
SoughtFinding sought_of(const ExecutionState& state, const Finding& finding);

// The aims of an execution that is to bring the candidate about: its steps, and where the
// program races besides (`racing` may be null).
AimList aims_for(const Candidate& candidate, const AimList& racing);

class AssetDetector;
class PossibleUses;

// Whether the user wants to hear of a finding; `state` is that of the execution it was seen in.
// Called on any worker's thread. An empty one wants all.
using WantsFinding = std::function<bool(const Finding&, const ExecutionState& state)>;

// Which candidates are wanted.
struct CandidateOptions {
  std::optional<Confirms> only;  // those that a strategy for this brings about; none: all
  bool joint = true;             // units of several calls, see UnitOptions
  WantsFinding wants;
};

// Pools the candidates of all profiling executions.
class Candidates final : public RacingSites {
 public:
  explicit Candidates(std::string maps, CandidateOptions options = {})
      : RacingSites(std::move(maps)), options_(std::move(options)) {}

  // In the order in which they were met.
  const std::vector<Candidate>& list() const { return list_; }
  // Uses that could come after a free (analysis/lifetime/possible_uses.hpp), those first that could
  // come directly after it. In most programs none of them can: they are worth a few executions, and
  // not a word. With CandidateOptions::only they are in list() instead.
  std::vector<Candidate> uses() const;

 private:
  void add_detectors(Pipeline& pipeline) override;
  bool look(const Pipeline& pipeline) override;
  bool add(Candidate candidate);
  bool add_finding(const ExecutionState& state, const Finding& finding);
  bool add_uses(const ExecutionState& state);
  PlanAim step_at(const ExecutionState& state, const FindingStep& step, std::size_t number) const;

  bool wants(Confirms what) const { return !options_.only || *options_.only == what; }
  bool wants(const Finding& finding, const ExecutionState& state) const {
    return !options_.wants || options_.wants(finding, state);
  }

  CandidateOptions options_;
  AssetDetector* asset_ = nullptr;    // of the execution under way; the pipeline's
  PossibleUses* possible_ = nullptr;  // the same
  std::vector<Candidate> uses_;
  std::set<std::uint64_t> keys_;
  std::vector<Candidate> list_;
};

}  // namespace raddle
