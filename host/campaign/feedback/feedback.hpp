// What a campaign learns from its executions, and what its plans say because of it. For every
// strategy whose entry says that it learns (StrategyEntry::learns), and for whoever wants to know
// whether executions still show anything new:
//
//   Feedback feedback(seed);
//   const Guide guide = feedback.next(strategy, plan.seed);   // in the order of plans
//   ... the execution, with guide.aims beside the plan's own ...
//   const Observation shown = observe(execution.log);         // on any thread
//   const std::size_t news = feedback.ended(guide, log, shown);   // in the order of plans
//
// next() and ended() may alternate in any way, as long as it is the same way each time: then the
// same campaign has the same plans, however many workers it has (feedback_rounds.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/campaign/feedback/reads_from_schedules.hpp"
#include "host/campaign/feedback/selected_work.hpp"
#include "host/replay/aims.hpp"
#include "host/symbols/maps.hpp"
#include "protocol/strategies.hpp"

namespace raddle {

// What an execution's plan says of earlier ones.
struct Guide {
  std::vector<AimSite> aims;  // addresses in the process of the executions
  AbstractSchedule schedule;  // that they stand for; empty: none
};

class Feedback {
 public:
  explicit Feedback(std::uint64_t seed) : schedules_(seed) {}

  // Empty for a strategy that learns nothing, or before anything was learnt.
  Guide next(const StrategyEntry& strategy, std::uint64_t seed);

  // An execution of any strategy has ended. `guide` is the one that it had; an empty one if it had
  // none. Returns how much of what it showed was never seen before: 0 if it only repeated.
  std::size_t ended(const Guide& guide, std::span<const StepRecord> log, const Observation& shown);
  // The same, of an execution that nobody planned here.
  std::size_t learn(std::span<const StepRecord> log) { return ended({}, log, observe(log)); }

  // Pairs of a read and a write that may come about, and those of them that did.
  std::size_t known_pairs() const { return schedules_.known_pairs(); }
  std::size_t seen_pairs() const { return schedules_.seen_pairs(); }

 private:
  ReadsFromSchedules schedules_;
  SelectedWork work_;
};

// A plan's own aims and a guide's, for executions of processes. `loaded`: in their fork server.
AimList with_guide(const AimList& own, const Guide& guide, std::span<const LoadedObject> loaded);

}  // namespace raddle
