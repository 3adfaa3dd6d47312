#include "host/campaign/feedback/observation.hpp"

#include <algorithm>
#include <array>

#include "protocol/uses.hpp"

namespace raddle {
namespace {

// Of one object: more places than these make no more pairs.
constexpr std::size_t kMostPlaces = 32;

enum class Kind : std::uint64_t { kReadsFrom = 1, kOrder, kWake };

std::uint64_t hash_of(Kind kind, std::uint64_t first, std::uint64_t second) {
  // Addresses leave the highest bits free.
  std::uint64_t hash = (first ^ static_cast<std::uint64_t>(kind) << 60) * 0x9e3779b97f4a7c15ULL;
  hash = (hash ^ (hash >> 31)) + second * 0xbf58476d1ce4e5b9ULL;
  hash = (hash ^ (hash >> 29)) * 0x94d049bb133111ebULL;
  return hash ^ (hash >> 32);
}

template <typename T>
void sort_once(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Most steps repeat what steps shortly before them showed: a table of what was last added, by hash,
// keeps those out.
class Recently {
 public:
  bool is_new(std::uint64_t hash) {
    std::uint64_t& slot = slots_[hash % slots_.size()];
    if (slot == hash) return false;
    slot = hash;
    return true;
  }

 private:
  std::array<std::uint64_t, 1024> slots_{};
};

struct ObjectState {
  std::uint64_t last_write = 0;
  std::uint64_t last_place = 0;
  ThreadId last_thread = kNoThread;
  bool last_wrote = false;
  bool shared = false;
  UsedBy used;
};

void add_place(std::vector<std::uint64_t>& places, std::uint64_t place) {
  if (places.size() < kMostPlaces && std::find(places.begin(), places.end(), place) == places.end())
    places.push_back(place);
}

class Observing {
 public:
  void step(const StepRecord& step) {
    const std::uint8_t uses = uses_of(step.op);
    const bool wakes = step.op == OpKind::cond_wake;
    if (step.object == kNoObject || (uses == 0 && !wakes)) return;
    if (raw(step.object) >= objects_.size()) objects_.resize(raw(step.object) + 1);
    ObjectState& object = objects_[raw(step.object)];
    if (wakes) return add(hash_of(Kind::kWake, object.last_write, step.site));
    const bool reads = (uses & kReadsObject) != 0;
    const bool writes = (uses & kWritesObject) != 0;
    const bool claims = (uses & kClaimsObject) != 0;
    if (reads) {
      const std::uint64_t hash = hash_of(Kind::kReadsFrom, object.last_write, step.site);
      if (recently_.is_new(hash)) {
        seen_.push_back(hash);
        shown_.reads_from.push_back({step.site, object.last_write});
      }
    }
    if (object.last_thread != step.thread && object.last_thread != kNoThread) {
      object.shared = true;
      if (object.last_wrote || writes || claims)
        add(hash_of(Kind::kOrder, object.last_place, step.site));
    }
    if (reads) add_place(object.used.reads, step.site);
    if (claims) add_place(object.used.claims, step.site);
    if (writes) {
      add_place(object.used.writes, step.site);
      object.last_write = step.site;
    }
    object.last_place = step.site;
    object.last_thread = step.thread;
    object.last_wrote = writes || claims;
  }

  Observation result() {
    sort_once(shown_.reads_from);
    sort_once(seen_);
    shown_.seen = std::move(seen_);
    Recently kinds;
    for (ObjectState& object : objects_) {
      if (!object.shared) continue;
      UsedBy& used = object.used;
      std::uint64_t hash = 0;
      for (std::vector<std::uint64_t>* places : {&used.reads, &used.writes, &used.claims}) {
        std::sort(places->begin(), places->end());
        for (const std::uint64_t place : *places) hash = hash_of(Kind::kOrder, hash, place);
        hash = hash_of(Kind::kOrder, hash, places->size());
      }
      if (kinds.is_new(hash)) shown_.objects.push_back(std::move(used));
    }
    return std::move(shown_);
  }

 private:
  void add(std::uint64_t hash) {
    if (recently_.is_new(hash)) seen_.push_back(hash);
  }

  Observation shown_;
  std::vector<std::uint64_t> seen_;
  std::vector<ObjectState> objects_;  // by number
  Recently recently_;
};

}  // namespace

Observation observe(std::span<const StepRecord> log) {
  Observing observing;
  for (const StepRecord& step : log) observing.step(step);
  return observing.result();
}

}  // namespace raddle
