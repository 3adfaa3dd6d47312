#include "host/cli/running/event_names.hpp"

#include <fstream>
#include <iterator>

#include "host/describe/property_event.hpp"

namespace raddle {

// Every program that raddle-c++ --mop has made contains this name; the second text is of the
// library that it is linked with, and stays when the symbols are stripped.
bool has_property(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return bytes.find("raddle_mop_") != std::string::npos ||
         bytes.find("cannot be enforced: `") != std::string::npos;
}

void EventNames::see(const Explored& execution) {
  for (const Pending& p : execution.pending) {
    if (p.op == OpKind::monitor_event) sites_.insert(p.site);
  }
}

std::vector<std::string> EventNames::properties(const std::string& maps) {
  symbols_.set_maps(maps);
  std::set<std::string> names;
  for (const std::uint64_t site : sites_) {
    if (const auto event = property_event(symbols_.function_of(site)))
      names.insert(event->property);
  }
  return {names.begin(), names.end()};
}

DelayReport EventNames::named(const EventDelays& delays, const std::string& maps) {
  symbols_.set_maps(maps);
  DelayReport report{delays, {}, false};
  for (const GameEvent& event : delays.events) {
    NamedEvent& named = report.events.emplace_back();
    if (auto of = property_event(symbols_.function_of(event.site))) {
      named.property = std::move(of->property);
      named.event = std::move(of->event);
    }
    named.thread = raw(event.thread);
    named.ordinal = event.ordinal;
    if (event.caller != 0)
      named.place = short_place(symbols_.frames(event.caller, true).front().where);
  }
  return report;
}

}  // namespace raddle
