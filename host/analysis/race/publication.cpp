#include "host/analysis/race/publication.hpp"

#include <algorithm>

#include "host/analysis/shadow/extent.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostWays = 64;  // to one block, of one thread
constexpr std::size_t kMostLooks = 1000;
constexpr int kMostBlocks = 64;          // from the pointer to the memory
constexpr std::uint64_t kWidest = 4096;  // write that is found by an address inside

bool is_pointer(const Event& event) {
  return event.size == sizeof(std::uint64_t) && (event.flags & kNoValue) == 0;
}

bool changes(const Event& event) {
  return event.kind == EventKind::atomic_store || event.kind == EventKind::atomic_update ||
         (event.kind == EventKind::atomic_compare && (event.flags & kSuccess) != 0);
}

bool is_release(const Event& event) {
  const MemoryOrder order = order_of(event);
  return is_atomic(event.kind) && order >= MemoryOrder::kRelease;
}

bool is_acquire(const Event& event) {
  const MemoryOrder order = order_of(event);
  return is_atomic(event.kind) && order != MemoryOrder::kRelaxed && order != MemoryOrder::kRelease;
}

// A std::shared_ptr has two pointers into what it owns: its second one stands for the variable,
// too.
std::uint64_t variable_at(const Site& site, std::uint64_t address) {
  const bool second = site.cls.starts_with("std::__shared_count") && site.field == "_M_pi";
  return second ? address - sizeof(std::uint64_t) : address;
}

}  // namespace

// From the memory back to the pointer: blocks that point to it, and to these.
class Publications::Search {
 public:
  Search(const Publications& all, ThreadIndex reader, const Access& write)
      : all_(all), reader_(reader), write_(write) {}

  // Nothing, or the one pointer by which the thread came to the block.
  const Way* to(std::uint64_t block, int depth = 0) {
    const auto ways = all_.ways_.find({reader_, block});
    if (ways == all_.ways_.end() || ways->second.unknown || depth == kMostBlocks) return nullptr;
    State& state = states_[block];
    if (state.done) return state.found;
    state.begun = true;
    const Way* found = nullptr;
    bool certain = true;
    for (const Way& way : ways->second.list) {
      const bool circle = way.inside == block || is_begun(way.inside);
      if (circle) continue;
      const Way* by = way.inside != 0 ? to(way.inside, depth + 1) : nullptr;
      if (by == nullptr && is_after_write(way)) by = &way;
      certain = certain && by != nullptr && (found == nullptr || found->address == by->address);
      if (!certain) break;
      if (found == nullptr || found->loaded.event < by->loaded.event) found = by;
    }
    State& end = states_[block];
    end.done = true;
    end.found = certain ? found : nullptr;
    return end.found;
  }

 private:
  struct State {
    bool begun = false;
    bool done = false;
    const Way* found = nullptr;
  };

  bool is_begun(std::uint64_t block) const {
    const auto state = states_.find(block);
    return state != states_.end() && state->second.begun && !state->second.done;
  }

  bool is_after_write(const Way& way) const {
    return way.stored && way.stored->thread == write_.thread && way.stored->event > write_.event;
  }

  const Publications& all_;
  ThreadIndex reader_;
  const Access& write_;
  std::map<std::uint64_t, State> states_;
};

Publications::Publications(ExecutionState& state, std::vector<std::uint64_t> places)
    : state_(state), places_(std::move(places)) {}

const Publications::Block* Publications::block_at(std::uint64_t address) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const Block& block = (--after)->second;
  return address < block.end ? &block : nullptr;
}

Publications::Access Publications::access_of(const Event& event) {
  return {state_.index(event.thread), state_.events(), state_.point(event), event.step};
}

void Publications::forget(std::uint64_t address, std::uint64_t bytes) {
  constexpr std::uint64_t kBefore = sizeof(std::uint64_t) - 1;
  const std::uint64_t from = address > kBefore ? address - kBefore : 0;
  stores_.erase(stores_.lower_bound(from), stores_.lower_bound(address + bytes));
}

void Publications::load(const Event& event) {
  const Block* block = is_pointer(event) ? block_at(event.value) : nullptr;
  if (block == nullptr) return;
  const Access access = access_of(event);
  const auto stored = stores_.find(event.object);
  const bool known = stored != stores_.end() && stored->second.value == event.value;
  if (known && stored->second.access.thread == access.thread) return;
  const Block* inside = block_at(event.object);
  const std::uint64_t variable = variable_at(state_.site(event.site), event.object);
  Way way{variable, inside == nullptr ? 0 : inside->number, {}, access};
  if (known) way.stored = stored->second.access;
  Ways& ways = ways_[{access.thread, block->number}];
  const auto same = std::find_if(ways.list.begin(), ways.list.end(), [&](const Way& other) {
    return other.address == way.address && other.inside == way.inside &&
           other.stored.has_value() == known &&
           (!known || other.stored->event == way.stored->event);
  });
  if (same != ways.list.end()) {
    same->loaded = access;
  } else if (ways.list.size() < kMostWays) {
    ways.list.push_back(way);
  } else {
    ways.unknown = true;
  }
}

void Publications::store(const Event& event, std::uint64_t value) {
  forget(event.object, extent_of(event).bytes);
  if (is_pointer(event) && block_at(value) != nullptr)
    stores_[event.object] = {access_of(event), value};
}

bool Publications::is_sought(const Event& event) const {
  return std::find(places_.begin(), places_.end(), state_.stable(event.site)) != places_.end();
}

void Publications::look_at(const Event& event) {
  if (!is_sought(event)) return;
  const Extent extent = extent_of(event);
  const std::uint64_t end = extent.address + extent.bytes;
  const ThreadIndex thread = state_.index(event.thread);
  const Block* block = block_at(extent.address);
  const std::uint64_t from = extent.address > kWidest ? extent.address - kWidest : 0;
  for (auto write = writes_.lower_bound(from); write != writes_.end() && write->first < end;
       ++write) {
    const Write& earlier = write->second;
    if (block == nullptr || block->owner == thread || looks_ == kMostLooks) break;
    if (earlier.end <= extent.address || earlier.access.thread == thread) continue;
    ++looks_;
    const Way* way = Search(*this, thread, earlier.access).to(block->number);
    if (way == nullptr) continue;
    FindingStep stored =
        state_.step(way->stored->point, way->address, way->stored->step, FindingRole::writes);
    FindingStep loaded =
        state_.step(way->loaded.point, way->address, way->loaded.step, FindingRole::reads);
    if (is_release(stored.event) && is_acquire(loaded.event)) continue;
    if (is_atomic(stored.event.kind)) stored.role = FindingRole::atomically_writes;
    if (is_atomic(loaded.event.kind)) loaded.role = FindingRole::atomically_reads;
    found_.push_back({earlier.thread, event, {std::move(stored), std::move(loaded)}});
  }
  if (writes(event.kind)) writes_[extent.address] = {end, access_of(event), event.thread};
}

// Without a pointer: that is one that is not seen.
void Publications::come_to(const Event& event) {
  const Block* block = block_at(event.object);
  if (block == nullptr) return;
  const ThreadIndex thread = state_.index(event.thread);
  if (block->owner == thread) return;
  Ways& ways = ways_[{thread, block->number}];
  if (ways.list.empty()) ways.unknown = true;
}

void Publications::on_event(const Event& event) {
  const bool is_atomic_access = is_atomic(event.kind) && event.kind != EventKind::fence;
  if (is_access(event.kind) || is_atomic_access) come_to(event);
  if (is_access(event.kind) || is_atomic_access) look_at(event);
  if (event.kind == EventKind::allocate) {
    forget(event.object, event.value);
    blocks_[event.object] = {event.object + event.value, ++allocations_,
                             state_.index(event.thread)};
  } else if (event.kind == EventKind::free) {
    forget(event.object, event.value);
    blocks_.erase(event.object);
    writes_.erase(writes_.lower_bound(event.object),
                  writes_.lower_bound(event.object + event.value));
  } else if (event.kind == EventKind::write_range || event.kind == EventKind::local) {
    forget(event.object, event.value);
  } else if (event.kind == EventKind::write) {
    store(event, event.value);
  } else if (event.kind == EventKind::read) {
    load(event);
  } else if (is_atomic_access) {
    if (event.kind != EventKind::atomic_store) load(event);
    if (changes(event)) store(event, event.value2);
  }
}

std::vector<FindingStep> Publications::of(const Finding& race) const {
  if (race.kind != FindingKind::race || race.steps.size() != 2) return {};
  const Event& earlier = race.steps[0].event;
  const Event& later = race.steps[1].event;
  for (const Found& found : found_) {
    const bool same = found.writer == earlier.thread && found.later.thread == later.thread &&
                      found.later.site == later.site && found.later.step == later.step &&
                      found.later.object == later.object;
    if (same && writes(earlier.kind)) return found.steps;
  }
  return {};
}

}  // namespace raddle
