// The slow and obvious way to what the questions ask: all interleavings of the known events, one
// after the other. For tests.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "host/causal/cone.hpp"
#include "host/causal/question.hpp"

namespace raddle::causal {

class AllInterleavings {
 public:
  // Empty `news` and `deadlocks` that are cut off at a limit mean nothing: see `finished`.
  AllInterleavings(const Histories& histories, std::size_t limit) : h_(histories), limit_(limit) {
    visit(World(histories));
  }

  std::set<NodeId> news;  // nodes from which something can come that is not known
  std::set<Blocked> deadlocks;
  std::set<std::pair<NodeId, NodeId>> meetings;  // where two threads can stand at the same time
  bool finished = true;

 private:
  void visit(const World& world) {
    if (!seen_.insert(world.key()).second) return;
    if (seen_.size() > limit_) finished = false;
    if (!finished) return;
    for (ThreadIndex a = 0; a < h_.threads(); ++a) {
      for (ThreadIndex b = 0; b < a; ++b) {
        if (world.exists(a) && world.exists(b)) meetings.insert({world.at(b), world.at(a)});
      }
    }
    bool moves = false;
    bool all_known = true;
    Blocked blocked;
    for (ThreadIndex t = 0; t < h_.threads(); ++t) {
      const Node& n = h_.node(world.at(t));
      if (world.is_blocked(t)) blocked.insert({t, n.next->site});
      if (world.exists(t) && !n.next && !n.ends) all_known = false;
      if (!world.can_move(t)) continue;
      moves = true;
      if (world.after(t) == kNoNode) {
        news.insert(world.at(t));
        continue;
      }
      const bool signal = n.next->kind == ActionKind::kSignal;
      const auto choices =
          signal ? static_cast<std::uint32_t>(world.wakeable(n.next->object).size()) : 0;
      for (std::uint32_t c = 0; c < (choices == 0 ? 1 : choices); ++c) {
        World after = world;
        after.execute({t, c, choices});
        visit(after);
      }
    }
    if (!moves && all_known && !blocked.empty()) deadlocks.insert(blocked);
  }

  const Histories& h_;
  std::size_t limit_;
  std::set<std::string> seen_;
};

}  // namespace raddle::causal
