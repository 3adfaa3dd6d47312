// One item under way: the executions it asks for, and what they show. Used by ItemRunner alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/failures/failure_groups.hpp"
#include "host/campaign/failures/misuses.hpp"
#include "host/campaign/suite/item.hpp"
#include "host/cli/suite/item_runner.hpp"

namespace raddle {

class ItemWork {
 public:
  ItemWork(const Item& item, const PreparedTest& prepared, Worker& worker, Symbolizer& symbols,
           const ItemRunnerOptions& options);

  // Each fills result(); false: stopped.
  bool probe();
  bool search();
  bool try_candidate();
  bool explore();  // in item_explore.cpp
  bool make_smallest();

  ItemResult& result() { return result_; }

 private:
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  RunOptions running(AimList aims) const;
  bool note(Execution execution, std::uint64_t index);
  std::optional<Execution> execute(const Plan& plan, AimList aims);
  void look_at_violation(const Execution& execution, std::uint64_t index);
  void add(const Confirmation& confirmation, const Candidate* candidate, Execution execution,
           std::uint64_t index);
  void finish();
  void keep(ItemFinding finding, const Execution& execution, const RecordedFinding& recorded);
  std::string recording(const Execution& execution, const RecordedFinding& recorded) const;
  Candidate candidate() const;

  const Item& item_;
  const PreparedTest& prepared_;
  Worker& worker_;
  Symbolizer& symbols_;
  const ItemRunnerOptions& options_;
  Plan base_{};
  AimList racing_;
  ItemResult result_;
  FailureGroups groups_;
  std::map<std::string, std::uint64_t> first_index_;  // by failure's group
  std::map<std::string, std::uint32_t> shown_;
  std::vector<FoundMisuse> misuses_;
};

// The plan that every execution of a suite has in common.
Plan suite_plan();

}  // namespace raddle
