#include "host/causal/histories.hpp"

#include <algorithm>
#include <cstring>

namespace raddle::causal {
namespace {

std::span<const NodeId> find(const std::map<std::uint64_t, std::vector<NodeId>>& index,
                             std::uint64_t key) {
  const auto it = index.find(key);
  return it != index.end() ? std::span<const NodeId>(it->second) : std::span<const NodeId>();
}

bool same_outcome(const Event& a, const Event& b) {
  return a.success == b.success && a.seen == b.seen;
}

}  // namespace

NodeId Histories::root(ThreadIndex thread) {
  while (roots_.size() <= thread) {
    const NodeId id{size()};
    nodes_.push_back({});
    nodes_.back().thread = static_cast<ThreadIndex>(roots_.size());
    roots_.push_back(id);
  }
  return roots_[thread];
}

std::optional<Contradiction> Histories::announce(NodeId at, const Action& next, bool could_move) {
  Node& node = nodes_[raw(at)];
  if (node.next && *node.next != next)
    return Contradiction{node.thread, node.depth, {*node.next}, {next}};
  node.next = next;
  node.could_move |= could_move;
  return std::nullopt;
}

std::optional<Contradiction> Histories::advance(NodeId at, const Event& event, NodeId* to) {
  if (std::optional<Contradiction> wrong = announce(at, event.action, true)) return wrong;
  const Node& node = nodes_[raw(at)];
  for (const NodeId child : node.children) {
    const Event& known = nodes_[raw(child)].event;
    if (!same_outcome(known, event)) {
      if (observes(event.action.kind)) continue;
    } else if (known == event) {
      *to = child;
      return std::nullopt;
    }
    return Contradiction{node.thread, node.depth, known, event};
  }
  const NodeId id{size()};
  Node child;
  child.parent = at;
  child.thread = node.thread;
  child.depth = node.depth + 1;
  child.event = event;
  nodes_.push_back(std::move(child));
  nodes_[raw(at)].children.push_back(id);
  index(id);
  *to = id;
  return std::nullopt;
}

void Histories::begins_with(std::uint64_t address, std::uint8_t value) {
  const auto [it, added] = initial_.emplace(address, value);
  if (!added && it->second != value) it->second.reset();
}

std::optional<std::uint8_t> Histories::initial(std::uint64_t address) const {
  const auto it = initial_.find(address);
  return it != initial_.end() ? it->second : std::nullopt;
}

void Histories::semaphore_begins_with(std::uint64_t object, std::uint32_t count, bool at_least) {
  const auto [it, added] = semaphores_.try_emplace(object, Semaphore{count, at_least});
  if (!added && it->second.at_least && !at_least) it->second = {count, false};
}

std::uint32_t Histories::semaphore(std::uint64_t object) const {
  const auto it = semaphores_.find(object);
  return it != semaphores_.end() ? it->second.count : 0;
}

int Histories::held(NodeId at, std::uint64_t lock) const {
  std::vector<const Event*> events;
  for (; !node(at).is_root(); at = node(at).parent) {
    const Event& e = node(at).event;
    const bool takes = acquires(e.action.kind) && e.success && e.action.object == lock;
    const bool gives = releases(e.action) && released_lock(e.action) == lock;
    if (takes || gives) events.push_back(&e);
  }
  int count = 0;
  for (auto it = events.rbegin(); it != events.rend(); ++it) {
    const ActionKind kind = (*it)->action.kind;
    if (!acquires(kind)) {
      count += count > 0 ? -1 : count < 0 ? 1 : 0;
    } else {
      count += shares(kind) ? -1 : 1;
    }
  }
  return count;
}

std::span<const NodeId> Histories::on_object(std::uint64_t object) const {
  return find(by_object_, object);
}
std::span<const NodeId> Histories::on_thread(ThreadIndex thread) const {
  return find(by_thread_, thread);
}

std::vector<NodeId> Histories::writers(std::uint64_t address, std::uint32_t size) const {
  std::vector<NodeId> all;
  for (auto it = writers_.lower_bound(address); it != writers_.end() && it->first < address + size;
       ++it)
    all.insert(all.end(), it->second.begin(), it->second.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<NodeId> Histories::openers(const Action& pass) const {
  std::vector<NodeId> all = writers(pass.object, sizeof pass.other);
  std::erase_if(all, [&](NodeId id) {
    std::uint64_t number = 0;
    const Event& e = node(id).event;
    if (e.action.address != pass.object || e.written.size() != sizeof number) return true;
    std::memcpy(&number, e.written.data(), sizeof number);
    return number != pass.other;
  });
  return all;
}

std::vector<NodeId> Histories::entrances(const Action& enter) const {
  std::vector<NodeId> all = writers(enter.address, enter.size);
  std::erase_if(all, [&](NodeId id) {
    const Event& e = node(id).event;
    return e.action.kind != ActionKind::kEnter || e.seen == e.written ||
           e.action.address != enter.address || e.action.size != enter.size;
  });
  return all;
}

bool Histories::is_before(NodeId a, NodeId b) const {
  while (!node(b).is_root() && node(b).depth > node(a).depth) b = node(b).parent;
  return a == b;
}

void Histories::index(NodeId id) {
  const Node& n = node(id);
  const Action& a = n.event.action;
  switch (a.kind) {
    case ActionKind::kNothing:
    case ActionKind::kRead:
    case ActionKind::kPass:
    case ActionKind::kExit:
      break;
    case ActionKind::kWrite:
    case ActionKind::kUpdate:
    case ActionKind::kEnter:
      for (std::uint32_t i = 0; i < a.size; ++i) writers_[a.address + i].push_back(id);
      break;
    case ActionKind::kWait:
      by_object_[a.object].push_back(id);
      by_object_[a.other].push_back(id);
      break;
    case ActionKind::kLock:
    case ActionKind::kTryLock:
    case ActionKind::kShare:
    case ActionKind::kTryShare:
    case ActionKind::kUnlock:
    case ActionKind::kWake:
    case ActionKind::kSignal:
    case ActionKind::kBroadcast:
    case ActionKind::kPost:
    case ActionKind::kDown:
    case ActionKind::kTryDown:
      by_object_[a.object].push_back(id);
      break;
    case ActionKind::kCreate:
    case ActionKind::kJoin:
      by_thread_[a.object].push_back(id);
      break;
    case ActionKind::kEnd:
      by_thread_[n.thread].push_back(id);
      break;
  }
}

}  // namespace raddle::causal
