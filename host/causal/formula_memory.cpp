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
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (is_target(i) || !writes(items_[i].event.action.kind)) continue;
    for (const std::size_t s : segments_of(items_[i].event.action)) writers_[s].push_back(i);
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

// The last write of the item's own thread before it.
std::optional<std::size_t> Formula::own_write(std::size_t i, std::size_t segment) const {
  for (int p = items_[i].parent; p >= 0; p = items_[static_cast<std::size_t>(p)].parent) {
    const auto index = static_cast<std::size_t>(p);
    const std::vector<std::size_t>& all_writers = writers_[segment];
    if (std::find(all_writers.begin(), all_writers.end(), index) != all_writers.end()) return index;
  }
  return std::nullopt;
}

// The item sees in the segment what `writer` left (none: what was there in the beginning): no write
// of another value comes between them. `value` is that value; none: nobody knows it.
z3::expr Formula::sees(std::size_t i, std::size_t segment, std::optional<std::size_t> writer,
                       const std::optional<std::string>& value) {
  std::vector<z3::expr> parts;
  const std::optional<std::size_t> own = own_write(i, segment);
  if (writer && writer != own) {
    parts.push_back(executed_[*writer]);
    parts.push_back(before(*writer, i));
    if (own) parts.push_back(before(*own, *writer));
  }
  for (const std::size_t w : writers_[segment]) {
    if (w == i || w == writer || items_[w].thread == items_[i].thread) continue;
    const Event& e = items_[w].event;
    if (value && slice(e, e.written, segment) == *value) continue;
    // Of the writer's own thread, what comes before it stays before it.
    const bool same_thread = writer && items_[w].thread == items_[*writer].thread;
    if (same_thread && !is_ancestor(*writer, w)) continue;
    z3::expr elsewhere = !executed_[w] || before(i, w);
    if (writer && !same_thread) elsewhere = elsewhere || before(w, *writer);
    parts.push_back(elsewhere);
  }
  return all(parts);
}

void Formula::read_last_writes(z3::solver& solver) {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Event& e = items_[i].event;
    if (is_target(i) || !reads(e.action.kind)) continue;
    for (const std::size_t segment : segments_of(e.action)) {
      const std::string wanted = slice(e, e.seen, segment);
      const std::optional<std::size_t> own = own_write(i, segment);
      std::vector<z3::expr> options;
      for (const std::size_t w : writers_[segment]) {
        const bool can = w != i && (w == own || items_[w].thread != items_[i].thread);
        if (can && slice(items_[w].event, items_[w].event.written, segment) == wanted)
          options.push_back(sees(i, segment, w, wanted));
      }
      const std::optional<std::string> begins = initial(segment);
      if (!own && (!begins || *begins == wanted))
        options.push_back(sees(i, segment, std::nullopt, wanted));
      solver.add(z3::implies(executed_[i], any(options)));
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
    const std::optional<std::size_t> own = own_write(target, segment);
    std::vector<z3::expr> options;
    const auto offer = [&](std::optional<std::size_t> writer,
                           const std::optional<std::string>& value) {
      const z3::expr seen = fresh("sees");
      solver.add(z3::implies(seen, sees(target, segment, writer, value)));
      sources.push_back({segment, value, seen});
      options.push_back(seen);
    };
    for (const std::size_t w : writers_[segment]) {
      if (w == own || items_[w].thread != items_[target].thread)
        offer(w, slice(items_[w].event, items_[w].event.written, segment));
    }
    if (!own) offer(std::nullopt, initial(segment));
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
