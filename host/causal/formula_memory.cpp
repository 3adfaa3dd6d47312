// Reads and writes in the formula. Accesses may overlap: memory is cut into segments at the borders
// of all accesses, and each access has or wants a value in each of its segments.
#include <algorithm>
#include <set>

#include "host/causal/formula.hpp"

namespace raddle::causal {

void Formula::split_memory() {
  std::set<std::uint64_t> borders;
  for (const Item& item : items_) {
    const Action& a = item.event.action;
    if (!reads(a.kind) && !writes(a.kind)) continue;
    borders.insert(a.address);
    borders.insert(a.address + a.size);
  }
  borders_.assign(borders.begin(), borders.end());
  writers_.resize(borders_.size());
  readers_.resize(borders_.size());
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Action& a = items_[i].event.action;
    if (is_target(i) || (!reads(a.kind) && !writes(a.kind))) continue;
    for (const std::size_t s : segments_of(a)) {
      if (writes(a.kind)) writers_[s].push_back(i);
      if (reads(a.kind)) readers_[s].push_back(i);
    }
  }
}

std::vector<std::size_t> Formula::segments_of(const Action& action) const {
  std::vector<std::size_t> found;
  auto it = std::lower_bound(borders_.begin(), borders_.end(), action.address);
  for (; it != borders_.end() && *it < action.address + action.size; ++it)
    found.push_back(static_cast<std::size_t>(it - borders_.begin()));
  return found;
}

std::string Formula::slice(const Event& event, const std::string& bytes,
                           std::size_t segment) const {
  return bytes.substr(borders_[segment] - event.action.address,
                      borders_[segment + 1] - borders_[segment]);
}

std::optional<std::string> Formula::initial(std::size_t segment) const {
  std::string bytes;
  for (std::uint64_t a = borders_[segment]; a < borders_[segment + 1]; ++a) {
    const std::optional<std::uint8_t> byte = h_.initial(a);
    if (!byte) return std::nullopt;
    bytes.push_back(static_cast<char>(*byte));
  }
  return bytes;
}

// For each item, the last write to the segment by its own thread before it; -1: none.
std::vector<int> Formula::own_writes(std::size_t segment) const {
  std::vector<bool> writes_here(items_.size(), false);
  for (const std::size_t w : writers_[segment]) writes_here[w] = true;
  std::vector<int> last(items_.size(), -1);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const int parent = items_[i].parent;
    if (parent < 0) continue;
    const auto before_it = static_cast<std::size_t>(parent);
    last[i] = writes_here[before_it] ? parent : last[before_it];
  }
  return last;
}

// What the item sees in the segment was written at the place `source`, a variable: one for each
// read, not one constraint for each three of a read, its write, and a write that must not come
// between. At `zero` are the values of the beginning, before every event.
z3::expr Formula::reads_from(std::size_t i, const z3::expr& source,
                             std::optional<std::size_t> writer) {
  if (!writer) return source == zero_;
  return executed_[*writer] && before(*writer, i) && source == order_[*writer];
}

// The write is not between the source and the item.
z3::expr Formula::keeps_out(std::size_t w, std::size_t i, const z3::expr& source) {
  return !executed_[w] || order_[w] < source || before(i, w);
}

void Formula::let_all_see_anything() {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!is_target(i) && reads(items_[i].event.action.kind)) free_to_see_.emplace(i, fresh("free"));
  }
}

// When the item has to see what it saw.
z3::expr Formula::must_see(std::size_t i) const {
  const auto free = free_to_see_.find(i);
  return free == free_to_see_.end() ? executed_[i] : executed_[i] && !free->second;
}

void Formula::read_last_writes(z3::solver& solver) {
  for (std::size_t segment = 0; segment < readers_.size(); ++segment) {
    if (readers_[segment].empty()) continue;
    const std::vector<int> own_write = own_writes(segment);
    const std::optional<std::string> begins = initial(segment);
    for (const std::size_t i : readers_[segment]) {
      const z3::expr bound = must_see(i);
      const Event& e = items_[i].event;
      const std::string wanted = slice(e, e.seen, segment);
      const int own = own_write[i];
      const z3::expr source = place("source");
      std::vector<z3::expr> options;
      for (const std::size_t w : writers_[segment]) {
        const bool is_own = static_cast<int>(w) == own;
        if (w == i || (!is_own && items_[w].thread == items_[i].thread)) continue;
        if (slice(items_[w].event, items_[w].event.written, segment) == wanted) {
          options.push_back(reads_from(i, source, w));
        } else {
          solver.add(z3::implies(bound, is_own ? order_[w] < source : keeps_out(w, i, source)));
        }
      }
      if (own < 0 && (!begins || *begins == wanted))
        options.push_back(reads_from(i, source, std::nullopt));
      solver.add(z3::implies(bound, any(options)));
    }
  }
}

// The target differs from each known value in some segment.
void Formula::read_something_new(z3::solver& solver) {
  struct Source {
    std::size_t segment;
    std::optional<std::string> value;
    z3::expr seen;
  };
  const std::size_t target = items_.size() - 1;
  const Action& a = target_->action;
  std::vector<Source> sources;
  for (const std::size_t segment : segments_of(a)) {
    const int own = own_writes(segment)[target];
    const z3::expr source = place("source");
    std::vector<z3::expr> options;
    const auto offer = [&](std::optional<std::size_t> writer,
                           const std::optional<std::string>& value) {
      const z3::expr seen = fresh("sees");
      solver.add(z3::implies(seen, reads_from(target, source, writer)));
      // Of writes at the same place in the order, one is the last.
      for (const z3::expr& other : options) solver.add(!seen || !other);
      sources.push_back({segment, value, seen});
      options.push_back(seen);
    };
    for (const std::size_t w : writers_[segment]) {
      const bool is_own = static_cast<int>(w) == own;
      if (!is_own && items_[w].thread == items_[target].thread) continue;
      offer(w, slice(items_[w].event, items_[w].event.written, segment));
      solver.add(sources.back().seen ||
                 (is_own ? order_[w] < source : keeps_out(w, target, source)));
    }
    if (own < 0) offer(std::nullopt, initial(segment));
    solver.add(any(options));
  }
  for (const Event* known : target_->known) {
    std::vector<z3::expr> options;
    for (const Source& s : sources) {
      if (!s.value || *s.value != slice(*known, known->seen, s.segment)) options.push_back(s.seen);
    }
    solver.add(any(options));
  }
}

}  // namespace raddle::causal
