#include "host/report/trace_stats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/report/layout.hpp"

namespace raddle {

namespace {

constexpr std::size_t kShown = 10;

bool writes(const Event& event) {
  return event.kind == EventKind::write || event.kind == EventKind::write_range ||
         event.kind == EventKind::atomic_store || event.kind == EventKind::atomic_update ||
         (event.kind == EventKind::atomic_compare && (event.flags & kSuccess) != 0);
}

std::vector<TraceStats::Counted> most_frequent(std::vector<TraceStats::Counted> all,
                                               std::size_t most) {
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.events != b.events ? a.events > b.events : a.name < b.name;
  });
  if (all.size() > most) all.resize(most);
  return all;
}

double per_event(std::uint64_t bytes, std::uint64_t events) {
  return events == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(events);
}

}  // namespace

TraceStats::TraceStats(TraceFilter filter) : FilteredTrace(std::move(filter)) {}

std::size_t TraceStats::index_of(const std::string& name) {
  const auto entry = indices_.find(name);
  if (entry != indices_.end()) return entry->second;
  // One name more than allowed: that of the rest.
  if (indices_.size() == kMostNames) return index_of_rest();
  indices_.emplace(name, objects_.size());
  objects_.push_back({printable(name), 0, 0});
  return objects_.size() - 1;
}

std::size_t TraceStats::index_of_rest() {
  if (rest_ == 0) {
    objects_.push_back({"others", 0, 0});
    rest_ = objects_.size();
  }
  return rest_ - 1;
}

// A site that names the field needs no search for the object.
std::size_t TraceStats::object_index(const Event& event) {
  const SiteName& site = names().sites()[event.site];
  const bool by_site = site.has_member() || (site.flags & kSiteStatic) != 0;
  if (!by_site) return index_of(names().name(event, NameForm::kField));
  if (raw(event.site) >= by_site_.size()) by_site_.resize(raw(event.site) + std::size_t{1});
  std::size_t& known = by_site_[raw(event.site)];
  if (known == 0) {
    const std::string cls = names().sites().class_text(site.cls);
    known = index_of(site.has_member() ? cls + "::" + site.field
                                       : names().name(event, NameForm::kField)) +
            1;
  }
  return known - 1;
}

void TraceStats::show(const Event& event) {
  if (shown() == 1) first_step_ = event.step;
  ++kinds_[std::min<std::size_t>(static_cast<std::size_t>(event.kind), kEventKinds)];
  if (raw(event.thread) >= threads_.size()) threads_.resize(raw(event.thread) + std::size_t{1});
  ++threads_[raw(event.thread)];
  const bool access =
      is_access(event.kind) || (is_atomic(event.kind) && event.kind != EventKind::fence);
  if (!access && event.kind != EventKind::acquire) return;
  Counted& object = objects_[object_index(event)];
  ++object.events;
  object.writes += writes(event) ? 1 : 0;
  if (raw(event.site) >= sites_.size()) sites_.resize(raw(event.site) + std::size_t{1});
  ++sites_[raw(event.site)];
}

std::vector<TraceStats::Counted> TraceStats::kinds() const {
  std::vector<Counted> all;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i] != 0) all.push_back({event_text(static_cast<EventKind>(i)), kinds_[i], 0});
  }
  return most_frequent(std::move(all), kinds_.size());
}

std::vector<TraceStats::Counted> TraceStats::by_thread() const {
  std::vector<Counted> all;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const ThreadId id{static_cast<std::uint16_t>(i)};
    if (threads_[i] != 0) all.push_back({printable(names().thread_name(id)), threads_[i], 0});
  }
  return all;
}

std::vector<TraceStats::Counted> TraceStats::objects(std::size_t most) const {
  return most_frequent(objects_, most);
}

// Several sites may be the same line.
std::vector<TraceStats::Counted> TraceStats::sites(std::size_t most) const {
  std::unordered_map<std::string, std::uint64_t> places;
  for (std::size_t i = 1; i < sites_.size(); ++i) {
    if (sites_[i] == 0) continue;
    places[printable(names().sites().text(SiteId{static_cast<std::uint32_t>(i)}))] += sites_[i];
  }
  std::vector<Counted> all;
  for (const auto& [name, events] : places) {
    if (!name.empty()) all.push_back({name, events, 0});
  }
  return most_frequent(std::move(all), most);
}

std::string TraceStats::text(std::uint64_t bytes, const TextOptions& look) const {
  std::string out;
  const std::size_t width = usable_width(look);
  const auto heading = [&](const char* title) {
    out += fmt::format("\n{}\n", painted(title, Paint::kThread, look));
  };
  const auto list = [&](const std::vector<Counted>& all, bool with_writes) {
    for (const Counted& one : all) {
      std::string line = fmt::format("{:>14}  {}", grouped(one.events), one.name);
      if (with_writes && one.writes != 0) line += fmt::format("  ({} writes)", grouped(one.writes));
      out += cut_to_width(line, width) + "\n";
    }
  };
  out += fmt::format("{} events, {} threads, {} steps; {}\n", grouped(seen()), threads(),
                     grouped(last_step() + (seen() == 0 ? 0 : 1)), end_words(end_));
  if (bytes != 0) {
    out += fmt::format("{} bytes on disk, {:.2f} an event\n", grouped(bytes),
                       per_event(bytes, seen()));
  }
  if (header_.shared_only) out += "shared accesses only: no memory that one thread alone touched\n";
  if (filter().is_narrow()) {
    out += fmt::format("the figures below are of the {} events that were asked for, from step {}\n",
                       grouped(shown()), first_step_);
  }
  heading("Events");
  list(kinds(), false);
  heading("Threads");
  const std::vector<Counted> all_threads = by_thread();
  list({all_threads.begin(), all_threads.begin() + static_cast<std::ptrdiff_t>(
                                                       std::min(all_threads.size(), 4 * kShown))},
       false);
  if (all_threads.size() > 4 * kShown) {
    out +=
        fmt::format("{:>14}  and {} more (--json has all)\n", "", all_threads.size() - 4 * kShown);
  }
  if (!objects_.empty()) {
    heading("Accessed and locked most");
    list(objects(kShown), true);
    heading("Where");
    list(sites(kShown), false);
  }
  return out;
}

nlohmann::json TraceStats::json(std::uint64_t bytes) const {
  using nlohmann::json;
  const auto list = [](const std::vector<Counted>& all, bool with_writes) {
    json array = json::array();
    for (const Counted& one : all) {
      json entry = {{"name", one.name}, {"events", one.events}};
      if (with_writes) entry["writes"] = one.writes;
      array.push_back(std::move(entry));
    }
    return array;
  };
  return {{"command", "trace"},
          {"program", printable(header_.program)},
          {"shared_only", header_.shared_only},
          {"events", seen()},
          {"shown", shown()},
          {"threads", list(by_thread(), false)},
          {"steps", last_step() + (seen() == 0 ? 0 : 1)},
          {"complete", end_.complete},
          {"outcome", printable(end_.outcome)},
          {"message", printable(end_.message)},
          {"bytes", bytes},
          {"bytes_per_event", per_event(bytes, seen())},
          {"kinds", list(kinds(), false)},
          {"objects", list(objects(100), true)},
          {"sites", list(sites(100), false)}};
}

}  // namespace raddle
