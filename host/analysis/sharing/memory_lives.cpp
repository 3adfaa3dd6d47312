#include "host/analysis/sharing/memory_lives.hpp"

#include <algorithm>
#include <limits>

#include "host/analysis/shadow/extent.hpp"

namespace raddle {
namespace {

constexpr LifeNumber kMostLives = std::numeric_limits<LifeNumber>::max() - 2;

// Nothing ends beyond the last address.
std::uint64_t end_of(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - address;
  return address + std::min(bytes, room);
}

}  // namespace

// Of a lock and its kin, the first byte stands for it.
std::uint64_t MemoryLives::touched_bytes(const Event& event) {
  switch (event.kind) {
    case EventKind::acquire:
    case EventKind::release:
    case EventKind::wait:
    case EventKind::wake:
    case EventKind::notify:
    case EventKind::signal:
    case EventKind::await:
    case EventKind::destroy:
      return 1;
    case EventKind::read:
    case EventKind::write:
    case EventKind::read_range:
    case EventKind::write_range:
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
    case EventKind::fence:
      return extent_of(event).bytes;
    case EventKind::none:
    case EventKind::decision:
    case EventKind::thread_begin:
    case EventKind::thread_end:
    case EventKind::fork:
    case EventKind::join:
    case EventKind::enter:
    case EventKind::exit:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
    case EventKind::user:
      return 0;
  }
  return 0;
}

// What was known of the memory is of something else from now on.
void MemoryLives::renew(std::uint64_t address, std::uint64_t bytes) {
  shadow_.forget(address, bytes);
  clear_regions(address, bytes);
}

void MemoryLives::clear_regions(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = end_of(address, bytes);
  auto region = regions_.upper_bound(address);
  if (region != regions_.begin()) --region;
  while (region != regions_.end() && region->first < end) {
    const auto [first, old] = *region;
    if (old.end <= address) {
      ++region;
      continue;
    }
    region = regions_.erase(region);
    // What sticks out at either side goes on.
    if (first < address) regions_.emplace(first, Region{address, old.kind, old.life});
    if (old.end > end) regions_.emplace(end, old);
  }
}

void MemoryLives::put(std::uint64_t address, std::uint64_t bytes, RegionKind kind) {
  const std::uint64_t end = end_of(address, bytes);
  if (end > address) regions_.emplace(address, Region{end, kind});
}

// A variable that is named twice, or in parts, goes by what came first.
void MemoryLives::on_object(std::uint64_t address, std::uint64_t bytes) {
  if (bytes > kMostWhole) return;
  const std::uint64_t end = end_of(address, bytes);
  auto after = regions_.lower_bound(address);
  if (after != regions_.end() && after->first < end) return;
  if (after != regions_.begin() && std::prev(after)->second.end > address) return;
  put(address, bytes, RegionKind::kWhole);
}

// Of a cell. Where blocks do not begin at words it may lie in more than one region: any of them
// will do, but for freed memory, whose every use counts.
LifeNumber MemoryLives::begin_in(std::uint64_t address, std::uint64_t bytes) {
  const auto fresh = [&] { return last_ < kMostLives ? ++last_ : kFreedLife; };
  const std::uint64_t end = end_of(address, bytes);
  auto region = regions_.upper_bound(address);
  if (region != regions_.begin() && std::prev(region)->second.end > address) --region;
  Region* found = nullptr;
  for (; region != regions_.end() && region->first < end; ++region) {
    if (region->second.kind == RegionKind::kFreed) return kFreedLife;
    if (found == nullptr && region->second.kind == RegionKind::kWhole) found = &region->second;
  }
  if (found == nullptr) return fresh();
  if (found->life == 0) found->life = fresh();
  return found->life;
}

}  // namespace raddle
