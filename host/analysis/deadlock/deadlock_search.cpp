// The search for cycles among the dependencies, and their report. Once, at the end.
#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/deadlock/deadlock.hpp"

namespace raddle {

// a wants what b holds, and cannot have it.
bool DeadlockDetector::waits_for(const Dependency& a, const Dependency& b) const {
  for (const Held& held : b.held)
    if (held.lock == a.acquired.lock) return !(held.shared && a.acquired.shared);
  return false;
}

bool DeadlockDetector::gated(const Dependency& a, const Dependency& b) const {
  for (const Held& mine : a.held)
    for (const Held& other : b.held)
      if (mine.lock == other.lock && !(mine.shared && other.shared)) return true;
  return false;
}

// Is there a time for each, so that no one happens before another? Then `times` says which. The
// thread's own component grows with everything that can order it before others.
bool DeadlockDetector::simultaneous(const std::vector<std::uint32_t>& cycle,
                                    std::vector<std::size_t>& times) const {
  const std::size_t i = times.size();
  if (i == cycle.size()) return true;
  const Dependency& mine = dependencies_[cycle[i]];
  for (std::size_t time = 0; time < mine.times.size(); ++time) {
    bool fits = true;
    for (std::size_t k = 0; k < i && fits; ++k) {
      const Dependency& other = dependencies_[cycle[k]];
      const VectorClock &a = mine.times[time], &b = other.times[times[k]];
      fits = !a.knows(b.epoch(other.slot)) && !b.knows(a.epoch(mine.slot));
    }
    if (!fits) continue;
    times.push_back(time);
    if (simultaneous(cycle, times)) return true;
    times.pop_back();
  }
  return false;
}

// The strongly connected components of the graph of locks, in which a dependency leads from each
// lock held to the lock acquired: by lock, the number of its component. Tarjan's algorithm without
// recursion, since a chain of locks can be as long as a list that is walked hand over hand.
std::vector<std::uint32_t> DeadlockDetector::components() const {
  const std::size_t locks = last_lock_ + std::size_t{1};
  std::vector<std::uint32_t> low(locks), order(locks), component(locks), stack;
  std::vector<bool> on_stack(locks);
  std::uint32_t visited = 0, found = 0;
  struct Visit {
    LockNumber lock;
    std::size_t next;  // in holders_[lock]
  };
  std::vector<Visit> visits;
  const auto enter = [&](LockNumber lock) {
    order[lock] = low[lock] = ++visited;
    stack.push_back(lock);
    on_stack[lock] = true;
    visits.push_back({lock, 0});
  };
  for (LockNumber root = 1; root < locks; ++root) {
    if (order[root] == 0) enter(root);
    while (!visits.empty()) {
      const LockNumber lock = visits.back().lock;
      if (visits.back().next < holders_[lock].size()) {
        const LockNumber to = dependencies_[holders_[lock][visits.back().next++]].acquired.lock;
        if (order[to] == 0)
          enter(to);
        else if (on_stack[to])
          low[lock] = std::min(low[lock], order[to]);
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) low[visits.back().lock] = std::min(low[visits.back().lock], low[lock]);
      if (low[lock] != order[lock]) continue;
      ++found;
      for (LockNumber member = 0; member != lock; stack.pop_back()) {
        member = stack.back();
        on_stack[member] = false;
        component[member] = found;
      }
    }
  }
  return component;
}

// Leaves in holders_ only what can be in a cycle; true for those dependencies.
std::vector<bool> DeadlockDetector::prune() {
  holders_.assign(last_lock_ + std::size_t{1}, {});
  for (std::uint32_t i = 0; i < dependencies_.size(); ++i)
    for (const Held& lock : dependencies_[i].held) holders_[lock.lock].push_back(i);
  const std::vector<std::uint32_t> component = components();
  std::vector<bool> cyclic(dependencies_.size());
  for (LockNumber lock = 1; lock <= last_lock_; ++lock) {
    std::erase_if(holders_[lock], [&](std::uint32_t i) {
      return component[dependencies_[i].acquired.lock] != component[lock];
    });
    for (std::uint32_t i : holders_[lock]) cyclic[i] = true;
  }
  return cyclic;
}

// The path is a chain of dependencies, each waiting for the next; its first is the lowest, so that
// each cycle is met once.
void DeadlockDetector::extend(std::vector<std::uint32_t>& path) {
  const Dependency& last = dependencies_[path.back()];
  if (path.size() > 1 && waits_for(last, dependencies_[path.front()])) report(path);
  if (path.size() >= options_.max_cycle) return;
  const std::vector<std::uint32_t>& next = holders_[last.acquired.lock];
  for (auto at = std::upper_bound(next.begin(), next.end(), path.front()); at != next.end(); ++at) {
    if (searched_ >= options_.max_cycle_search) return;
    ++searched_;
    const Dependency& dependency = dependencies_[*at];
    if (!waits_for(last, dependency)) continue;
    const bool fits = std::none_of(path.begin(), path.end(), [&](std::uint32_t other) {
      return dependencies_[other].thread == dependency.thread ||
             gated(dependencies_[other], dependency);
    });
    if (!fits) continue;
    path.push_back(*at);
    extend(path);
    path.pop_back();
  }
}

void DeadlockDetector::finish() {
  const std::vector<bool> alive = prune();
  for (std::uint32_t first = 0; first < dependencies_.size(); ++first) {
    if (!alive[first]) continue;
    std::vector<std::uint32_t> path{first};
    extend(path);
  }
  if (searched_ >= options_.max_cycle_search)
    state_.note(
        fmt::format("deadlock: the search for cycles of locks was stopped after {} steps; "
                    "there may be more",
                    options_.max_cycle_search));
  if (std::count(alive.begin(), alive.end(), true) > options_.max_cycle)
    state_.note(fmt::format("deadlock: cycles of more than {} locks are not looked for",
                            options_.max_cycle));
}

void DeadlockDetector::report(const std::vector<std::uint32_t>& cycle) {
  std::vector<std::size_t> times;
  if (!simultaneous(cycle, times)) return;
  std::vector<std::uint64_t> places;
  std::vector<std::string> keys;
  std::vector<FindingStep> steps;
  std::string locks, told;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const Dependency& dependency = dependencies_[cycle[i]];
    const Dependency& before = dependencies_[cycle[(i + cycle.size() - 1) % cycle.size()]];
    // What the one before waits for.
    const Held& held =
        *std::find_if(dependency.held.begin(), dependency.held.end(),
                      [&](const Held& lock) { return lock.lock == before.acquired.lock; });
    places.push_back(mix(state_.stable(held.point), state_.stable(dependency.acquired.point)));
    if (all_cycles != nullptr) {
      std::string key = fmt::format("T{}{{", raw(state_.thread(dependency.thread)));
      for (const Held& lock : dependency.held)
        key += fmt::format("{:x}{}", lock.address, lock.shared ? " " : "! ");
      keys.push_back(fmt::format("{}}}{:x}{}", key, dependency.acquired.address,
                                 dependency.acquired.shared ? "" : "!"));
    }
    steps.push_back(
        state_.step(held.point, held.address, held.step,
                    held.shared ? FindingRole::acquires_for_reading : FindingRole::acquires));
    steps.push_back(state_.step(
        dependency.acquired.point, dependency.acquired.address, dependency.acquired.step,
        dependency.acquired.shared ? FindingRole::acquires_for_reading : FindingRole::acquires));
    locks += fmt::format("{} -> ", steps[2 * i].object);
    told += fmt::format("{}{} holds {} and acquires {}", i == 0 ? "" : ", ",
                        state_.thread_name(state_.thread(dependency.thread)), steps[2 * i].object,
                        steps[2 * i + 1].object);
  }
  if (all_cycles != nullptr) {
    std::sort(keys.begin(), keys.end());
    all_cycles->push_back(keys);
  }
  // The same places, whichever thread comes first.
  std::sort(places.begin(), places.end());
  std::uint64_t place = std::uint64_t(FindingKind::lock_order) + 1;
  for (std::uint64_t part : places) place = mix(place, part);
  if (findings_.count(place)) return;
  Finding finding;
  finding.kind = FindingKind::lock_order;
  finding.place = place;
  finding.object = locks + steps[0].object;
  std::stable_sort(steps.begin(), steps.end(), [](const FindingStep& a, const FindingStep& b) {
    return a.event.step < b.event.step;
  });
  finding.what = fmt::format("locks are acquired in a cycle: {}", told);
  finding.why =
      "If the threads get as far as their first locks at the same time, each waits for the next "
      "one, for ever.";
  finding.steps = std::move(steps);
  findings_.add(std::move(finding));
}

}  // namespace raddle
