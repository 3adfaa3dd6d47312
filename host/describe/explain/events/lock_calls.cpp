#include "host/describe/explain/events/lock_calls.hpp"

#include "host/symbols/place.hpp"

namespace raddle {

bool locks_as_in_c(const KeptTrace& trace) {
  bool any = false;
  for (const Event& event : trace.all()) {
    const bool has_again = (event.flags & kByWait) != 0;
    const bool locks = event.kind == EventKind::acquire && !has_again;
    if (!locks && event.kind != EventKind::wait) continue;
    const std::vector<SiteFrame>& frames = trace.site(event.site).frames;
    if (frames.empty() || frames.front().file.empty() || is_system_header(frames.front().file))
      return false;
    any = true;
  }
  return any;
}

}  // namespace raddle
