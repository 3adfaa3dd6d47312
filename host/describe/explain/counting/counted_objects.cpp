#include "host/describe/explain/counting/counted_objects.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "host/describe/explain/events/accesses.hpp"
#include "host/symbols/place.hpp"
#include "protocol/semaphore_flags.hpp"

namespace raddle {
namespace {

bool is_in(const Site& site, std::string_view part) {
  return std::any_of(site.frames.begin(), site.frames.end(), [&](const SiteFrame& frame) {
    return is_system_header(frame.file) && frame.function.find(part) != std::string::npos;
  });
}

std::int64_t as_signed(std::uint64_t value, std::uint16_t size) {
  if (size == 4) return static_cast<std::int32_t>(value);
  return static_cast<std::int64_t>(value);
}

// The phase is one byte, and its number before it in the object.
constexpr std::uint16_t kPhaseSize = 1;

}  // namespace

std::optional<CountedKind> counted_kind(const Site& site) {
  if (is_in(site, "semaphore")) return CountedKind::kSemaphore;
  if (is_in(site, "std::latch")) return CountedKind::kLatch;
  if (is_in(site, "_barrier")) return CountedKind::kBarrier;
  return std::nullopt;
}

CountedObjects::CountedObjects(const KeptTrace& trace) : trace_(trace) {
  learn();
  for (std::size_t i = 0; i < trace_.all().size(); ++i) on(i);
}

// Which addresses are numbers of such objects: what their functions do to them says so.
void CountedObjects::learn() {
  std::map<std::uint16_t, std::uint64_t> phases;  // by thread: of the barrier it arrives at
  std::unordered_map<std::uint32_t, std::optional<CountedKind>> kinds;  // by site
  for (const Event& event : trace_.all()) {
    const bool atomic = is_atomic(event.kind) && event.kind != EventKind::fence;
    if (!atomic && event.kind != EventKind::read) continue;
    const Site& site = trace_.site(event.site);
    const auto [known, is_new] = kinds.try_emplace(raw(event.site));
    if (is_new) known->second = counted_kind(site);
    const std::optional<CountedKind> kind = known->second;
    if (!kind) continue;
    if (*kind != CountedKind::kBarrier) {
      if (atomic) numbers_.try_emplace(event.object, *kind);
      continue;
    }
    const bool arrives = event.kind == EventKind::atomic_load && event.size == kPhaseSize &&
                         order_of(event) == MemoryOrder::kRelaxed;
    if (arrives) {
      numbers_.try_emplace(event.object, *kind);
      phases[raw(event.thread)] = event.object;
    }
    const auto phase = phases.find(raw(event.thread));
    if (event.kind == EventKind::read && site.field == "_M_expected" && phase != phases.end()) {
      expected_.try_emplace(phase->second, event.object);
      sizes_.insert(event.object);
      needed_.try_emplace(phase->second, event.value);
    }
  }
}

const CountedObject* CountedObjects::at(std::uint64_t address) const {
  const auto found = latest_.find(address);
  return found == latest_.end() ? nullptr : &objects_[found->second];
}

CountedObject& CountedObjects::renewed(std::uint64_t address, CountedKind kind) {
  latest_[address] = objects_.size();
  CountedObject& added = objects_.emplace_back();
  added.kind = kind;
  added.address = address;
  return added;
}

CountedObject& CountedObjects::object(std::uint64_t address, CountedKind kind) {
  const auto found = latest_.find(address);
  return found == latest_.end() ? renewed(address, kind) : objects_[found->second];
}

void CountedObjects::on(std::size_t index) {
  const Event& event = trace_.all()[index];
  if (event.kind == EventKind::signal || event.kind == EventKind::await) return on_posix(index);
  if (event.kind == EventKind::destroy) latest_.erase(event.object);
  // Who arrives last writes a barrier's number, too.
  if (event.kind == EventKind::write && sizes_.contains(event.object) &&
      !is_in(trace_.site(event.site), "arrive"))
    written_[event.object] = index;
  const auto number = numbers_.find(event.object);
  if (number == numbers_.end()) return;
  number->second == CountedKind::kBarrier ? on_phase(index) : on_number(index);
}

void CountedObjects::on_number(std::size_t index) {
  const Event& event = trace_.all()[index];
  const CountedKind kind = numbers_.at(event.object);
  if (event.kind == EventKind::write) {  // its constructor
    CountedObject& made = renewed(event.object, kind);
    made.start = as_signed(event.value, event.size);
    made.value = made.start;
    made.made = index;
    return;
  }
  const auto read = value_read(event);
  if (!is_atomic(event.kind) || !read) return;
  const std::int64_t before = as_signed(*read, event.size);
  CountedObject* one = &object(event.object, kind);
  // Something else lies there than what was last seen.
  if (one->value && *one->value != before) one = &renewed(event.object, kind);
  if (!one->start) one->start = before;
  one->value = before;
  const auto written = value_written(event);
  const bool takes = event.kind == EventKind::atomic_compare && (event.flags & kSuccess) != 0;
  const bool finds = event.kind == EventKind::atomic_load && kind == CountedKind::kLatch;
  if (takes) one->passes.push_back(index);
  if (finds && before == 0) one->passes.push_back(index);
  if (event.kind == EventKind::atomic_update) one->posts.push_back(index);
  if (written && (takes || event.kind == EventKind::atomic_update))
    one->value = as_signed(*written, event.size);
}

void CountedObjects::on_phase(std::size_t index) {
  const Event& event = trace_.all()[index];
  if (event.kind == EventKind::write) {
    renewed(event.object, CountedKind::kBarrier);
    return;
  }
  CountedObject& barrier = object(event.object, CountedKind::kBarrier);
  if (event.kind == EventKind::atomic_store) barrier.round.clear();
  if (event.kind != EventKind::atomic_load || event.size != kPhaseSize) return;
  const std::pair key(event.object, raw(event.thread));
  const std::uint64_t phase = value_read(event).value_or(0);
  if (order_of(event) != MemoryOrder::kRelaxed) {
    const auto own = arrived_in_.find(key);
    if (own == arrived_in_.end() || own->second == phase) return;
    barrier.passes.push_back(index);
    arrived_in_.erase(own);
    return;
  }
  const auto number = expected_.find(event.object);
  const auto made = number == expected_.end() ? written_.end() : written_.find(number->second);
  if (made != written_.end() && !barrier.start) {
    barrier.start = static_cast<std::int64_t>(trace_.all()[made->second].value);
    barrier.made = made->second;
  }
  if (const auto read = needed_.find(event.object); !barrier.start && read != needed_.end())
    barrier.start = static_cast<std::int64_t>(read->second);
  barrier.posts.push_back(index);
  barrier.round.push_back(index);
  barrier.most_in_round = std::max(barrier.most_in_round, barrier.round.size());
  arrived_in_[key] = phase;
}

void CountedObjects::on_posix(std::size_t index) {
  const Event& event = trace_.all()[index];
  const bool posts = event.kind == EventKind::signal;
  if ((event.flags & kSemaphore) != 0) {
    const auto after = static_cast<std::int64_t>(event.value);
    const std::int64_t before = after + (posts ? -1 : 1);
    CountedObject* one = &object(event.object, CountedKind::kSemaphore);
    if (one->value && *one->value != before) one = &renewed(event.object, CountedKind::kSemaphore);
    if (!one->start) one->start = before;
    one->value = after;
    (posts ? one->posts : one->passes).push_back(index);
  }
  if ((event.flags & kBarrierCount) == 0) return;
  CountedObject& barrier = object(event.object, CountedKind::kBarrier);
  const auto needed = static_cast<std::int64_t>(event.value);
  if (!posts) return barrier.passes.push_back(index);
  if (!barrier.start) barrier.start = needed;
  // Whoever makes it full lets everybody go on.
  if (std::int64_t(barrier.round.size()) >= needed) barrier.round.clear();
  barrier.posts.push_back(index);
  barrier.round.push_back(index);
  barrier.most_in_round = std::max(barrier.most_in_round, barrier.round.size());
}

std::size_t most_at_once(const CountedObject& barrier, const std::vector<Event>& events) {
  std::set<std::uint16_t> arrive;
  for (const std::size_t event : barrier.posts) arrive.insert(raw(events[event].thread));
  std::set<std::uint16_t> alive;
  if (arrive.contains(raw(kMainThread))) alive.insert(raw(kMainThread));
  std::size_t most = alive.size();
  for (const Event& event : events) {
    const std::uint16_t thread = raw(event.thread);
    if (event.kind == EventKind::thread_begin && arrive.contains(thread)) alive.insert(thread);
    if (event.kind == EventKind::thread_end) alive.erase(thread);
    most = std::max(most, alive.size());
  }
  return most;
}

}  // namespace raddle
