// From a formula to an answer: the solver with its limit, and the schedule that a model of it is.
#pragma once

#include <z3++.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "host/causal/formula.hpp"
#include "host/causal/question.hpp"
#include "host/causal/world.hpp"

namespace raddle::causal {

// Executes the events of a model in their order. False: the rules do not allow that, and the model
// was wrong.
class Scheduler {
 public:
  Scheduler(const Histories& histories, const Formula& formula, const z3::model& model)
      : world_(histories), opening_(histories.opening()), formula_(formula), model_(model) {}

  // The first `items` of the formula; `last`: the schedule ends with it.
  bool run(std::size_t items, std::optional<std::size_t> last = std::nullopt) {
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (std::size_t i = 0; i < items; ++i) {
      if (is_true(formula_.executed(i)) && !is_opening(i)) order.emplace_back(place(i), i);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [when, i] : order) {
      const Item& item = formula_.item(i);
      if (!world_.can_move(item.thread) || stopped_.contains(item.thread)) return false;
      Move next = move(i);
      if (world_.after(item.thread) != item.node) {
        const auto unseen = unseen_.find(item.node);
        if (unseen == unseen_.end() || world_.at(item.thread) != item.before) return false;
        next.to = item.node;
        if (unseen->second) stopped_.insert(item.thread);
      }
      schedule_.push_back(next);
      world_.execute(next);
      if (last == i) break;
    }
    return true;
  }

  // Events that may see something else than they saw, and whether their threads stop there then.
  void let_see_anything(const std::map<NodeId, bool>& unseen) { unseen_ = unseen; }

  const World& world() const { return world_; }
  std::vector<Move>& schedule() { return schedule_; }

 private:
  bool is_opening(std::size_t i) const {
    return std::find(opening_.begin(), opening_.end(), formula_.item(i).node) != opening_.end();
  }
  bool is_true(const z3::expr& e) const { return model_.eval(e, true).is_true(); }
  std::int64_t place(std::size_t i) const {
    return model_.eval(formula_.order(i), true).get_numeral_int64();
  }

  Move move(std::size_t i) const {
    const Item& item = formula_.item(i);
    Move move{item.thread};
    if (item.event.action.kind != ActionKind::kSignal) return move;
    const std::vector<ThreadIndex> able = world_.wakeable(item.event.action.object);
    move.could_wake = static_cast<std::uint32_t>(able.size());
    for (const Formula::Wake& wake : formula_.wakes()) {
      if (wake.signal != i || !is_true(wake.holds)) continue;
      const auto it = std::find(able.begin(), able.end(), formula_.item(wake.wait).thread);
      if (it != able.end()) move.woken = static_cast<std::uint32_t>(it - able.begin());
    }
    return move;
  }

  World world_;
  std::span<const NodeId> opening_;
  const Formula& formula_;
  const z3::model& model_;
  std::vector<Move> schedule_;
  std::map<NodeId, bool> unseen_;
  std::set<ThreadIndex> stopped_;
};

inline z3::solver solver_for(Formula& formula, const Rules& rules) {
  // All constraints are about differences. Named as a logic ("QF_IDL") Z3 puts a chain of tactics
  // before that theory, which takes longer than most questions do. Of its two solvers one keeps a
  // matrix of all pairs of places, which is the faster one while that is small.
  constexpr unsigned kGraph = 1;
  constexpr unsigned kMatrix = 3;
  constexpr std::size_t kSmall = 150;  // items
  z3::solver solver(formula.context(), z3::solver::simple());
  z3::params params(formula.context());
  params.set("rlimit", rules.effort);
  params.set("arith.solver", formula.size() <= kSmall ? kMatrix : kGraph);
  solver.set(params);
  return solver;
}

// The units of work that the solver, and all others of its context, have done so far. They wrap.
inline std::uint32_t effort_so_far(const z3::solver& solver) {
  const z3::stats statistics = solver.statistics();
  for (unsigned i = 0; i < statistics.size(); ++i) {
    if (statistics.is_uint(i) && statistics.key(i) == "rlimit count")
      return statistics.uint_value(i);
  }
  return 0;
}

inline Verdict verdict_of(z3::check_result result) {
  switch (result) {
    case z3::sat:
      return Verdict::kYes;
    case z3::unsat:
      return Verdict::kNo;
    case z3::unknown:
      return Verdict::kUnknown;
  }
  return Verdict::kUnknown;
}

// What the solver says, still without a schedule. `before`: effort_so_far() when the question
// began.
inline Answer check(z3::solver& solver, std::uint32_t before = 0) {
  Answer answer{verdict_of(solver.check()), true, 0, {}};
  answer.effort = effort_so_far(solver) - before;
  return answer;
}

// The schedule of the model breaks the rules.
inline Answer not_known(Answer answer) {
  answer.verdict = Verdict::kUnknown;
  return answer;
}

}  // namespace raddle::causal
