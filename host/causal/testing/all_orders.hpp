// The slow and obvious way to whether known events can be executed in an order: all interleavings,
// one after the other. For tests.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "host/causal/conversation.hpp"
#include "host/causal/world.hpp"

namespace raddle::causal {

class AllOrders {
 public:
  AllOrders(const Histories& histories, const std::vector<NodeId>& events, Trust trust,
            std::size_t limit)
      : h_(histories), events_(events), trust_(trust), limit_(limit) {
    visit({World(histories), 0, {}});
  }

  bool possible = false;
  bool finished = true;

 private:
  struct State {
    World world;
    std::size_t done;               // of the events
    std::set<ThreadIndex> stopped;  // they saw what they never saw
  };

  // The next of the events may be executed although its thread sees something else.
  bool may_differ(std::size_t i) const {
    const Node& n = h_.node(events_[i]);
    const ActionKind kind = n.event.action.kind;
    if (!reads(kind)) return false;
    if (trust_ == Trust::kTried) return true;
    const bool last_of_all = i + 1 == events_.size();
    const bool last =
        std::none_of(events_.begin() + static_cast<std::ptrdiff_t>(i) + 1, events_.end(),
                     [&](NodeId later) { return h_.node(later).thread == n.thread; });
    return last_of_all || (last && kind == ActionKind::kRead);
  }

  void visit(const State& state) {
    if (possible || !finished) return;
    if (state.done == events_.size()) {
      possible = true;
      return;
    }
    std::string key = state.world.key() + " " + std::to_string(state.done);
    for (const ThreadIndex t : state.stopped) key += " " + std::to_string(t);
    if (!seen_.insert(key).second) return;
    if (seen_.size() > limit_) finished = false;
    const NodeId wanted = events_[state.done];
    for (ThreadIndex t = 0; t < h_.threads(); ++t) {
      if (state.stopped.contains(t) || !state.world.can_move(t)) continue;
      const Node& at = h_.node(state.world.at(t));
      NodeId to = state.world.after(t);
      bool stops = false;
      if (to != wanted && h_.node(wanted).parent == state.world.at(t) && may_differ(state.done)) {
        to = wanted;
        stops = trust_ == Trust::kProved;
      }
      if (to == kNoNode) continue;
      const bool too_early =
          to != wanted && std::find(events_.begin(), events_.end(), to) != events_.end();
      if (too_early) continue;
      const bool signal = at.next->kind == ActionKind::kSignal;
      const auto choices =
          signal ? static_cast<std::uint32_t>(state.world.wakeable(at.next->object).size()) : 0;
      for (std::uint32_t c = 0; c < (choices == 0 ? 1 : choices); ++c) {
        State after = state;
        after.world.execute({t, c, choices, to});
        if (to == wanted) ++after.done;
        if (stops) after.stopped.insert(t);
        visit(after);
      }
    }
  }

  const Histories& h_;
  const std::vector<NodeId>& events_;
  Trust trust_;
  std::size_t limit_;
  std::set<std::string> seen_;
};

}  // namespace raddle::causal
