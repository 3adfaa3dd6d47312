#include "host/describe/explain/events/step_events.hpp"

#include <algorithm>
#include <optional>

#include "host/describe/explain/events/accesses.hpp"

namespace raddle {

std::vector<std::size_t> events_of(const KeptTrace& trace, std::uint64_t step) {
  std::vector<std::size_t> found;
  const std::vector<Event>& events = trace.all();
  const auto at = std::lower_bound(events.begin(), events.end(), step,
                                   [](const Event& one, std::uint64_t s) { return one.step < s; });
  std::optional<std::uint64_t> lock;
  for (auto i = static_cast<std::size_t>(at - events.begin()); i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.step != step && (!lock || found.empty())) break;
    if (event.kind == EventKind::decision) continue;
    if (!found.empty() && event.thread != events[found.front()].thread) continue;
    const bool given_back = event.kind == EventKind::release && event.value == 0;
    if (lock && given_back && event.object == *lock) break;
    if (!lock && event.kind == EventKind::acquire && event.value == 1) lock = event.object;
    found.push_back(i);
  }
  return found;
}

bool reads_after_end(const KeptTrace& trace, ThreadId thread, ThreadId other) {
  constexpr std::size_t kReadLast = 64;  // places
  const AccessHistory history(trace);
  std::size_t last = trace.all().size();
  for (const Access& read : history.last_reads(thread, last, kReadLast)) {
    if (!history.is_shared(trace.all()[read.event].object)) continue;
    last = read.event;
    break;
  }
  return std::any_of(trace.all().begin(), trace.all().begin() + static_cast<std::ptrdiff_t>(last),
                     [&](const Event& event) {
                       return event.kind == EventKind::thread_end && event.thread == other;
                     });
}

}  // namespace raddle
