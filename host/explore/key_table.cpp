#include "host/explore/key_table.hpp"

#include "protocol/dependence.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kGranule = 8;

std::size_t hash(std::uint64_t key) {
  const std::uint64_t h = key * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(h ^ (h >> 32));
}

// Keys of different spaces never meet.
std::uint64_t key_of(Space space, std::uint64_t where) {
  return (where << 4) | static_cast<std::uint64_t>(space);
}
constexpr std::uint64_t kByteKey = 15;

}  // namespace

void KeyTable::clear() {
  ++epoch_;
  used_ = 0;
  accesses_.clear();
}

KeyTable::Granule& KeyTable::granule(std::uint64_t number) {
  if (granules_used_ * 2 >= granules_.size()) {
    std::vector<Granule> old(granules_.empty() ? 64 : granules_.size() * 2);
    old.swap(granules_);
    granules_used_ = 0;
    for (const Granule& g : old) {
      if (g.bytes != 0) granule(g.number) = g;
    }
  }
  std::size_t i = hash(number) & (granules_.size() - 1);
  while (granules_[i].bytes != 0 && granules_[i].number != number) {
    i = (i + 1) & (granules_.size() - 1);
  }
  if (granules_[i].bytes == 0) ++granules_used_;
  granules_[i].number = number;
  return granules_[i];
}

const KeyTable::Granule* KeyTable::find_granule(std::uint64_t number) const {
  if (granules_.empty()) return nullptr;
  std::size_t i = hash(number) & (granules_.size() - 1);
  while (granules_[i].bytes != 0 && granules_[i].number != number) {
    i = (i + 1) & (granules_.size() - 1);
  }
  return granules_[i].bytes != 0 ? &granules_[i] : nullptr;
}

bool KeyTable::learn_memory(std::uint64_t address, std::uint64_t size) {
  bool changed = false;
  const std::uint64_t bytes = touched_bytes(address, size);
  const std::uint64_t last = (address + size - 1) / kGranule;
  for (std::uint64_t n = address / kGranule; n <= last; ++n) {
    Granule& g = granule(n);
    if (g.bytes == 0) {
      g.bytes = bytes;
      changed = changed || frees_;  // it may lie in a block that is freed
    }
    if (g.bytes == bytes || g.mixed) continue;
    g.mixed = changed = true;
  }
  return changed;
}

bool KeyTable::learn(const Pending& p) {
  bool changed = false;
  Touch touched[kMostTouches];
  const int count = touches(p, touched);
  const bool frees = p.op == OpKind::memory_free;
  for (int i = 0; i < count; ++i) {
    if (touched[i].space != Space::kMemory) continue;
    changed = learn_memory(touched[i].where, frees ? 1 : touched[i].size) || changed;
  }
  frees_ = frees_ || frees;
  return changed;
}

void KeyTable::add_granule(const Granule& g, std::uint64_t address, std::uint64_t end,
                           bool writes) {
  if (!g.mixed) {
    uses_.push_back({key_of(Space::kMemory, g.number), writes});
    return;
  }
  for (std::uint64_t byte = g.number * kGranule; byte < (g.number + 1) * kGranule; ++byte) {
    if (byte >= address && byte < end) uses_.push_back({(byte << 4) | kByteKey, writes});
  }
}

void KeyTable::add_memory(std::uint64_t address, std::uint64_t size, bool writes) {
  const std::uint64_t end = address + size;
  for (std::uint64_t n = address / kGranule; n * kGranule < end; ++n)
    add_granule(granule(n), address, end, writes);
}

void KeyTable::add_block(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t end = address + size;
  const std::uint64_t first = address / kGranule;
  const std::uint64_t last = (end - 1) / kGranule;
  if (last - first < granules_.size()) {
    for (std::uint64_t n = first; n <= last; ++n) {
      if (const Granule* g = find_granule(n)) add_granule(*g, address, end, true);
    }
    return;
  }
  for (const Granule& g : granules_) {
    if (g.bytes != 0 && g.number >= first && g.number <= last) add_granule(g, address, end, true);
  }
}

std::span<const KeyTable::Use> KeyTable::uses(const Pending& p) {
  uses_.clear();
  Touch touched[kMostTouches];
  const int count = touches(p, touched);
  for (int i = 0; i < count; ++i) {
    const Touch& t = touched[i];
    if (t.space != Space::kMemory) {
      uses_.push_back({key_of(t.space, t.where), t.writes});
    } else if (p.op == OpKind::memory_free) {
      add_block(t.where, t.size);
    } else {
      add_memory(t.where, t.size, t.writes);
    }
  }
  return uses_;
}

KeyTable::Entry& KeyTable::at(std::uint64_t key) {
  if (used_ * 2 >= entries_.size()) {
    std::vector<Entry> old(entries_.empty() ? 256 : entries_.size() * 2);
    old.swap(entries_);
    used_ = 0;
    for (const Entry& e : old) {
      if (e.epoch == epoch_) at(e.key) = e;
    }
  }
  std::size_t i = hash(key) & (entries_.size() - 1);
  while (entries_[i].epoch == epoch_ && entries_[i].key != key) i = (i + 1) & (entries_.size() - 1);
  if (entries_[i].epoch != epoch_) {
    entries_[i] = {key, epoch_, kNone, kNone};
    ++used_;
  }
  return entries_[i];
}

void KeyTable::add(const Use& use, std::uint32_t step, ThreadId thread) {
  Entry& entry = at(use.key);
  const auto index = static_cast<std::uint32_t>(accesses_.size());
  if (use.writes) {
    accesses_.push_back({use.key, step, entry.writes, kNone, entry.reads, thread, true});
    entry.writes = index;
    entry.reads = kNone;
  } else {
    std::uint32_t other = entry.reads;
    if (other != kNone && accesses_[other].thread == thread) other = accesses_[other].other;
    accesses_.push_back({use.key, step, entry.reads, other, kNone, thread, false});
    entry.reads = index;
  }
}

void KeyTable::take_back(std::uint32_t step) {
  while (!accesses_.empty() && accesses_.back().step >= step) {
    const Access& access = accesses_.back();
    Entry& entry = at(access.key);
    if (access.writes) {
      entry.writes = access.previous;
      entry.reads = access.reads;
    } else {
      entry.reads = access.previous;
    }
    accesses_.pop_back();
  }
}

}  // namespace raddle
