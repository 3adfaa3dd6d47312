#include "host/describe/finding_story.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/printable.hpp"
#include "host/describe/event_words.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

Where where_of(const SiteName& site) {
  return {printable(site.file), site.line, printable(site.function)};
}

// What was read or written, if that is known.
std::optional<std::uint64_t> value_of(const Event& event) {
  if ((event.flags & kNoValue) != 0) return {};
  if (event.kind == EventKind::read || event.kind == EventKind::write ||
      event.kind == EventKind::atomic_load) {
    return event.value;
  }
  if (event.kind == EventKind::atomic_store) return event.value2;
  return {};
}

// "enters the block" of what kind of block, in words.
std::string entry_words(const FindingStep& step, const SiteName& site) {
  const std::string on = step.object.empty() ? "" : " on " + step.object;
  const EventKind kind = step.event.kind;
  if (kind == EventKind::acquire) return fmt::format("{}: acquires {}", step.role, step.object);
  if (kind == EventKind::enter && !site.function.empty())
    return fmt::format("enters {}{}", site.function, on);
  if ((kind == EventKind::block_enter || kind == EventKind::unit_enter) && !site.field.empty())
    return fmt::format("{} \"{}\"{}", step.role, site.field, on);
  return step.role + on;
}

std::string words_of(const FindingStep& step, const ObjectNames& names) {
  if (step.role.rfind("enters", 0) == 0) return entry_words(step, names.sites()[step.event.site]);
  std::string words = step.role;
  if (!step.object.empty()) {
    // "commits at release of m", but "releases m".
    words += (words.find(" at ") != std::string::npos ? " of " : " ") + step.object;
  }
  // A pointer's target is not named: by now something else may be there.
  static const ObjectNames kNoNames;
  if (const auto value = value_of(step.event)) {
    words += " = " + value_words(*value, step.event.size, kNoNames);
  }
  return words;
}

StoryStep describe_step(const FindingStep& step, const ObjectNames& names, SourceLines& sources) {
  const SiteName& site = names.sites()[step.event.site];
  StoryStep story;
  story.thread = raw(step.event.thread);
  story.thread_name = printable(names.thread_name(step.event.thread));
  story.step = step.event.step;
  story.role = printable(step.role);
  story.words = printable(words_of(step, names));
  story.where = where_of(site);
  story.place = printable(site.place);
  story.source = sources.line(site.file, site.line);
  story.object = printable(step.object);
  story.value = value_of(step.event);
  for (const std::string& lock : step.locks) story.locks.push_back(printable(lock));
  for (const SiteId id : step.stack) {
    const SiteName& function = names.sites()[id];
    story.stack.push_back(where_of(function));
    if (function.in_program && !function.function.empty())
      story.inside.push_back(printable(function.function));
  }
  // Where the functions are not events, the place itself says one.
  if (story.inside.empty() && site.in_program && !site.function.empty())
    story.inside.push_back(story.where.function);
  return story;
}

}  // namespace

std::string finding_id(const Finding& finding) { return fmt::format("{:016x}", finding.place); }

const char* finding_level_text(FindingLevel level) {
  switch (level) {
    case FindingLevel::kCandidate:
      return "candidate";
    case FindingLevel::kConfirmed:
      return "confirmed";
    case FindingLevel::kFailing:
      return "failing";
  }
  return "candidate";
}

FindingStory describe(const Finding& finding, const ObjectNames& names, SourceLines& sources) {
  FindingStory story;
  story.kind = finding.kind;
  story.level = finding.level;
  story.pattern = finding.pattern;
  story.id = finding_id(finding);
  story.count = finding.count;
  story.what = printable(finding.what);
  story.why = printable(finding.why);
  story.object = printable(finding.object);
  for (const FindingStep& step : finding.steps)
    story.steps.push_back(describe_step(step, names, sources));
  return story;
}

}  // namespace raddle
