#include "host/explore/causal/causal_search.hpp"

#include <algorithm>

#include "host/causal/cone.hpp"
#include "host/explore/causal/standstill.hpp"

namespace raddle {

using causal::Answer;
using causal::NodeId;
using causal::Verdict;

std::optional<CausalProblem> where_it_strayed(std::span<const StepRecord> schedule,
                                              std::span<const StepRecord> log) {
  const auto is_choice = [](const StepRecord& r) { return r.op == OpKind::value_choice; };
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    CausalProblem problem;
    problem.kind = CausalProblem::kNotFollowed;
    problem.step = i;
    problem.wanted = schedule[i];
    problem.came = {kNoThread, OpKind::none, 0, kNoObject, 0};
    if (i >= log.size()) return problem;
    problem.came = log[i];
    if (log[i].thread != schedule[i].thread || is_choice(log[i]) != is_choice(schedule[i]))
      return problem;
  }
  return std::nullopt;
}

bool CausalSearch::next(CausalWork& work) {
  work = {};
  if (ended_ || problem_.kind != CausalProblem::kNone) return false;
  if (!begun_) {
    begun_ = true;
    return true;
  }
  if (!ask_for_news(work) && !ask_for_deadlock(work)) {
    ended_ = true;
    for (std::uint32_t i = 0; i < histories_.size(); ++i)
      counts_.cut_short += causal::is_given_up(histories_, NodeId{i}) ? 1 : 0;
    return false;
  }
  work.prefix = reading_.prefix(work.schedule);
  return true;
}

void CausalSearch::count(const Answer& answer) {
  if (answer.solved) {
    ++counts_.queries;
  } else {
    ++counts_.pruned;
  }
  if (answer.verdict == Verdict::kUnknown) ++counts_.unknown;
}

// Something may come of its next action that no execution has shown.
bool CausalSearch::is_open(NodeId id) const {
  const causal::Node& n = histories_.node(id);
  return n.next && (n.children.empty() || causal::observes(n.next->kind));
}

bool CausalSearch::ask_for_news(CausalWork& work) {
  for (std::uint32_t i = histories_.size(); i-- > 0;) {
    const NodeId id{i};
    if (!is_open(id)) continue;
    const causal::Cone cone = causal::cone_of(histories_, causal::target_of(histories_, id));
    const auto before = answered_.find(id);
    if (before != answered_.end() && before->second == cone.nodes) continue;
    const Answer answer = causal::ask_for_news(histories_, id, rules_);
    count(answer);
    if (answer.verdict == Verdict::kYes) {
      work.schedule = answer.schedule;
      return true;
    }
    answered_[id] = cone.nodes;
  }
  return false;
}

bool CausalSearch::ask_for_deadlock(CausalWork& work) {
  Answer answer;
  if (rules_.cycles_end) {
    answer = causal::ask_for_cycle(histories_, cycles_, rules_);
    count(answer);
  }
  if (answer.verdict != Verdict::kYes) {
    answer = causal::ask_for_deadlock(histories_, deadlocks_, cycles_, rules_);
    count(answer);
  }
  if (answer.verdict != Verdict::kYes) return false;
  work.schedule = answer.schedule;
  work.deadlock = true;
  return true;
}

void CausalSearch::done(const CausalWork& work, const Explored& execution) {
  ++counts_.executions;
  counts_.steps += execution.log.size();
  if (execution.failing) ++counts_.failing;
  const bool ended = execution.outcome == OutcomeKind::kNone || execution.failing;
  if (!ended) ++counts_.unfinished;
  // A schedule that was made when some memory seemed to be nobody else's promises nothing.
  const bool changed = read_again(execution);
  if (problem_.kind == CausalProblem::kNone) problem_ = reading_.read(execution);
  if (problem_.kind != CausalProblem::kNone) return;
  kept_.emplace_back(execution);
  new_deadlock_ = false;
  if (execution.outcome == OutcomeKind::kDeadlock) learn_deadlock(reading_.moves());
  if (changed) return;
  // What was asked for is known now, even if the execution ended in another deadlock before.
  const bool learned = new_deadlock_;
  if (work.deadlock) learn_deadlock(work.schedule);
  if (counts_.executions > 1 && !reading_.found_news() && !learned) ++counts_.redundant;
  if (!work.schedule.empty() && !followed(work, execution))
    problem_.kind = CausalProblem::kNotFollowed;
}

// Learns what memory threads share. If some of it seemed to be one thread's before, all histories
// are made anew from the executions so far: then true.
bool CausalSearch::read_again(const Explored& execution) {
  if (!reading_.learn_sharing(execution) || kept_.empty()) return false;
  histories_ = causal::Histories();
  answered_.clear();
  reading_.begin_anew();
  for (const ReadExecution& kept : kept_) {
    problem_ = reading_.read(kept.view());
    if (problem_.kind != CausalProblem::kNone) break;
  }
  return true;
}

// The deadlock at the end of a schedule: a cycle of locks, or all that wait.
void CausalSearch::learn_deadlock(const std::vector<causal::Move>& schedule) {
  const StandstillGroup group = group_after(histories_, schedule, rules_);
  std::vector<causal::Blocked>& known = group.is_cycle ? cycles_ : deadlocks_;
  if (std::find(known.begin(), known.end(), group.blocked) != known.end()) return;
  known.push_back(group.blocked);
  new_deadlock_ = true;
}

// Each step of the schedule was made by its thread, and the end is what was asked for.
bool CausalSearch::followed(const CausalWork& work, const Explored& execution) {
  if (work.deadlock && execution.outcome == OutcomeKind::kDeadlock) return true;
  if (const auto strayed = where_it_strayed(work.prefix, execution.log)) {
    problem_ = *strayed;
    return false;
  }
  if (!work.deadlock && reading_.found_news()) return true;
  // All choices were made, and something else came of the last one.
  problem_.step = work.prefix.size() - 1;
  problem_.wanted = work.prefix.back();
  problem_.came = execution.log[work.prefix.size() - 1];
  return false;
}

}  // namespace raddle
