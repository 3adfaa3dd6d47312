#include "host/causal/guess.hpp"

#include <algorithm>
#include <set>

namespace raddle::causal {
namespace {

// Who goes first, of threads that can.
enum class Preference {
  kRecorded,  // whoever came first when the execution was recorded
  kTurn,      // who executes the next of the events; others only if it cannot
};
// Where a thread waits for its turn.
enum class Hold {
  kEvent,    // right before the event
  kSection,  // before it takes the first of the locks that it holds there
};

// Nodes of one execution have numbers in the order in which their events came.
class Attempt {
 public:
  Attempt(const Histories& histories, const std::map<NodeId, bool>& unseen, Preference preference)
      : h_(histories), world_(histories), unseen_(unseen), preference_(preference) {}

  // The thread of the node does not execute its event before `events` has come to it.
  void hold(NodeId event, NodeId before) { holds_[event] = before; }
  // The thread stays at the node for ever.
  void stay(NodeId at) { stays_[h_.node(at).thread] = at; }

  bool execute_in_order(const std::vector<NodeId>& events) {
    events_ = &events;
    while (done_ < events.size()) {
      if (!step(h_.node(events[done_]).thread)) return false;
    }
    return true;
  }

  bool bring_to(const std::vector<NodeId>& at) {
    for (;;) {
      const auto open = std::find_if(at.begin(), at.end(), [&](NodeId id) {
        const ThreadIndex t = h_.node(id).thread;
        return !world_.exists(t) || world_.at(t) != id;
      });
      if (open == at.end()) return true;
      if (!step(h_.node(*open).thread)) return false;
    }
  }

  const World& world() const { return world_; }
  std::vector<Move>& schedule() { return schedule_; }

 private:
  // Where the thread goes next; kNoNode: it cannot, or must not.
  NodeId goes_to(ThreadIndex t) const {
    if (!world_.exists(t) || stopped_.contains(t)) return kNoNode;
    const NodeId at = world_.at(t);
    const Node& n = h_.node(at);
    const auto stays = stays_.find(t);
    if (n.children.size() != 1 || (stays != stays_.end() && stays->second == at)) return kNoNode;
    const NodeId to = n.children.front();
    if (is_held(t, to) || !world_.can_move(t)) return kNoNode;
    if (world_.after(t) != to && !unseen_.contains(to)) return kNoNode;
    return to;
  }

  bool is_held(ThreadIndex t, NodeId to) const {
    if (events_ == nullptr) return false;
    for (std::size_t i = done_ + 1; i < events_->size(); ++i) {
      const NodeId event = (*events_)[i];
      if (h_.node(event).thread != t) continue;
      // Its own turn may come before.
      if (h_.node((*events_)[done_]).thread == t) return to == event;
      const auto it = holds_.find(event);
      return to == (it != holds_.end() ? it->second : event);
    }
    return false;
  }

  // Of those that can go on, who came first when the execution was recorded.
  NodeId earliest(ThreadIndex& chosen) const {
    NodeId to = kNoNode;
    for (ThreadIndex t = 0; t < h_.threads(); ++t) {
      const NodeId next = goes_to(t);
      if (next == kNoNode || next > to) continue;
      to = next;
      chosen = t;
    }
    return to;
  }

  bool step(ThreadIndex turn) {
    ThreadIndex chosen = turn;
    NodeId to = preference_ == Preference::kTurn ? goes_to(turn) : kNoNode;
    if (to == kNoNode) to = earliest(chosen);
    if (to == kNoNode) return false;
    execute(chosen, to);
    return true;
  }

  void execute(ThreadIndex t, NodeId to) {
    Move move{t};
    const Action& action = h_.node(to).event.action;
    if (action.kind == ActionKind::kSignal) {
      const std::vector<ThreadIndex> able = world_.wakeable(action.object);
      move.could_wake = static_cast<std::uint32_t>(able.size());
      // Whoever came back first.
      const auto first = std::min_element(able.begin(), able.end(),
                                          [&](auto a, auto b) { return wake_of(a) < wake_of(b); });
      if (first != able.end()) move.woken = static_cast<std::uint32_t>(first - able.begin());
    }
    if (world_.after(t) != to) {
      move.to = to;
      if (unseen_.at(to)) stopped_.insert(t);
    }
    world_.execute(move);
    schedule_.push_back(move);
    if (events_ != nullptr && done_ < events_->size() && (*events_)[done_] == to) ++done_;
  }

  NodeId wake_of(ThreadIndex t) const {
    const std::vector<NodeId>& children = h_.node(world_.at(t)).children;
    return children.empty() ? kNoNode : children.front();
  }

  const Histories& h_;
  World world_;
  const std::map<NodeId, bool>& unseen_;
  Preference preference_;
  const std::vector<NodeId>* events_ = nullptr;
  std::size_t done_ = 0;            // of the events
  std::map<NodeId, NodeId> holds_;  // by event
  std::map<ThreadIndex, NodeId> stays_;
  std::set<ThreadIndex> stopped_;
  std::vector<Move> schedule_;
};

// The event that takes the first of the locks that the thread holds before the event.
NodeId section_of(const Histories& h, NodeId event) {
  NodeId found = event;
  std::map<std::uint64_t, int> released;
  for (NodeId id = h.node(event).parent; !h.node(id).is_root(); id = h.node(id).parent) {
    const Event& e = h.node(id).event;
    if (releases(e.action)) ++released[released_lock(e.action)];
    if (!acquires(e.action.kind) || !e.success) continue;
    if (--released[e.action.object] < 0) {
      found = id;
      released[e.action.object] = 0;
    }
  }
  return found;
}

bool is_held_at_all(const std::map<NodeId, NodeId>& sections) {
  return std::any_of(sections.begin(), sections.end(),
                     [](const auto& entry) { return entry.first != entry.second; });
}

}  // namespace

std::optional<std::vector<Move>> guess_order(const Histories& histories,
                                             const std::vector<NodeId>& events,
                                             const std::map<NodeId, bool>& unseen) {
  std::map<NodeId, NodeId> sections;
  for (const NodeId event : events) sections[event] = section_of(histories, event);
  for (const Hold hold : {Hold::kSection, Hold::kEvent}) {
    if (hold == Hold::kSection && !is_held_at_all(sections)) continue;
    for (const Preference preference : {Preference::kTurn, Preference::kRecorded}) {
      Attempt attempt(histories, unseen, preference);
      for (const auto& [event, section] : sections)
        attempt.hold(event, hold == Hold::kSection ? section : event);
      if (attempt.execute_in_order(events) && attempt.world().lock_cycle().empty())
        return std::move(attempt.schedule());
    }
  }
  return std::nullopt;
}

std::optional<std::vector<Move>> guess_meeting(const Histories& histories,
                                               const std::vector<NodeId>& at) {
  std::vector<NodeId> order = at;
  const std::map<NodeId, bool> unseen;
  for (const Preference preference : {Preference::kRecorded, Preference::kTurn}) {
    for (int turn = 0; turn < 2; ++turn) {
      Attempt attempt(histories, unseen, preference);
      for (const NodeId id : at) attempt.stay(id);
      if (attempt.bring_to(order) && attempt.world().lock_cycle().empty())
        return std::move(attempt.schedule());
      std::reverse(order.begin(), order.end());
    }
  }
  return std::nullopt;
}

}  // namespace raddle::causal
