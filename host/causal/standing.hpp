// Constraints about where threads stand at the end of a schedule: before what, and what keeps them
// there.
#pragma once

#include <z3++.h>

#include <utility>
#include <vector>

#include "host/causal/formula.hpp"
#include "host/causal/question.hpp"

namespace raddle::causal {

// Where threads can be when nothing moves any more.
class Standing {
 public:
  Standing(const Histories& histories, Formula& formula) : h_(histories), f_(formula) {}

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
    for (const NodeId child : n.children) {
      if (const auto item = f_.find(child)) parts.push_back(!f_.executed(*item));
    }
    return f_.all(parts);
  }

  z3::expr begun(ThreadIndex t) {
    std::vector<z3::expr> creations;
    bool any = false;
    for (const NodeId id : h_.on_thread(t)) {
      if (h_.node(id).event.action.kind != ActionKind::kCreate) continue;
      any = true;
      if (const auto item = f_.find(id)) creations.push_back(f_.executed(*item));
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

}  // namespace raddle::causal
