#include "host/causal/question.hpp"

#include <z3++.h>

#include "host/causal/cone.hpp"
#include "host/causal/formula.hpp"
#include "host/causal/settled.hpp"
#include "host/causal/solving.hpp"
#include "host/causal/standing.hpp"

namespace raddle::causal {
namespace {

Answer news(const Histories& histories, NodeId at, const Rules& rules) {
  const Target target = target_of(histories, at);
  const Cone cone = cone_of(histories, target);
  if (!cone.possible) return {};
  Formula formula(histories, cone, &target);
  z3::solver solver = solver_for(formula, rules);
  formula.constrain(solver, false);
  const std::size_t last = formula.size() - 1;
  for (std::size_t i = 0; i < last; ++i)
    solver.add(z3::implies(formula.executed(i), formula.before(i, last)));
  const ThreadIndex thread = histories.node(at).thread;
  for (;;) {
    Answer answer = check(solver);
    if (answer.verdict != Verdict::kYes) return answer;
    const z3::model model = solver.get_model();
    Scheduler scheduler(histories, formula, model);
    const World& world = scheduler.world();
    if (!scheduler.run(last) || world.at(thread) != at || !world.can_move(thread))
      return not_known(answer);
    const std::vector<ThreadIndex> stuck = world.lock_cycle();
    if (rules.cycles_end && !stuck.empty()) {
      // A cycle stays: no schedule may leave these threads where they are.
      solver.add(formula.not_all_at(stuck, world));
      continue;
    }
    answer.schedule = std::move(scheduler.schedule());
    Move move{thread};
    if (target.action.kind == ActionKind::kSignal)
      move.could_wake = static_cast<std::uint32_t>(world.wakeable(target.action.object).size());
    answer.schedule.push_back(move);
    return answer;
  }
}

Answer deadlock(const Histories& histories, const std::vector<Blocked>& known,
                const std::vector<Blocked>& cycles, const Rules& rules) {
  if (always_gets_on(histories)) return {};
  Formula formula(histories, whole(histories), nullptr);
  z3::solver solver = solver_for(formula, rules);
  formula.constrain(solver, true);
  Standing(histories, formula).constrain(solver, known, cycles);
  Answer answer = check(solver);
  if (answer.verdict != Verdict::kYes) return answer;
  const z3::model model = solver.get_model();
  Scheduler scheduler(histories, formula, model);
  if (!scheduler.run(formula.size())) return not_known(answer);
  for (ThreadIndex t = 0; t < histories.threads(); ++t) {
    if (scheduler.world().can_move(t)) return not_known(answer);
  }
  answer.schedule = std::move(scheduler.schedule());
  return answer;
}

Answer cycle(const Histories& histories, const std::vector<Blocked>& known, const Rules& rules) {
  if (takes_one_lock_at_a_time(histories)) return {};
  Formula formula(histories, whole(histories), nullptr);
  z3::solver solver = solver_for(formula, rules);
  formula.constrain(solver, false);
  Standing(histories, formula).constrain_to_cycle(solver, known);
  Answer answer = check(solver);
  if (answer.verdict != Verdict::kYes) return answer;
  const z3::model model = solver.get_model();
  Scheduler scheduler(histories, formula, model);
  if (!scheduler.run(formula.size())) return not_known(answer);
  answer.schedule = std::move(scheduler.schedule());
  return answer;
}

// What the solver cannot do for want of room, say, is not known.
template <class Ask>
Answer guarded(const Ask& ask) {
  try {
    return ask();
  } catch (const z3::exception&) {
    return {Verdict::kUnknown, true, 0, {}};
  }
}

}  // namespace

Answer ask_for_news(const Histories& histories, NodeId at, const Rules& rules) {
  return guarded([&] { return news(histories, at, rules); });
}

Answer ask_for_deadlock(const Histories& histories, const std::vector<Blocked>& known,
                        const std::vector<Blocked>& cycles, const Rules& rules) {
  return guarded([&] { return deadlock(histories, known, cycles, rules); });
}

Answer ask_for_cycle(const Histories& histories, const std::vector<Blocked>& known,
                     const Rules& rules) {
  return guarded([&] { return cycle(histories, known, rules); });
}

}  // namespace raddle::causal
