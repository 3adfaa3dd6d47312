#include "host/describe/explain/events/step_places.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "host/symbols/place.hpp"

namespace raddle {
namespace {

bool shows_memory(const KeptTrace& trace) {
  return std::any_of(trace.all().begin(), trace.all().end(), [](const Event& event) {
    return is_access(event.kind) || event.kind == EventKind::enter;
  });
}

bool is_all_in_headers(const Site& site) {
  return !site.frames.empty() &&
         std::all_of(site.frames.begin(), site.frames.end(), [](const SiteFrame& frame) {
           return !frame.file.empty() && is_system_header(frame.file);
         });
}

bool synchronises_by_lock(const Event& event) {
  return event.kind == EventKind::acquire || event.kind == EventKind::release ||
         event.kind == EventKind::wait;
}

}  // namespace

KeptTrace with_step_places(const KeptTrace& trace, const Failure& failure) {
  std::map<std::pair<std::uint16_t, std::uint64_t>, Where> places;
  for (const ThreadLine& thread : failure.threads) {
    for (const StepLine& step : thread.last_steps) {
      if (step.where.line != 0) places[{raw(thread.id), step.step}] = step.where;
    }
  }
  if (places.empty() || shows_memory(trace)) return trace;
  std::vector<Event> events = trace.all();
  std::vector<Site> more;
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t>, SiteId> known;
  for (Event& event : events) {
    const auto place = places.find({raw(event.thread), event.step});
    if (place == places.end() || !synchronises_by_lock(event)) continue;
    Site site = trace.site(event.site);
    if (!is_all_in_headers(site)) continue;
    const Where& where = place->second;
    const SiteId next{static_cast<std::uint32_t>(trace.sites() + more.size())};
    const auto [at, is_new] = known.try_emplace({raw(event.site), where.file, where.line}, next);
    event.site = at->second;
    if (!is_new) continue;
    site.frames.push_back({where.function, where.file, where.line, 0});
    site.stable = stable_hash(site);
    more.push_back(std::move(site));
  }
  return more.empty() ? trace : trace.retold(std::move(events), more);
}

}  // namespace raddle
