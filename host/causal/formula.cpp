#include "host/causal/formula.hpp"

#include <algorithm>
#include <set>

namespace raddle::causal {

Formula::Formula(const Histories& histories, const Cone& cone, const Target* target)
    : h_(histories), target_(target), zero_(context_.int_const("zero")) {
  for (const NodeId id : cone.nodes) {
    const Node& n = h_.node(id);
    const auto parent = index_.find(n.parent);
    index_[id] = items_.size();
    items_.push_back({id, n.parent, n.thread,
                      parent != index_.end() ? static_cast<int>(parent->second) : -1, n.event});
  }
  if (target != nullptr) {
    const auto parent = index_.find(target->at);
    items_.push_back({kNoNode, target->at, h_.node(target->at).thread,
                      parent != index_.end() ? static_cast<int>(parent->second) : -1,
                      Event{target->action}});
  }
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const std::string number = std::to_string(i);
    executed_.push_back(context_.bool_const(("x" + number).c_str()));
    order_.push_back(context_.int_const(("o" + number).c_str()));
    outermost_.push_back(takes(i) && h_.held(items_[i].before, items_[i].event.action.object) == 0);
    if (outermost_.back()) sections_[items_[i].event.action.object].push_back(i);
    if (takes(i) && !is_target(i)) {
      for (const NodeId release : releases_after(h_, items_[i].node)) {
        if (const auto found = find(release)) releases_[i].push_back(*found);
      }
    }
  }
  if (target != nullptr && tries(target->action.kind)) target_succeeds_ = fresh("success");
}

std::optional<std::size_t> Formula::find(NodeId node) const {
  const auto it = index_.find(node);
  return it != index_.end() ? std::optional(it->second) : std::nullopt;
}

z3::expr Formula::any(const std::vector<z3::expr>& options) {
  z3::expr_vector vector(context_);
  for (const z3::expr& e : options) vector.push_back(e);
  return z3::mk_or(vector);
}

z3::expr Formula::all(const std::vector<z3::expr>& parts) {
  z3::expr_vector vector(context_);
  for (const z3::expr& e : parts) vector.push_back(e);
  return z3::mk_and(vector);
}

z3::expr Formula::fresh(const char* name) {
  return z3::expr(context_, Z3_mk_fresh_const(context_, name, context_.bool_sort()));
}

z3::expr Formula::not_all_at(const std::vector<ThreadIndex>& threads, const World& world) {
  std::vector<z3::expr> elsewhere;
  for (const ThreadIndex t : threads) {
    const NodeId stands = world.at(t);
    elsewhere.push_back(!executed_[*find(stands)]);
    for (const NodeId child : h_.node(stands).children) {
      if (const auto item = find(child)) elsewhere.push_back(executed_[*item]);
    }
  }
  return any(elsewhere);
}

z3::expr Formula::place(const char* name) {
  return z3::expr(context_, Z3_mk_fresh_const(context_, name, context_.int_sort()));
}

bool Formula::is_ancestor(std::size_t a, std::size_t b) const {
  for (int i = items_[b].parent; i >= 0; i = items_[static_cast<std::size_t>(i)].parent) {
    if (static_cast<std::size_t>(i) == a) return true;
  }
  return false;
}

void Formula::constrain(z3::solver& solver, bool exact) {
  open(solver);
  order_threads(solver);
  begin_and_join(solver);
  separate_sections(solver);
  pass_semaphores(solver);
  wake_up(solver, exact);
  exit_last(solver);
  split_memory();
  read_last_writes(solver);
  if (target_ == nullptr) return;
  solver.add(executed_.back());
  if (reads(target_->action.kind)) read_something_new(solver);
  if (target_succeeds_) {
    if (!target_->asks_for(true)) solver.add(!*target_succeeds_);
    if (!target_->asks_for(false)) solver.add(*target_succeeds_);
  }
}

// What has happened before anything else can.
void Formula::open(z3::solver& solver) {
  std::set<std::size_t> opening;
  std::optional<std::size_t> last;
  for (const NodeId id : h_.opening()) {
    const std::size_t item = *find(id);
    solver.add(executed_[item]);
    if (last) solver.add(before(*last, item));
    last = item;
    opening.insert(item);
  }
  for (std::size_t i = 0; last && i < items_.size(); ++i) {
    if (!opening.contains(i)) solver.add(before(*last, i));
  }
}

// An event needs the one before it in its thread, and two events that follow the same history
// exclude each other.
void Formula::order_threads(z3::solver& solver) {
  std::map<NodeId, std::vector<std::size_t>> siblings;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].parent >= 0) {
      const auto parent = static_cast<std::size_t>(items_[i].parent);
      solver.add(z3::implies(executed_[i], executed_[parent]));
      solver.add(before(parent, i));
    } else {
      solver.add(zero_ < order_[i]);
    }
    for (const std::size_t other : siblings[items_[i].before])
      solver.add(!executed_[i] || !executed_[other]);
    siblings[items_[i].before].push_back(i);
  }
}

void Formula::begin_and_join(z3::solver& solver) {
  std::map<std::uint64_t, std::vector<std::size_t>> creations;
  std::map<std::uint64_t, std::vector<std::size_t>> ends;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].event.action.kind == ActionKind::kCreate)
      creations[items_[i].event.action.object].push_back(i);
    if (items_[i].event.action.kind == ActionKind::kEnd) ends[items_[i].thread].push_back(i);
  }
  const auto needs_one_of = [&](std::size_t i, const std::vector<std::size_t>& earlier) {
    std::vector<z3::expr> options;
    for (const std::size_t e : earlier)
      if (e != i) options.push_back(executed_[e] && before(e, i));
    solver.add(z3::implies(executed_[i], any(options)));
  };
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const std::span<const NodeId> all_of = h_.on_thread(items_[i].thread);
    const bool created = std::any_of(all_of.begin(), all_of.end(), [&](NodeId id) {
      return h_.node(id).event.action.kind == ActionKind::kCreate;
    });
    if (items_[i].parent < 0 && created) needs_one_of(i, creations[items_[i].thread]);
    if (items_[i].event.action.kind == ActionKind::kJoin)
      needs_one_of(i, ends[items_[i].event.action.object]);
    if (items_[i].event.action.kind == ActionKind::kPass) {
      std::vector<std::size_t> openers;
      for (const NodeId id : h_.openers(items_[i].event.action)) {
        if (const auto found = find(id)) openers.push_back(*found);
      }
      needs_one_of(i, openers);
    }
  }
}

// Nothing happens after the end of the process.
void Formula::exit_last(z3::solver& solver) {
  for (std::size_t e = 0; e < items_.size(); ++e) {
    if (items_[e].event.action.kind != ActionKind::kExit) continue;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (i != e && !is_ancestor(e, i))
        solver.add(z3::implies(executed_[e] && executed_[i], before(i, e)));
    }
  }
}

z3::expr Formula::broadcast_between(std::size_t wait, std::size_t when) {
  std::vector<z3::expr> options;
  for (const std::size_t b : broadcasts_) {
    if (b != when && items_[b].event.action.object == items_[wait].event.action.object &&
        items_[b].thread != items_[wait].thread)
      options.push_back(executed_[b] && before(wait, b) && before(b, when));
  }
  return any(options);
}

// Two events may have the same place in the order if no constraint says which comes first. Where a
// constraint also asks what does *not* come first, each pair needs an answer.
void Formula::separate_in_time(z3::solver& solver) {
  const auto is_part = [&](std::size_t i) {
    const ActionKind kind = items_[i].event.action.kind;
    return kind == ActionKind::kWait || kind == ActionKind::kSignal ||
           kind == ActionKind::kBroadcast;
  };
  for (std::size_t i = 0; i < items_.size(); ++i) {
    for (std::size_t k = 0; k < i && is_part(i); ++k) {
      if (is_part(k) && items_[i].event.action.object == items_[k].event.action.object &&
          items_[i].thread != items_[k].thread)
        solver.add(before(i, k) || before(k, i));
    }
  }
}

// A signal wakes at most one thread. Which one is a choice, so any thread that waits at the time
// will do. A signal that nobody needs may wake anybody: it changes nothing for the events that are
// executed. Where threads are to be left waiting (`exact`) it counts: a signal is lost only if
// nobody waits who was not woken before.
void Formula::wake_up(z3::solver& solver, bool exact) {
  std::vector<std::size_t> signals;
  std::map<std::size_t, std::vector<std::size_t>> wake_ups;  // by wait
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const ActionKind kind = items_[i].event.action.kind;
    if (kind == ActionKind::kSignal) signals.push_back(i);
    if (kind == ActionKind::kBroadcast) broadcasts_.push_back(i);
    if (kind == ActionKind::kWait && exact) wake_ups[i];
    if (kind == ActionKind::kWake)
      wake_ups[static_cast<std::size_t>(items_[i].parent)].push_back(i);
  }
  for (const auto& [wait, ups] : wake_ups) {
    std::vector<z3::expr> woken;
    for (const std::size_t s : signals) {
      if (items_[s].thread == items_[wait].thread ||
          items_[s].event.action.object != items_[wait].event.action.object)
        continue;
      const z3::expr wakes = fresh("wakes");
      solver.add(z3::implies(wakes, executed_[wait] && executed_[s] && before(wait, s)));
      for (const std::size_t up : ups)
        solver.add(z3::implies(wakes && executed_[up], before(s, up)));
      if (exact) solver.add(!wakes || !broadcast_between(wait, s));
      for (const Wake& other : wakes_) {
        if (other.signal == s || other.wait == wait) solver.add(!wakes || !other.holds);
      }
      wakes_.push_back({s, wait, wakes});
      woken.push_back(wakes);
    }
    for (const std::size_t up : ups)
      solver.add(z3::implies(executed_[up], any(woken) || broadcast_between(wait, up)));
  }
  if (!exact) return;
  separate_in_time(solver);
  for (const std::size_t s : signals) {
    std::vector<z3::expr> wakes_somebody;
    for (const Wake& w : wakes_) {
      if (w.signal == s) wakes_somebody.push_back(w.holds);
    }
    for (const auto& [wait, ups] : wake_ups) {
      if (items_[s].thread == items_[wait].thread ||
          items_[s].event.action.object != items_[wait].event.action.object)
        continue;
      std::vector<z3::expr> before_it = {broadcast_between(wait, s)};
      for (const Wake& w : wakes_) {
        if (w.wait == wait && w.signal != s) before_it.push_back(w.holds && before(w.signal, s));
      }
      solver.add(z3::implies(executed_[s] && executed_[wait] && before(wait, s),
                             any(wakes_somebody) || any(before_it)));
    }
  }
}

}  // namespace raddle::causal
