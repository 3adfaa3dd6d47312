#include "host/causal/world.hpp"

#include <algorithm>
#include <cstring>

namespace raddle::causal {

World::World(const Histories& histories) : h_(histories), threads_(histories.threads()) {
  for (ThreadIndex t = 0; t < threads_.size(); ++t) {
    const std::span<const NodeId> all = h_.on_thread(t);
    threads_[t].at = h_.root(t);
    threads_[t].begun = std::none_of(all.begin(), all.end(), [&](NodeId id) {
      return h_.node(id).event.action.kind == ActionKind::kCreate;
    });
  }
  for (const NodeId id : h_.opening()) execute({h_.node(id).thread, 0, 0, id});
}

std::vector<std::pair<std::uint64_t, int>> World::held(ThreadIndex thread) const {
  std::vector<std::pair<std::uint64_t, int>> found;
  for (const auto& [object, lock] : locks_) {
    const auto it = lock.holders.find(thread);
    if (it != lock.holders.end() && it->second != 0) found.emplace_back(object, it->second);
  }
  return found;
}

std::uint32_t World::semaphore(std::uint64_t object) const {
  const auto it = semaphores_.find(object);
  return it != semaphores_.end() ? it->second : h_.semaphore(object);
}

bool World::free_for(ThreadIndex thread, const Action& action) const {
  const auto it = locks_.find(action.object);
  if (it == locks_.end()) return true;
  for (const auto& [holder, count] : it->second.holders) {
    if (count == 0) continue;
    if (count < 0 && shares(action.kind)) continue;
    // Whoever takes its own lock once more is let in if some execution has shown that.
    if (holder == thread && count > 0 && !tries(action.kind) &&
        h_.node(threads_[thread].at).could_move)
      continue;
    if (holder == thread && count > 0 && tries(action.kind)) {
      const NodeId at = threads_[thread].at;
      const std::vector<NodeId>& children = h_.node(at).children;
      if (std::any_of(children.begin(), children.end(),
                      [&](NodeId id) { return h_.node(id).event.success; }))
        continue;
    }
    return false;
  }
  return true;
}

bool World::is_blocked(ThreadIndex thread) const {
  const Thread& t = threads_[thread];
  return t.begun && !t.ended && h_.node(t.at).next && !can_move(thread);
}

bool World::can_move(ThreadIndex thread) const {
  const Thread& t = threads_[thread];
  if (!t.begun || t.ended || exited_ || !h_.node(t.at).next) return false;
  const Action& a = next(thread);
  switch (a.kind) {
    case ActionKind::kLock:
    case ActionKind::kShare:
      return free_for(thread, a);
    case ActionKind::kWake:
      return t.signalled;
    case ActionKind::kDown:
      return semaphore(a.object) > 0;
    case ActionKind::kJoin:
      return a.object < threads_.size() && threads_[a.object].ended;
    case ActionKind::kEnter: {
      const std::string seen = bytes(a.address, a.size);
      const std::vector<NodeId> all = h_.entrances(a);
      return std::none_of(all.begin(), all.end(),
                          [&](NodeId id) { return h_.node(id).event.written == seen; });
    }
    case ActionKind::kPass: {
      std::uint64_t number = 0;
      std::memcpy(&number, bytes(a.object, sizeof number).data(), sizeof number);
      return number >= a.other;
    }
    case ActionKind::kNothing:
    case ActionKind::kRead:
    case ActionKind::kWrite:
    case ActionKind::kUpdate:
    case ActionKind::kTryLock:
    case ActionKind::kTryShare:
    case ActionKind::kUnlock:
    case ActionKind::kWait:
    case ActionKind::kSignal:
    case ActionKind::kBroadcast:
    case ActionKind::kPost:
    case ActionKind::kTryDown:
    case ActionKind::kCreate:
    case ActionKind::kEnd:
    case ActionKind::kExit:
      return true;
  }
  return true;
}

std::string World::bytes(std::uint64_t address, std::size_t size) const {
  std::string found;
  for (std::size_t i = 0; i < size; ++i) {
    const auto it = memory_.find(address + i);
    const std::uint8_t byte =
        it != memory_.end() ? it->second : h_.initial(address + i).value_or(0);
    found.push_back(static_cast<char>(byte));
  }
  return found;
}

Event World::outlook(ThreadIndex thread) const {
  const Action& a = next(thread);
  Event event{a};
  if (reads(a.kind)) {
    event.seen = bytes(a.address, a.size);
  } else if (a.kind == ActionKind::kTryLock || a.kind == ActionKind::kTryShare) {
    event.success = free_for(thread, a);
  } else if (a.kind == ActionKind::kTryDown) {
    event.success = semaphore(a.object) > 0;
  }
  return event;
}

NodeId World::after(ThreadIndex thread) const {
  const Event event = outlook(thread);
  for (const NodeId child : h_.node(threads_[thread].at).children) {
    const Event& known = h_.node(child).event;
    if (known.success == event.success && known.seen == event.seen) return child;
  }
  return kNoNode;
}

// The one thread that keeps it from taking a lock.
std::optional<ThreadIndex> World::waits_for(ThreadIndex thread) const {
  if (!is_blocked(thread) || !acquires(next(thread).kind)) return std::nullopt;
  const auto it = locks_.find(next(thread).object);
  std::optional<ThreadIndex> found;
  for (const auto& [holder, count] : it->second.holders) {
    if (count > 0) return holder;
    if (count == 0) continue;
    if (found) return std::nullopt;
    found = holder;
  }
  return found;
}

std::vector<ThreadIndex> World::lock_cycle() const {
  for (ThreadIndex t = 0; t < threads_.size(); ++t) {
    std::vector<ThreadIndex> cycle;
    std::optional<ThreadIndex> at = t;
    while (at && cycle.size() <= threads_.size()) {
      cycle.push_back(*at);
      at = waits_for(*at);
      if (at == t) return cycle;
    }
  }
  return {};
}

std::vector<ThreadIndex> World::wakeable(std::uint64_t object) const {
  std::vector<ThreadIndex> found;
  const auto it = waiters_.find(object);
  if (it == waiters_.end()) return found;
  for (const ThreadIndex t : it->second) {
    if (!threads_[t].signalled) found.push_back(t);
  }
  return found;
}

void World::release(ThreadIndex thread, std::uint64_t lock) {
  int& count = locks_[lock].holders[thread];
  count += count > 0 ? -1 : count < 0 ? 1 : 0;
}

void World::execute(const Move& move) {
  Thread& thread = threads_[move.thread];
  const NodeId to = move.to != kNoNode ? move.to : after(move.thread);
  const Event& e = h_.node(to).event;
  const Action& a = e.action;
  switch (a.kind) {
    case ActionKind::kNothing:
    case ActionKind::kRead:
    case ActionKind::kPass:
      break;
    case ActionKind::kWrite:
    case ActionKind::kUpdate:
    case ActionKind::kEnter:
      for (std::uint32_t i = 0; i < a.size; ++i)
        memory_[a.address + i] = static_cast<std::uint8_t>(e.written[i]);
      break;
    case ActionKind::kLock:
    case ActionKind::kTryLock:
    case ActionKind::kShare:
    case ActionKind::kTryShare:
      if (e.success) locks_[a.object].holders[move.thread] += shares(a.kind) ? -1 : 1;
      break;
    case ActionKind::kUnlock:
      release(move.thread, a.object);
      break;
    case ActionKind::kWait:
      release(move.thread, a.other);
      waiters_[a.object].push_back(move.thread);
      thread.signalled = false;
      break;
    case ActionKind::kWake:
      std::erase(waiters_[a.object], move.thread);
      thread.signalled = false;
      break;
    case ActionKind::kSignal: {
      const std::vector<ThreadIndex> able = wakeable(a.object);
      if (!able.empty()) threads_[able[move.woken]].signalled = true;
      break;
    }
    case ActionKind::kBroadcast:
      for (const ThreadIndex t : wakeable(a.object)) threads_[t].signalled = true;
      break;
    case ActionKind::kPost:
      ++semaphores_.emplace(a.object, h_.semaphore(a.object)).first->second;
      break;
    case ActionKind::kDown:
    case ActionKind::kTryDown:
      if (e.success) --semaphores_.emplace(a.object, h_.semaphore(a.object)).first->second;
      break;
    case ActionKind::kCreate:
      threads_[a.object].begun = true;
      break;
    case ActionKind::kEnd:
      thread.ended = true;
      break;
    case ActionKind::kJoin:
      break;
    case ActionKind::kExit:
      exited_ = true;
      break;
  }
  thread.at = to;
}

std::string World::key() const {
  std::string text;
  const auto add = [&](std::uint64_t value) { text += std::to_string(value) + " "; };
  for (const Thread& t : threads_) {
    add(raw(t.at));
    text += t.begun ? 'b' : ' ';
    text += t.signalled ? 's' : ' ';
  }
  for (const auto& [address, value] : memory_) {
    add(address);
    add(value);
  }
  for (const auto& [object, waiters] : waiters_) {
    add(object);
    for (const ThreadIndex t : waiters) add(t);
  }
  return text + (exited_ ? "x" : "");
}

}  // namespace raddle::causal
