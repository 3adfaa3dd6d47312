// Locks and semaphores in the formula.
#include <algorithm>

#include "host/causal/formula.hpp"

namespace raddle::causal {

bool Formula::takes(std::size_t i) const {
  const Event& e = items_[i].event;
  return acquires(e.action.kind) && (e.success || is_target(i));
}

z3::expr Formula::succeeds(std::size_t i) {
  return is_target(i) && target_succeeds_ ? *target_succeeds_
                                          : context_.bool_val(items_[i].event.success);
}

z3::expr Formula::released_before(std::size_t acquisition, std::size_t when) {
  std::vector<z3::expr> options;
  for (const std::size_t r : releases_[acquisition])
    options.push_back(executed_[r] && before(r, when));
  return any(options);
}

z3::expr Formula::holds_at_end(std::size_t acquisition) {
  std::vector<z3::expr> parts = {executed_[acquisition]};
  for (const std::size_t r : releases_[acquisition]) parts.push_back(!executed_[r]);
  return all(parts);
}

// Another thread holds the lock so that the item's thread cannot take it.
z3::expr Formula::taken_at(std::size_t i) {
  const Action& a = items_[i].event.action;
  const int own = h_.held(items_[i].before, a.object);
  if (own > 0 || (own < 0 && !shares(a.kind))) return context_.bool_val(true);
  std::vector<z3::expr> options;
  for (const std::size_t s : sections_[a.object]) {
    if (s == i || is_target(s) || items_[s].thread == items_[i].thread ||
        (shares(a.kind) && shares(items_[s].event.action.kind)))
      continue;
    std::vector<z3::expr> parts = {executed_[s], before(s, i)};
    for (const std::size_t r : releases_[s]) parts.push_back(!executed_[r] || before(i, r));
    options.push_back(all(parts));
  }
  return any(options);
}

void Formula::separate_sections(z3::solver& solver) {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Action& a = items_[i].event.action;
    if (a.kind == ActionKind::kTryLock || a.kind == ActionKind::kTryShare)
      solver.add(z3::implies(executed_[i] && !succeeds(i), taken_at(i)));
    if (!takes(i)) continue;
    if (!outermost(i)) {
      // Its own lock once more: some execution has shown whether that is possible.
      const int held = h_.held(items_[i].before, a.object);
      const bool shared_again = held < 0 && shares(a.kind);
      if (is_target(i) && !shared_again && !h_.node(items_[i].before).could_move)
        solver.add(!succeeds(i));
      continue;
    }
    for (const std::size_t k : sections_[a.object]) {
      if (k >= i) break;
      if (items_[k].thread == items_[i].thread ||
          (shares(a.kind) && shares(items_[k].event.action.kind)))
        continue;
      solver.add(z3::implies(executed_[i] && executed_[k] && succeeds(i) && succeeds(k),
                             released_before(i, k) || released_before(k, i)));
    }
  }
}

// Each thread that passes a semaphore takes what one post brought before, or one of what was there
// in the beginning.
void Formula::pass_semaphores(z3::solver& solver) {
  std::map<std::uint64_t, std::vector<std::size_t>> posts;
  std::map<std::uint64_t, std::vector<std::size_t>> downs;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Event& e = items_[i].event;
    if (e.action.kind == ActionKind::kPost) posts[e.action.object].push_back(i);
    if (e.action.kind == ActionKind::kDown || e.action.kind == ActionKind::kTryDown)
      downs[e.action.object].push_back(i);
  }
  for (const auto& [object, all_downs] : downs) {
    const std::size_t begins = std::min<std::size_t>(h_.semaphore(object), all_downs.size() + 1);
    const std::size_t units = begins + posts[object].size();
    std::vector<Match>& matches = matches_[object];
    for (const std::size_t down : all_downs) {
      if (!is_target(down) && !items_[down].event.success) continue;
      std::vector<z3::expr> options;
      for (std::size_t unit = 0; unit < units; ++unit) {
        const z3::expr takes_it = fresh("takes");
        std::optional<std::size_t> post;
        if (unit >= begins) post = posts[object][unit - begins];
        if (post == down) continue;
        z3::expr meaning = executed_[down] && succeeds(down);
        if (post) meaning = meaning && executed_[*post] && before(*post, down);
        solver.add(z3::implies(takes_it, meaning));
        for (const Match& m : matches) {
          if (m.unit == unit || m.down == down) solver.add(!takes_it || !m.holds);
        }
        matches.push_back({post, unit, down, takes_it});
        options.push_back(takes_it);
      }
      solver.add(z3::implies(executed_[down] && succeeds(down), any(options)));
    }
    for (const std::size_t down : all_downs) {
      if (items_[down].event.action.kind != ActionKind::kTryDown) continue;
      solver.add(z3::implies(executed_[down] && !succeeds(down), nothing_left(object, down)));
    }
  }
}

z3::expr Formula::nothing_left(std::uint64_t semaphore, std::optional<std::size_t> when) {
  std::size_t downs = 0;
  for (const Item& item : items_) {
    const ActionKind kind = item.event.action.kind;
    if (item.event.action.object == semaphore &&
        (kind == ActionKind::kDown || kind == ActionKind::kTryDown))
      ++downs;
  }
  const std::vector<Match>& matches = matches_[semaphore];
  const auto is_taken = [&](std::size_t unit) {
    std::vector<z3::expr> options;
    for (const Match& m : matches) {
      if (m.unit != unit || (when && m.down == *when)) continue;
      options.push_back(when ? m.holds && before(m.down, *when) : m.holds);
    }
    return any(options);
  };
  const std::size_t begins = std::min<std::size_t>(h_.semaphore(semaphore), downs + 1);
  std::vector<z3::expr> parts;
  parts.reserve(begins);
  for (std::size_t unit = 0; unit < begins; ++unit) parts.push_back(is_taken(unit));
  std::size_t unit = begins;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Action& a = items_[i].event.action;
    if (a.kind != ActionKind::kPost || a.object != semaphore) continue;
    z3::expr not_there = !executed_[i];
    if (when) not_there = not_there || before(*when, i);
    parts.push_back(not_there || is_taken(unit));
    ++unit;
  }
  return all(parts);
}

}  // namespace raddle::causal
