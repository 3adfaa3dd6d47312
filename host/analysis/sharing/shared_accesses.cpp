#include "host/analysis/sharing/shared_accesses.hpp"

#include "host/symbols/place.hpp"

namespace raddle {

void LifeOwners::touch(LifeNumber life, ThreadId thread, MemoryLives::Touch touch) {
  if (life >= owners_.size()) owners_.resize(std::size_t{life} + 1, kNobody);
  std::uint16_t& owner = owners_[life];
  if (touch == MemoryLives::Touch::kByOthers) {
    owner = kSeveral;
  } else if (owner == kNobody && raw(thread) != kNobody) {
    owner = raw(thread);
  } else if (owner != raw(thread)) {
    owner = kSeveral;
  }
}

void SharingSurvey::events(std::span<const Event> events) {
  for (const Event& event : events) {
    lives_.on_event(event, [&](LifeNumber life, MemoryLives::Touch touch) {
      owners_.touch(life, event.thread, touch);
    });
  }
}

void SharedAccesses::define_site(SiteId id, const Site& site) {
  repeated_.define_site(id, site);
  first_.define_site(id, !site.frames.empty() && is_system_header(site.frames.front().file));
}

bool SharedAccesses::keeps(const Event& event) {
  bool shared = false;
  bool freed = false;
  lives_.on_event(event, [&](LifeNumber life, MemoryLives::Touch) {
    shared = shared || owners_.shared(life);
    freed = freed || life == kFreedLife;
  });
  const bool repeated = repeated_.on_event(event);
  const bool first = first_.on_event(event);
  return !is_access(event.kind) || first || freed || (shared && !repeated);
}

}  // namespace raddle
