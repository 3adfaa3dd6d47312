#include "host/describe/explain/events/release_place.hpp"

#include <algorithm>

#include "host/base/printable.hpp"
#include "host/symbols/names.hpp"
#include "host/symbols/place.hpp"

namespace raddle {

std::optional<Where> release_place(const KeptTrace& trace, std::size_t release) {
  const std::vector<SiteFrame>& frames = trace.site(trace.all()[release].site).frames;
  const auto own = std::find_if(frames.begin(), frames.end(), [](const SiteFrame& frame) {
    return !frame.file.empty() && !is_system_header(frame.file);
  });
  if (own == frames.end() || own->line == 0) return std::nullopt;
  return Where{printable(display_path(own->file)), own->line,
               printable(short_function(own->function))};
}

std::optional<Where> release_between(const KeptTrace& trace, ThreadId thread, std::uint64_t lock,
                                     std::size_t from, std::size_t to) {
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = from; i < to && i < events.size(); ++i) {
    const bool releases = events[i].kind == EventKind::release && events[i].value == 0;
    if (releases && events[i].thread == thread && events[i].object == lock)
      return release_place(trace, i);
  }
  return std::nullopt;
}

}  // namespace raddle
