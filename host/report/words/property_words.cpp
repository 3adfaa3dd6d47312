#include "host/report/words/property_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace raddle {
namespace {

constexpr std::size_t kShownHistories = 4;

std::string name_of(const NamedEvent& event) {
  if (event.property.empty()) return "an event";
  return fmt::format("`{}.{}'", event.property, event.event);
}

// "`Order.get' (T1 at order.cpp:14)"; which of its thread's, if another one looks the same.
std::string event_text(const DelayReport& report, std::uint32_t index) {
  const NamedEvent& event = report.events[index];
  const auto alike =
      std::count_if(report.events.begin(), report.events.end(), [&](const NamedEvent& other) {
        return other.property == event.property && other.event == event.event &&
               other.thread == event.thread && other.place == event.place;
      });
  return fmt::format("{} (T{}{}{})", name_of(event), event.thread,
                     event.place.empty() ? "" : " at " + event.place,
                     alike > 1 ? fmt::format(", its event {}", event.ordinal + 1) : "");
}

std::string listed(const DelayReport& report, const std::vector<std::uint32_t>& events,
                   const char* last) {
  std::string text;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i > 0) text += i + 1 == events.size() ? last : ", ";
    text += event_text(report, events[i]);
  }
  return text;
}

nlohmann::ordered_json event_json(const NamedEvent& event) {
  return {{"property", event.property},
          {"event", event.event},
          {"thread", event.thread},
          {"number", event.ordinal + 1},
          {"place", event.place}};
}

nlohmann::ordered_json events_json(const DelayReport& report,
                                   const std::vector<std::uint32_t>& events) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const std::uint32_t event : events) json.push_back(event_json(report.events[event]));
  return json;
}

std::string line_of(const DelayReport& report, const HeldEvent& held) {
  const std::string event = event_text(report, held.event);
  if (held.never) return event + " never goes";
  if (!held.listed)
    return fmt::format("{} goes after {}", event, listed(report, held.until, " and "));
  std::string text = event + " is held back after ";
  for (std::size_t i = 0; i < held.after.size() && i < kShownHistories; ++i) {
    const std::string before = listed(report, held.after[i], ", ");
    text += (i > 0 ? "; after " : "") + (before.empty() ? "no event" : before);
  }
  if (held.after.size() > kShownHistories)
    text += fmt::format("; and {} times more", held.after.size() - kShownHistories);
  return text;
}

}  // namespace

Enforceable enforceable(const DelayReport& report) {
  if (!report.delays.saw_events) return Enforceable::kNotKnown;
  if (report.delays.prospect == Prospect::kGood) return Enforceable::kYes;
  return report.delays.prospect == Prospect::kBad && !report.timed ? Enforceable::kNo
                                                                   : Enforceable::kNotKnown;
}

std::string delay_sentence(const DelayReport& report, std::uint64_t failing) {
  const EventDelays& delays = report.delays;
  if (!delays.saw_events)
    return "Enforceable? No event of an enforced property was seen: there is nothing to hold back.";
  switch (delays.prospect) {
    case Prospect::kGood:
      if (delays.held.empty() && failing == 0)
        return "Enforceable as it is: no event has to be held back.";
      return delays.least ? "Enforceable, if events are held back:"
                          : "Enforceable, if events are held back (maybe fewer than these: the "
                            "exploration ended early):";
    case Prospect::kBad:
      if (report.timed)
        return "Enforceable? Not known: an execution fails whatever is held back, but the program "
               "sleeps or waits with a time-out, and nobody waits for that while an event could "
               "go. --clock adversarial lets such waits end at any moment.";
      return "Not enforceable: whatever is held back, some execution fails.";
    case Prospect::kOpen:
      break;
  }
  return "Enforceable? Not known: the exploration ended early, or executions did not end.";
}

std::vector<std::string> delay_lines(const DelayReport& report) {
  std::vector<std::string> lines;
  for (const HeldEvent& held : report.delays.held) lines.push_back(line_of(report, held));
  return lines;
}

nlohmann::ordered_json delay_json(const DelayReport& report) {
  nlohmann::ordered_json json = {{"enforceable", nullptr},
                                 {"least", report.delays.least},
                                 {"states", report.delays.states},
                                 {"held", nlohmann::ordered_json::array()}};
  if (const Enforceable answer = enforceable(report); answer != Enforceable::kNotKnown)
    json["enforceable"] = answer == Enforceable::kYes;
  for (const HeldEvent& held : report.delays.held) {
    nlohmann::ordered_json one = {{"event", event_json(report.events[held.event])},
                                  {"never", held.never},
                                  {"until", nullptr},
                                  {"after", nlohmann::ordered_json::array()}};
    if (!held.never && !held.listed) one["until"] = events_json(report, held.until);
    for (const std::vector<std::uint32_t>& history : held.after)
      one["after"].push_back(events_json(report, history));
    json["held"].push_back(std::move(one));
  }
  return json;
}

std::string property_sentence(const std::vector<std::string>& properties,
                              const std::string& where) {
  std::string names;
  for (std::size_t i = 0; i < properties.size(); ++i) {
    if (i > 0) names += i + 1 == properties.size() ? " and " : ", ";
    names += properties[i];
  }
  const bool one = properties.size() == 1;
  return fmt::format("{} {} {}, and never {}, in {}.", one ? "Property" : "Properties", names,
                     one ? "holds" : "hold", one ? "deadlocks" : "deadlock", where);
}

}  // namespace raddle
