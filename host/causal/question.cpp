#include "host/causal/question.hpp"

#include <z3++.h>

#include <algorithm>
#include <map>

#include "host/causal/cone.hpp"
#include "host/causal/formula.hpp"
#include "host/causal/settled.hpp"

namespace raddle::causal {
namespace {

// Executes the events of a model in their order. False: the rules do not allow that, and the model
// was wrong.
class Scheduler {
 public:
  Scheduler(const Histories& histories, const Formula& formula, const z3::model& model)
      : world_(histories), formula_(formula), model_(model) {}

  bool run(std::size_t items) {
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (std::size_t i = 0; i < items; ++i) {
      if (is_true(formula_.executed(i))) order.emplace_back(place(i), i);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [when, i] : order) {
      const Item& item = formula_.item(i);
      if (!world_.can_move(item.thread) || world_.after(item.thread) != item.node) return false;
      schedule_.push_back(move(i));
      world_.execute(schedule_.back());
    }
    return true;
  }

  const World& world() const { return world_; }
  std::vector<Move>& schedule() { return schedule_; }

 private:
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
  const Formula& formula_;
  const z3::model& model_;
  std::vector<Move> schedule_;
};

z3::solver solver_for(Formula& formula, const Rules& rules) {
  // All constraints are about differences. Named as a logic ("QF_IDL") Z3 puts a chain of tactics
  // before that theory, which takes longer than most questions do.
  constexpr unsigned kDifferences = 3;
  z3::solver solver(formula.context(), z3::solver::simple());
  z3::params params(formula.context());
  params.set("rlimit", rules.effort);
  params.set("arith.solver", kDifferences);
  solver.set(params);
  return solver;
}

Verdict verdict_of(z3::check_result result) {
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

// Where threads can be when nothing moves any more.
class Standstill {
 public:
  Standstill(const Histories& histories, Formula& formula) : h_(histories), f_(formula) {}

  // Nothing moves any more.
  void constrain(z3::solver& solver, const std::vector<Blocked>& known,
                 const std::vector<Blocked>& cycles) {
    std::vector<z3::expr> somebody;
    for (ThreadIndex t = 0; t < h_.threads(); ++t) {
      std::vector<z3::expr> options = {!begun(t)};
      stop(h_.root(t), t, options, somebody);
      solver.add(f_.any(options));
    }
    solver.add(f_.any(somebody));
    for (const Blocked& group : known) solver.add(!is_group(group, true));
    for (const Blocked& group : cycles) solver.add(!is_group(group, false));
  }

  // The thread of the node has come to it, and not beyond.
  void constrain_to_stand(z3::solver& solver, NodeId id) {
    solver.add(here(id));
    solver.add(begun(h_.node(id).thread));
  }

  // Some threads wait for each other's locks, whatever the others do.
  void constrain_to_cycle(z3::solver& solver, const std::vector<Blocked>& known) {
    std::vector<z3::expr> inside;
    inside.reserve(h_.threads());
    for (ThreadIndex t = 0; t < h_.threads(); ++t) inside.push_back(f_.fresh("inside"));
    std::vector<std::vector<z3::expr>> reasons(h_.threads());
    for (std::uint32_t i = 0; i < h_.size(); ++i) {
      const Node& n = h_.node(NodeId{i});
      if (!n.next || (n.next->kind != ActionKind::kLock && n.next->kind != ActionKind::kShare))
        continue;
      const z3::expr stopped = here(NodeId{i});
      for (const auto& [holder, holds] : holders(NodeId{i}))
        reasons[n.thread].push_back(stopped && holds && inside[holder]);
      at_site_.push_back({n.thread, n.next->site, stopped && is_taken(NodeId{i})});
    }
    for (ThreadIndex t = 0; t < h_.threads(); ++t)
      solver.add(z3::implies(inside[t], f_.any(reasons[t])));
    solver.add(f_.any(inside));
    for (const Blocked& group : known) solver.add(!is_group(group, false));
  }

 private:
  // The thread has come to the node and not beyond.
  z3::expr here(NodeId id) {
    const Node& n = h_.node(id);
    std::vector<z3::expr> parts;
    if (!n.is_root()) parts.push_back(f_.executed(*f_.find(id)));
    for (const NodeId child : n.children) parts.push_back(!f_.executed(*f_.find(child)));
    return f_.all(parts);
  }

  z3::expr begun(ThreadIndex t) {
    std::vector<z3::expr> creations;
    bool any = false;
    for (const NodeId id : h_.on_thread(t)) {
      if (h_.node(id).event.action.kind != ActionKind::kCreate) continue;
      any = true;
      creations.push_back(f_.executed(*f_.find(id)));
    }
    return any ? f_.any(creations) : f_.context().bool_val(true);
  }

  void stop(NodeId id, ThreadIndex t, std::vector<z3::expr>& options,
            std::vector<z3::expr>& somebody) {
    const Node& n = h_.node(id);
    for (const NodeId child : n.children) stop(child, t, options, somebody);
    if (n.ends) options.push_back(here(id));
    if (!n.next || !waits(n.next->kind)) return;
    const z3::expr blocked = f_.all({here(id), begun(t), is_blocked(id)});
    options.push_back(blocked);
    somebody.push_back(blocked);
    at_site_.push_back({t, n.next->site, blocked});
  }

  static bool waits(ActionKind kind) {
    return kind == ActionKind::kLock || kind == ActionKind::kShare || kind == ActionKind::kWake ||
           kind == ActionKind::kDown || kind == ActionKind::kJoin || kind == ActionKind::kPass ||
           kind == ActionKind::kEnter;
  }

  z3::expr is_blocked(NodeId id) {
    const Action& a = *h_.node(id).next;
    if (a.kind == ActionKind::kDown) return f_.nothing_left(a.object, std::nullopt);
    if (a.kind == ActionKind::kWake) return not_woken(id);
    if (a.kind == ActionKind::kEnter) return is_run(a);
    if (a.kind == ActionKind::kPass) {
      std::vector<z3::expr> parts;
      for (const NodeId opener : h_.openers(a)) parts.push_back(!f_.executed(*f_.find(opener)));
      return f_.all(parts);
    }
    if (a.kind == ActionKind::kJoin) {
      std::vector<z3::expr> parts;
      for (const NodeId end : h_.on_thread(static_cast<ThreadIndex>(a.object))) {
        if (h_.node(end).event.action.kind == ActionKind::kEnd)
          parts.push_back(!f_.executed(*f_.find(end)));
      }
      return f_.all(parts);
    }
    return is_taken(id);
  }

  // Who may hold the lock that the thread at the node wants, and when that is so.
  std::vector<std::pair<ThreadIndex, z3::expr>> holders(NodeId id) {
    const Action& a = *h_.node(id).next;
    const ThreadIndex self = h_.node(id).thread;
    const int own = h_.held(id, a.object);
    std::vector<std::pair<ThreadIndex, z3::expr>> found;
    if (own != 0 && !(own < 0 && shares(a.kind))) {
      const bool again = own > 0 && h_.node(id).could_move;
      found.emplace_back(self, f_.context().bool_val(!again));
      return found;
    }
    for (const NodeId other : h_.on_object(a.object)) {
      const Node& n = h_.node(other);
      const Action& b = n.event.action;
      if (!acquires(b.kind) || !n.event.success || n.thread == self ||
          h_.held(n.parent, a.object) != 0 || (shares(a.kind) && shares(b.kind)))
        continue;
      found.emplace_back(n.thread, f_.holds_at_end(*f_.find(other)));
    }
    return found;
  }

  z3::expr is_taken(NodeId id) {
    std::vector<z3::expr> options;
    for (const auto& [holder, holds] : holders(id)) options.push_back(holds);
    return f_.any(options);
  }

  // Somebody has begun what is run once, and has not come to its end.
  z3::expr is_run(const Action& enter) {
    std::vector<z3::expr> options;
    for (const NodeId begin : h_.entrances(enter)) {
      std::vector<z3::expr> parts = {f_.executed(*f_.find(begin))};
      for (const NodeId end : h_.writers(enter.address, enter.size)) {
        if (end != begin && h_.is_before(begin, end)) parts.push_back(!f_.executed(*f_.find(end)));
      }
      options.push_back(f_.all(parts));
    }
    return f_.any(options);
  }

  z3::expr not_woken(NodeId wait) {
    const std::size_t item = *f_.find(wait);
    std::vector<z3::expr> parts;
    for (const Formula::Wake& w : f_.wakes()) {
      if (w.wait == item) parts.push_back(!w.holds);
    }
    for (const NodeId id : h_.on_object(h_.node(wait).event.action.object)) {
      if (h_.node(id).event.action.kind != ActionKind::kBroadcast ||
          h_.node(id).thread == h_.node(wait).thread)
        continue;
      const std::size_t b = *f_.find(id);
      parts.push_back(!f_.executed(b) || f_.before(b, item));
    }
    return f_.all(parts);
  }

  // The threads of the group wait there; `alone`: and no others.
  z3::expr is_group(const Blocked& group, bool alone) {
    std::vector<z3::expr> parts;
    for (const auto& [thread, site] : group) {
      std::vector<z3::expr> options;
      for (const AtSite& s : at_site_) {
        if (s.thread == thread && s.site == site) options.push_back(s.blocked);
      }
      parts.push_back(f_.any(options));
    }
    for (const AtSite& s : at_site_) {
      if (alone && !group.contains({s.thread, s.site})) parts.push_back(!s.blocked);
    }
    return f_.all(parts);
  }

  struct AtSite {
    ThreadIndex thread;
    std::uint64_t site;
    z3::expr blocked;
  };

  const Histories& h_;
  Formula& f_;
  std::vector<AtSite> at_site_;
};

}  // namespace

Answer ask_for_news(const Histories& histories, NodeId at, const Rules& rules) {
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
    Answer answer{verdict_of(solver.check()), true, {}};
    if (answer.verdict != Verdict::kYes) return answer;
    const z3::model model = solver.get_model();
    Scheduler scheduler(histories, formula, model);
    const World& world = scheduler.world();
    if (!scheduler.run(last) || world.at(thread) != at || !world.can_move(thread))
      return {Verdict::kUnknown, true, {}};
    const std::vector<ThreadIndex> cycle = world.lock_cycle();
    if (rules.cycles_end && !cycle.empty()) {
      // A cycle stays: no schedule may leave these threads where they are.
      std::vector<z3::expr> elsewhere;
      for (const ThreadIndex t : cycle) {
        const NodeId stands = world.at(t);
        elsewhere.push_back(!formula.executed(*formula.find(stands)));
        for (const NodeId child : histories.node(stands).children) {
          if (const auto item = formula.find(child)) elsewhere.push_back(formula.executed(*item));
        }
      }
      solver.add(formula.any(elsewhere));
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

Answer ask_for_deadlock(const Histories& histories, const std::vector<Blocked>& known,
                        const std::vector<Blocked>& cycles, const Rules& rules) {
  if (always_gets_on(histories)) return {};
  Formula formula(histories, whole(histories), nullptr);
  z3::solver solver = solver_for(formula, rules);
  formula.constrain(solver, true);
  Standstill(histories, formula).constrain(solver, known, cycles);
  Answer answer{verdict_of(solver.check()), true, {}};
  if (answer.verdict != Verdict::kYes) return answer;
  const z3::model model = solver.get_model();
  Scheduler scheduler(histories, formula, model);
  if (!scheduler.run(formula.size())) return {Verdict::kUnknown, true, {}};
  for (ThreadIndex t = 0; t < histories.threads(); ++t) {
    if (scheduler.world().can_move(t)) return {Verdict::kUnknown, true, {}};
  }
  answer.schedule = std::move(scheduler.schedule());
  return answer;
}

Answer ask_for_cycle(const Histories& histories, const std::vector<Blocked>& known,
                     const Rules& rules) {
  if (takes_one_lock_at_a_time(histories)) return {};
  Formula formula(histories, whole(histories), nullptr);
  z3::solver solver = solver_for(formula, rules);
  formula.constrain(solver, false);
  Standstill(histories, formula).constrain_to_cycle(solver, known);
  Answer answer{verdict_of(solver.check()), true, {}};
  if (answer.verdict != Verdict::kYes) return answer;
  const z3::model model = solver.get_model();
  Scheduler scheduler(histories, formula, model);
  if (!scheduler.run(formula.size())) return {Verdict::kUnknown, true, {}};
  answer.schedule = std::move(scheduler.schedule());
  return answer;
}

Answer ask_for_meeting(const Histories& histories, const std::vector<NodeId>& at,
                       const Rules& rules) {
  Formula formula(histories, whole(histories), nullptr);
  z3::solver solver = solver_for(formula, rules);
  formula.constrain(solver, false);
  Standstill standstill(histories, formula);
  for (const NodeId id : at) standstill.constrain_to_stand(solver, id);
  Answer answer{verdict_of(solver.check()), true, {}};
  if (answer.verdict != Verdict::kYes) return answer;
  const z3::model model = solver.get_model();
  Scheduler scheduler(histories, formula, model);
  if (!scheduler.run(formula.size())) return {Verdict::kUnknown, true, {}};
  const World& world = scheduler.world();
  const bool meet = std::all_of(at.begin(), at.end(), [&](NodeId id) {
    const ThreadIndex thread = histories.node(id).thread;
    return world.exists(thread) && world.at(thread) == id;
  });
  if (!meet || (rules.cycles_end && !world.lock_cycle().empty()))
    return {Verdict::kUnknown, true, {}};
  answer.schedule = std::move(scheduler.schedule());
  return answer;
}

}  // namespace raddle::causal
