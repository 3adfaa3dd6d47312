// Change-aware preemption prioritisation (CAPP; Luo's dissertation, 4.1.2, from Jagannath, Luo,
// Marinov, ISSTA 2011): schedules that preempt threads at code which has to do with a change come
// first. Nothing is left out: what does not match comes in later rounds.
//
// An executor around another one marks the pending operations that match; Search (Priority) goes by
// the marks. Seven ways to match, with all or some of the threads: fourteen heuristics, named as in
// the dissertation: CA, COA, MA, MOA, LA, LOA, FA, CS, COS, MS, MOS, LS, LOS, FS.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/explore/changes/impact.hpp"
#include "host/explore/executor.hpp"
#include "host/explore/search.hpp"

namespace raddle {

enum class MatchMode : std::uint8_t {
  kClass,
  kClassOnStack,
  kMethod,
  kMethodOnStack,
  kLine,
  kLineOnStack,
  kField,
};

struct Heuristic {
  MatchMode match = MatchMode::kLine;
  Priority priority = Priority::kSomeThreads;
};

// "LS" and so on; none if there is no such heuristic.
std::optional<Heuristic> heuristic_named(std::string_view name);

// All fourteen names.
std::vector<std::string> heuristic_names();

// The executions must tell where threads were (Plan::detail): what the library does for the program
// belongs to the place that called it, whether the compiler made one function of the two or not.
class CappExecutor final : public Executor {
 public:
  // The site at an address of the target: a described one or code.
  using Look = std::function<Site(std::uint64_t address)>;

  CappExecutor(Executor& base, ImpactedPoints points, MatchMode match, Look look);

  const Explored* execute(const ExecutionRequest& request) override;
  std::string_view error() const override { return base_.error(); }

  // Some operation matched, in some execution.
  bool has_matched() const { return has_matched_; }

 private:
  enum class Place : std::uint8_t { kOther, kOwn, kMatches };  // kOther: nothing of the program's

  bool matches(const Explored& execution, std::size_t index);
  bool stack_matches(const EnabledStack& stack);
  Place place_at(std::uint64_t address);
  Place place_of(const Site& site) const;
  bool frame_matches(const SiteFrame& frame) const;

  Executor& base_;
  const ImpactedPoints points_;
  const MatchMode match_;
  const Look look_;
  std::unordered_map<std::uint64_t, Place> known_;  // addresses
  std::vector<std::uint8_t> marks_;
  std::vector<std::uint8_t> stacks_;  // of one execution: 0 not looked at, 1 no, 2 yes
  Explored explored_;
  bool has_matched_ = false;
};

}  // namespace raddle
