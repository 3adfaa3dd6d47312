// Accesses that say nothing new: see shared_accesses.hpp. One thread.
#pragma once

#include <vector>

#include "host/symbols/site.hpp"
#include "protocol/event.hpp"

namespace raddle {

class RepeatedAccesses {
 public:
  // Ids count up from 1.
  void define_site(SiteId id, const Site& site) {
    volatile_.resize(std::size_t{raw(id)} + 1);
    volatile_[raw(id)] = (site.flags & kSiteVolatile) != 0;
  }

  // Every event, in order. Whether it is the third of its kind in a row, or a later one.
  bool on_event(const Event& event) {
    times_ = same(event, last_) ? times_ + 1 : 1;
    last_ = event;
    const bool is_volatile = raw(event.site) < volatile_.size() && volatile_[raw(event.site)];
    return times_ > 2 && is_access(event.kind) && !is_volatile;
  }

 private:
  static bool same(const Event& a, const Event& b) {
    return a.object == b.object && a.site == b.site && a.kind == b.kind && a.value == b.value &&
           a.thread == b.thread && a.step == b.step && a.context == b.context &&
           a.flags == b.flags && a.size == b.size && a.value2 == b.value2;
  }

  std::vector<bool> volatile_;  // by SiteId
  Event last_{};
  std::uint64_t times_ = 0;
};

}  // namespace raddle
