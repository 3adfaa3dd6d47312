#include "host/analysis/atomset/objects.hpp"

#include <algorithm>

namespace raddle {
namespace {

constexpr std::size_t kMostExtents = std::size_t{1} << 20;
constexpr int kMostOwners = 32;  // of one another

bool within(std::uint64_t address, std::uint64_t base, std::uint64_t bytes) {
  return address >= base && address - base < bytes;
}

}  // namespace

void ObjectTracker::changed(std::uint64_t address, std::uint64_t bytes) {
  ++version_;
  if (forget_) forget_(address, bytes);
}

ObjectNumber ObjectTracker::make(std::uint64_t base) {
  ObjectNumber number = 0;
  if (free_objects_.empty()) {
    number = static_cast<ObjectNumber>(objects_.size());
    objects_.emplace_back();
  } else {
    number = free_objects_.back();
    free_objects_.pop_back();
  }
  SetObject& object = objects_[number];
  object.base = base;
  object.life = ++lives_;
  object.used = object.shared = false;
  object.sets.clear();
  return number;
}

void ObjectTracker::remove(Regions::iterator region) {
  for (std::uint64_t base : region->second.bases) {
    const ObjectNumber* number = by_base_.find(base);
    if (number == nullptr) continue;
    objects_[*number].life = 0;
    free_objects_.push_back(*number);
    by_base_.erase(base);
  }
  changed(region->first, region->second.bytes);
  if (last_ == region) last_ = regions_.end();
  regions_.erase(region);
}

// Nothing that was there lives on.
void ObjectTracker::clear(std::uint64_t address, std::uint64_t bytes) {
  auto region = regions_.upper_bound(address);
  if (region != regions_.begin()) {
    const auto before = std::prev(region);
    if (within(address, before->first, before->second.bytes)) region = before;
  }
  while (region != regions_.end() &&
         (region->first <= address || region->first - address < bytes)) {
    const auto next = std::next(region);
    remove(region);
    region = next;
  }
  auto extent = extents_.lower_bound(address);
  while (extent != extents_.end() && extent->first - address < bytes) {
    // With the members that were seen in it. Classes that need no alignment at all are rare.
    const auto [base, size] = *extent;
    if (size / 4 <= extents_seen_.size())
      for (std::uint64_t at = base; at - base < size; at += 4) extents_seen_.erase(at);
    else
      extents_seen_.erase_if([base = base, size = size](std::uint64_t at, std::uint32_t) {
        return within(at, base, size);
      });
    extent = extents_.erase(extent);
  }
}

void ObjectTracker::put(std::uint64_t address, std::uint64_t bytes, std::uint32_t class_bytes,
                        Kind kind, ObjectNumber owner) {
  if (bytes == 0) return;
  bytes = std::min(bytes, ~address);
  clear(address, bytes);
  HostRegion region;
  region.bytes = bytes;
  region.class_bytes = class_bytes == kUnknownOffset ? 0 : class_bytes;
  region.kind = kind;
  region.life = static_cast<std::uint16_t>(++lives_);
  if (ownership_ && owner != kNoObjectNumber) {
    region.owner = owner;
    region.owner_life = objects_[owner].life;
  }
  regions_.emplace(address, std::move(region));
  changed(address, bytes);
}

void ObjectTracker::allocate(std::uint64_t address, std::uint64_t bytes, std::uint32_t class_bytes,
                             ObjectNumber owner) {
  put(address, bytes, class_bytes, Kind::kHeap, owner);
}

void ObjectTracker::local(std::uint64_t address, std::uint64_t bytes, std::uint32_t class_bytes) {
  put(address, bytes, class_bytes, Kind::kLocal, kNoObjectNumber);
}

void ObjectTracker::global(std::uint64_t address, std::uint64_t bytes) {
  // A name that the program gave to an address says nothing of sizes.
  if (bytes <= 1) return;
  const auto region = region_of(address);
  if (region != regions_.end() && region->first == address && region->second.bytes == bytes &&
      region->second.kind == Kind::kGlobal)
    return;
  put(address, bytes, 0, Kind::kGlobal, kNoObjectNumber);
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> ObjectTracker::global_at(
    std::uint64_t address) {
  const auto region = region_of(address);
  if (region == regions_.end() || region->second.kind != Kind::kGlobal) return std::nullopt;
  return std::pair(region->first, region->second.bytes);
}

void ObjectTracker::free(std::uint64_t address, std::uint64_t bytes) {
  const auto region = regions_.find(address);
  if (region != regions_.end()) bytes = std::max(bytes, region->second.bytes);
  if (bytes != 0) clear(address, std::min(bytes, ~address));
}

void ObjectTracker::declare(std::uint64_t address, std::uint64_t bytes, ObjectNumber object) {
  declared_[address] = {bytes, object};
  changed(address, bytes);
}

void ObjectTracker::extent(std::uint64_t address, std::uint32_t bytes) {
  if (bytes == 0 || bytes == kUnknownOffset) return;
  if (const std::uint32_t* seen = extents_seen_.find(address); seen != nullptr && *seen >= bytes)
    return;
  const auto region = region_of(address);
  if (region != regions_.end() && region->second.class_bytes != 0) return;  // known better
  if (extents_.size() >= kMostExtents) {
    extents_.clear();
    extents_seen_.clear();
  }
  extents_seen_[address] = bytes;
  auto at = extents_.upper_bound(address);
  if (at != extents_.begin()) {
    const auto before = std::prev(at);
    if (within(address, before->first, before->second)) {
      if (address - before->first + bytes <= before->second) return;  // a member of it
      at = before;
    }
  }
  std::uint64_t end = address + bytes;
  while (at != extents_.end() && at->first < end) at = extents_.erase(at);
  extents_[address] = bytes;
  changed(address, bytes);
}

ObjectTracker::Regions::iterator ObjectTracker::region_of(std::uint64_t address) {
  if (last_ != regions_.end() && within(address, last_->first, last_->second.bytes)) return last_;
  auto region = regions_.upper_bound(address);
  if (region == regions_.begin()) return regions_.end();
  --region;
  if (!within(address, region->first, region->second.bytes)) return regions_.end();
  return last_ = region;
}

std::uint64_t ObjectTracker::base_of(std::uint64_t address, bool classified, std::uint32_t offset,
                                     Regions::iterator region) const {
  const bool known = region != regions_.end();
  const std::uint64_t start = known ? region->first : 0;
  if (known && region->second.class_bytes != 0) {
    const std::uint64_t size = region->second.class_bytes;
    const std::uint64_t bytes = region->second.bytes;
    if (bytes < 2 * size) return start;
    // An array; its length, where new[] keeps it, comes first.
    const std::uint64_t cookie = bytes % size;
    if (address - start < cookie) return start;
    return start + cookie + (address - start - cookie) / size * size;
  }
  auto extent = extents_.upper_bound(address);
  if (extent != extents_.begin()) {
    --extent;
    if (within(address, extent->first, extent->second) && extent->first >= start) {
      if (!known || region->second.kind == Kind::kHeap) return extent->first;
      // In a variable: an element if the variable is an array of such, else a member.
      const bool element = region->second.bytes % extent->second == 0 &&
                           (extent->first - start) % extent->second == 0;
      return element ? extent->first : start;
    }
  }
  if (classified && offset != kUnknownOffset && address - start >= offset) return address - offset;
  return known ? start : address;
}

ObjectNumber ObjectTracker::object_at(std::uint64_t base, Regions::iterator region) {
  if (const ObjectNumber* known = by_base_.find(base)) return *known;
  const ObjectNumber number = make(base);
  by_base_[base] = number;
  if (region != regions_.end()) region->second.bases.push_back(base);
  return number;
}

ObjectTracker::Place ObjectTracker::find(std::uint64_t address, bool classified,
                                         std::uint32_t offset) {
  Place place;
  if (!declared_.empty()) {
    auto declared = declared_.upper_bound(address);
    if (declared != declared_.begin() &&
        within(address, std::prev(declared)->first, std::prev(declared)->second.bytes)) {
      place.object = std::prev(declared)->second.object;
      return place;
    }
  }
  auto region = region_of(address);
  if (region != regions_.end()) place.life = region->second.life;
  // The owner's memory may itself be owned.
  for (int i = 0; i < kMostOwners && region != regions_.end(); ++i) {
    HostRegion& memory = region->second;
    if (memory.owner == kNoObjectNumber) break;
    if (objects_[memory.owner].life != memory.owner_life) {
      memory.owner = kNoObjectNumber;  // the owner is gone
      break;
    }
    if (!place.owned) place.region = region->first;
    place.owned = true;
    place.object = memory.owner;
    region = region_of(objects_[memory.owner].base);
  }
  if (!place.owned) place.object = object_at(base_of(address, classified, offset, region), region);
  return place;
}

void ObjectTracker::release(std::uint64_t start) {
  const auto region = regions_.find(start);
  if (region == regions_.end()) return;
  region->second.owner = kNoObjectNumber;
  changed(start, region->second.bytes);
}

}  // namespace raddle
