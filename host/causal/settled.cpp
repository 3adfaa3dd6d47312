#include "host/causal/settled.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace raddle::causal {
namespace {

bool is_memory(const Action& a) { return reads(a.kind) || writes(a.kind); }

bool overlaps(const Action& a, const Action& b) {
  return is_memory(a) && a.address < b.address + b.size && b.address < a.address + a.size;
}

bool covers(const Action& a, const Action& b) {
  return is_memory(a) && a.address <= b.address && b.address + b.size <= a.address + a.size;
}

// The locks that the thread holds at the node: how many times; negative: shared.
std::map<std::uint64_t, int> locks_at(const Histories& h, NodeId at) {
  std::map<std::uint64_t, int> held;
  for (NodeId id = at; !h.node(id).is_root(); id = h.node(id).parent) {
    const Event& e = h.node(id).event;
    if (acquires(e.action.kind) && e.success) held.try_emplace(e.action.object, 0);
  }
  for (auto& [lock, count] : held) count = h.held(at, lock);
  std::erase_if(held, [](const auto& entry) { return entry.second == 0; });
  return held;
}

// Whoever is at the node cannot be there while another thread holds `ours`.
bool is_kept_out(const Histories& h, NodeId writer, const std::map<std::uint64_t, int>& ours) {
  return std::any_of(ours.begin(), ours.end(), [&](const auto& entry) {
    const int theirs = h.held(writer, entry.first);
    return theirs > 0 || (theirs < 0 && entry.second > 0);
  });
}

}  // namespace

bool sees_nothing_new(const Histories& h, const Target& target) {
  const Action& a = target.action;
  if (!reads(a.kind) || target.known.empty()) return false;
  std::set<std::uint64_t> released;
  NodeId last = target.at;  // the access before
  for (;; last = h.node(last).parent) {
    if (h.node(last).is_root()) return false;
    const Event& e = h.node(last).event;
    if (covers(e.action, a)) break;
    if (overlaps(e.action, a) && writes(e.action.kind)) return false;
    if (releases(e.action)) released.insert(released_lock(e.action));
  }
  const Event& before = h.node(last).event;
  const std::string& bytes = writes(before.action.kind) ? before.written : before.seen;
  const std::string value = bytes.substr(a.address - before.action.address, a.size);
  const bool known = std::any_of(target.known.begin(), target.known.end(),
                                 [&](const Event* e) { return e->seen == value; });
  if (!known) return false;
  std::map<std::uint64_t, int> ours = locks_at(h, last);
  std::erase_if(ours, [&](const auto& entry) { return released.contains(entry.first); });
  const std::vector<NodeId> writers = h.writers(a.address, a.size);
  return std::all_of(writers.begin(), writers.end(), [&](NodeId id) {
    return h.node(id).thread == h.node(target.at).thread || is_kept_out(h, id, ours);
  });
}

bool takes_one_lock_at_a_time(const Histories& h) {
  for (std::uint32_t i = 0; i < h.size(); ++i) {
    const std::optional<Action>& next = h.node(NodeId{i}).next;
    const bool waits =
        next && (next->kind == ActionKind::kLock || next->kind == ActionKind::kShare);
    if (waits && !locks_at(h, NodeId{i}).empty()) return false;
  }
  return true;
}

bool always_gets_on(const Histories& h) {
  std::set<ThreadIndex> joining;
  std::set<ThreadIndex> joined;
  for (std::uint32_t i = 0; i < h.size(); ++i) {
    const Node& n = h.node(NodeId{i});
    if (n.ends && !locks_at(h, NodeId{i}).empty()) return false;
    if (!n.next) continue;
    switch (n.next->kind) {
      case ActionKind::kWake:
      case ActionKind::kDown:
      case ActionKind::kPass:
      case ActionKind::kEnter:
        return false;
      case ActionKind::kJoin:
        joining.insert(n.thread);
        joined.insert(static_cast<ThreadIndex>(n.next->object));
        [[fallthrough]];
      case ActionKind::kLock:
      case ActionKind::kShare:
        if (!locks_at(h, NodeId{i}).empty()) return false;
        break;
      default:
        break;
    }
  }
  return std::none_of(joined.begin(), joined.end(),
                      [&](ThreadIndex t) { return joining.contains(t); });
}

}  // namespace raddle::causal
