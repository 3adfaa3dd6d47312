#include "host/causal/cone.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "host/causal/settled.hpp"

namespace raddle::causal {
namespace {

// Whether both leave or want the same in some byte that both have.
bool share_a_byte(const Event& writer, std::uint64_t address, const std::string& wanted) {
  const std::uint64_t begin = std::max(writer.action.address, address);
  const std::uint64_t end =
      std::min(writer.action.address + writer.written.size(), address + wanted.size());
  for (std::uint64_t i = begin; i < end; ++i) {
    if (writer.written[i - writer.action.address] == wanted[i - address]) return true;
  }
  return false;
}

class ConeBuilder {
 public:
  ConeBuilder(const Histories& histories, const Target* target) : h_(histories), target_(target) {
    if (target != nullptr) add_path(target->at);
  }

  // No target, but events.
  Cone build(const std::vector<NodeId>& events, const std::set<NodeId>& unseen) {
    unseen_ = unseen;
    for (const NodeId id : events) add_path(id);
    for (const NodeId id : events) {
      include(id);
      include_creator(h_.node(id).thread);
    }
    return settled();
  }

  Cone build() {
    // A round that gives way and nothing else.
    if (!observes(target_->action.kind) && !target_->known.empty()) return {};
    if (sees_nothing_new(h_, *target_)) return {};
    for (const NodeId id : path_) include(id);
    include_creator(h_.node(target_->at).thread);
    need_for_target();
    return settled();
  }

 private:
  void add_path(NodeId id) {
    for (; !h_.node(id).is_root(); id = h_.node(id).parent) path_.insert(id);
  }

  Cone settled() {
    for (const NodeId id : h_.opening()) include(id);
    do {
      settle();
    } while (include_releases());
    Cone cone;
    cone.possible = remove_the_dead();
    cone.nodes.assign(in_.begin(), in_.end());
    return cone;
  }

  ThreadIndex own() const { return h_.node(target_->at).thread; }

  void include(NodeId id) {
    for (; !h_.node(id).is_root(); id = h_.node(id).parent) {
      // The target's thread is on its way to the target, and nowhere else.
      if (target_ != nullptr && h_.node(id).thread == own() && !path_.contains(id)) return;
      if (!in_.insert(id).second) return;
      todo_.push_back(id);
    }
    include_creator(h_.node(id).thread);
  }

  void include_creator(ThreadIndex thread) {
    for (const NodeId id : h_.on_thread(thread)) {
      if (h_.node(id).event.action.kind == ActionKind::kCreate) include(id);
    }
  }

  template <class... Kinds>
  void include_on(std::uint64_t object, Kinds... kinds) {
    for (const NodeId id : h_.on_object(object)) {
      const ActionKind kind = h_.node(id).event.action.kind;
      if (((kind == kinds) || ...)) include(id);
    }
  }

  // A trial of the lock that fails needs somebody who holds it.
  void include_holders(std::uint64_t lock) {
    for (const NodeId id : h_.on_object(lock)) {
      const Event& e = h_.node(id).event;
      if (acquires(e.action.kind) && e.success) include(id);
    }
  }

  void settle() {
    while (!todo_.empty()) {
      const NodeId id = todo_.back();
      todo_.pop_back();
      need_for(h_.node(id).event);
    }
  }

  void need_for(const Event& e) {
    const Action& a = e.action;
    switch (a.kind) {
      case ActionKind::kRead:
      case ActionKind::kUpdate:
      case ActionKind::kEnter:
        for (const NodeId id : h_.writers(a.address, a.size)) {
          if (share_a_byte(h_.node(id).event, a.address, e.seen)) include(id);
        }
        break;
      case ActionKind::kTryLock:
      case ActionKind::kTryShare:
        if (!e.success) include_holders(a.object);
        break;
      case ActionKind::kDown:
        include_on(a.object, ActionKind::kPost);
        break;
      case ActionKind::kTryDown:
        include_on(a.object, ActionKind::kPost, ActionKind::kDown, ActionKind::kTryDown);
        break;
      case ActionKind::kWake:
        include_on(a.object, ActionKind::kSignal, ActionKind::kBroadcast);
        break;
      case ActionKind::kJoin:
        for (const NodeId id : h_.on_thread(static_cast<ThreadIndex>(a.object))) {
          if (h_.node(id).event.action.kind == ActionKind::kEnd) include(id);
        }
        break;
      case ActionKind::kPass:
        for (const NodeId id : h_.openers(a)) include(id);
        break;
      case ActionKind::kNothing:
      case ActionKind::kWrite:
      case ActionKind::kLock:
      case ActionKind::kShare:
      case ActionKind::kUnlock:
      case ActionKind::kWait:
      case ActionKind::kSignal:
      case ActionKind::kBroadcast:
      case ActionKind::kPost:
      case ActionKind::kCreate:
      case ActionKind::kEnd:
      case ActionKind::kExit:
        break;
    }
  }

  void need_for_target() {
    const Action& a = target_->action;
    if (reads(a.kind)) {
      for (const NodeId id : h_.writers(a.address, a.size)) include(id);
    } else if (tries(a.kind)) {
      if (a.kind == ActionKind::kTryDown || target_->asks_for(false)) need_for({a, false, "", ""});
    } else {
      need_for({a});
    }
  }

  // Who shares a lock with others must be able to give it back.
  bool include_releases() {
    std::map<std::uint64_t, std::set<ThreadIndex>> users;
    std::vector<NodeId> acquisitions;
    for (const NodeId id : in_) {
      const Node& n = h_.node(id);
      if (!acquires(n.event.action.kind) || !n.event.success) continue;
      users[n.event.action.object].insert(n.thread);
      acquisitions.push_back(id);
    }
    if (target_ != nullptr && acquires(target_->action.kind))
      users[target_->action.object].insert(own());
    for (const NodeId id : acquisitions) {
      if (users[h_.node(id).event.action.object].size() < 2) continue;
      for (const NodeId release : releases_after(h_, id)) include(release);
    }
    return !todo_.empty();
  }

  bool can_begin(const Node& n) const {
    if (!h_.node(n.parent).is_root()) return in_.contains(n.parent);
    bool created = false;
    for (const NodeId id : h_.on_thread(n.thread)) {
      if (h_.node(id).event.action.kind != ActionKind::kCreate) continue;
      if (in_.contains(id)) return true;
      created = true;
    }
    return !created;
  }

  bool any_on(std::uint64_t object, ActionKind a, ActionKind b) const {
    const std::span<const NodeId> all = h_.on_object(object);
    return std::any_of(all.begin(), all.end(), [&](NodeId id) {
      const ActionKind kind = h_.node(id).event.action.kind;
      return (kind == a || kind == b) && in_.contains(id);
    });
  }

  bool can_read(const Action& a, const std::string& seen) const {
    const std::vector<NodeId> writers = h_.writers(a.address, a.size);
    for (std::uint64_t i = 0; i < seen.size(); ++i) {
      const std::string one = seen.substr(i, 1);
      const std::optional<std::uint8_t> initial = h_.initial(a.address + i);
      if (!initial || *initial == static_cast<std::uint8_t>(seen[i])) continue;
      const bool written = std::any_of(writers.begin(), writers.end(), [&](NodeId id) {
        return in_.contains(id) && share_a_byte(h_.node(id).event, a.address + i, one);
      });
      if (!written) return false;
    }
    return true;
  }

  // Whether something in the cone may enable it.
  bool can_happen(const Event& e) const {
    const Action& a = e.action;
    if (reads(a.kind)) return can_read(a, e.seen);
    if (a.kind == ActionKind::kDown)
      return h_.semaphore(a.object) > 0 || any_on(a.object, ActionKind::kPost, ActionKind::kPost);
    if (a.kind == ActionKind::kPass) {
      const std::vector<NodeId> all = h_.openers(a);
      return std::any_of(all.begin(), all.end(), [&](NodeId id) { return in_.contains(id); });
    }
    if (a.kind == ActionKind::kWake)
      return any_on(a.object, ActionKind::kSignal, ActionKind::kBroadcast);
    if (a.kind == ActionKind::kJoin) {
      const std::span<const NodeId> all = h_.on_thread(static_cast<ThreadIndex>(a.object));
      return std::any_of(all.begin(), all.end(), [&](NodeId id) {
        return h_.node(id).event.action.kind == ActionKind::kEnd && in_.contains(id);
      });
    }
    return true;
  }

  // Takes out what cannot happen, until nothing changes. False: the target is among it.
  bool remove_the_dead() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto it = in_.begin(); it != in_.end();) {
        const Node& n = h_.node(*it);
        if (can_begin(n) && (unseen_.contains(*it) || can_happen(n.event))) {
          ++it;
          continue;
        }
        if (path_.contains(*it)) return false;
        it = in_.erase(it);
        changed = true;
      }
    }
    if (target_ == nullptr) return true;
    if (path_.empty()) {
      Node first;
      first.parent = target_->at;
      first.thread = own();
      if (!can_begin(first)) return false;
    }
    if (reads(target_->action.kind)) return some_new_value();
    return tries(target_->action.kind) || can_happen({target_->action});
  }

  // Some byte of the target may be other than in each of the known values.
  bool some_new_value() const {
    const Action& a = target_->action;
    const std::vector<NodeId> writers = h_.writers(a.address, a.size);
    for (const Event* known : target_->known) {
      bool differs = false;
      for (std::uint64_t i = 0; i < a.size && !differs; ++i) {
        const std::optional<std::uint8_t> initial = h_.initial(a.address + i);
        const std::string one = known->seen.substr(i, 1);
        differs = !initial || *initial != static_cast<std::uint8_t>(one[0]);
        for (std::size_t w = 0; w < writers.size() && !differs; ++w) {
          const Event& e = h_.node(writers[w]).event;
          differs = in_.contains(writers[w]) && e.action.address <= a.address + i &&
                    a.address + i < e.action.address + e.action.size &&
                    !share_a_byte(e, a.address + i, one);
        }
      }
      if (!differs) return false;
    }
    return true;
  }

  const Histories& h_;
  const Target* target_;  // null: there are only events
  std::set<NodeId> unseen_;
  std::set<NodeId> path_;
  std::set<NodeId> in_;
  std::vector<NodeId> todo_;
};

}  // namespace

namespace {

// Whether others may notice what the thread did, so that it did not only wait.
bool has_effect(const Event& e) {
  switch (e.action.kind) {
    case ActionKind::kNothing:
    case ActionKind::kRead:
    case ActionKind::kLock:
    case ActionKind::kTryLock:
    case ActionKind::kShare:
    case ActionKind::kTryShare:
    case ActionKind::kUnlock:
    case ActionKind::kTryDown:
      return e.action.kind == ActionKind::kTryDown && e.success;
    case ActionKind::kUpdate:
    case ActionKind::kEnter:
      return e.seen != e.written;
    case ActionKind::kWrite:
    case ActionKind::kPass:
    case ActionKind::kWait:
    case ActionKind::kWake:
    case ActionKind::kSignal:
    case ActionKind::kBroadcast:
    case ActionKind::kPost:
    case ActionKind::kDown:
    case ActionKind::kCreate:
    case ActionKind::kJoin:
    case ActionKind::kEnd:
    case ActionKind::kExit:
      return true;
  }
  return true;
}

int enough_looks(const Node& n) {
  return n.cut_off && n.children.empty() ? kLooksAtFailure : kLooks;
}

// What the thread at the node has seen there often enough; null: nothing.
const Event* seen_enough(const Histories& h, NodeId at) {
  const Action& next = *h.node(at).next;
  const Event* seen = nullptr;
  int looks = 0;
  bool idle = h.node(at).idle;
  for (NodeId id = at; !h.node(id).is_root(); id = h.node(id).parent) {
    const Event& e = h.node(id).event;
    if (has_effect(e)) return nullptr;
    idle |= h.node(h.node(id).parent).idle;
    if (e.action != next) continue;
    if (!idle || (seen != nullptr && (seen->seen != e.seen || seen->success != e.success)))
      return nullptr;
    seen = &e;
    idle = h.node(h.node(id).parent).idle;
    if (++looks == enough_looks(h.node(at))) return seen;
  }
  return nullptr;
}

}  // namespace

bool is_given_up(const Histories& histories, NodeId at) {
  const Node& n = histories.node(at);
  return n.next && n.cut_off && n.children.empty() && seen_enough(histories, at) != nullptr;
}

bool Target::asks_for(bool success) const {
  return std::none_of(known.begin(), known.end(),
                      [&](const Event* e) { return e->success == success; });
}

Target target_of(const Histories& histories, NodeId at) {
  const Node& n = histories.node(at);
  Target target{at, *n.next, {}, {}};
  for (const NodeId child : n.children) target.known.push_back(&histories.node(child).event);
  if (const Event* enough = seen_enough(histories, at)) target.known.push_back(enough);
  if (n.next->kind == ActionKind::kEnter) {
    for (const NodeId id : histories.entrances(*n.next)) {
      Event under_way{*n.next};
      under_way.seen = histories.node(id).event.written;
      target.excluded.push_back(std::make_shared<const Event>(std::move(under_way)));
      target.known.push_back(target.excluded.back().get());
    }
  }
  return target;
}

Cone cone_of(const Histories& histories, const Target& target) {
  return ConeBuilder(histories, &target).build();
}

Cone cone_of(const Histories& histories, const std::vector<NodeId>& events,
             const std::set<NodeId>& unseen) {
  return ConeBuilder(histories, nullptr).build(events, unseen);
}

Cone whole(const Histories& histories) {
  Cone cone{true, {}};
  for (std::uint32_t i = 0; i < histories.size(); ++i) {
    if (!histories.node(NodeId{i}).is_root()) cone.nodes.push_back(NodeId{i});
  }
  return cone;
}

std::vector<NodeId> releases_after(const Histories& histories, NodeId node) {
  const std::uint64_t lock = histories.node(node).event.action.object;
  std::vector<NodeId> found;
  std::vector<NodeId> todo = histories.node(node).children;
  while (!todo.empty()) {
    const NodeId id = todo.back();
    todo.pop_back();
    const Node& n = histories.node(id);
    if (releases(n.event.action) && released_lock(n.event.action) == lock &&
        histories.held(id, lock) == 0) {
      found.push_back(id);
    } else {
      todo.insert(todo.end(), n.children.begin(), n.children.end());
    }
  }
  return found;
}

}  // namespace raddle::causal
