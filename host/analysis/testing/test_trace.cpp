// What a trace made by trace_builder.hpp can do.
#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {

Namer TestTrace::namer() const {
  std::map<std::uint64_t, std::string> names;
  for (const auto& [name, address] : objects) names[address] = name;
  Namer namer;
  namer.object = [names](std::uint64_t address) {
    auto at = names.upper_bound(address);
    if (at == names.begin()) return std::string();
    --at;
    const std::uint64_t shift = address - at->first;
    if (shift >= kTestObjectBytes) return std::string();
    return shift == 0 ? at->second : fmt::format("{}+{}", at->second, shift);
  };
  return namer;
}

void TestTrace::feed(EventSink& sink, std::size_t batch) const {
  sink.begin(header);
  for (std::size_t i = 0; i < sites.size(); ++i)
    sink.define_site(SiteId(static_cast<std::uint32_t>(i + 1)), sites[i]);
  for (const auto& [name, address] : objects) sink.define_object(address, 8, name);
  for (std::size_t at = 0; at < events.size(); at += batch)
    sink.events(std::span(events).subspan(at, std::min(batch, events.size() - at)));
  TraceEnd end;
  end.complete = true;
  end.events = events.size();
  sink.end(end);
}

std::string TestTrace::text(const Event& event) const {
  return fmt::format("T{} {}({})", raw(event.thread), event_text(event.kind),
                     namer().object(event.object));
}

}  // namespace raddle
