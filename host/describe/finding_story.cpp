#include "host/describe/finding_story.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "host/base/printable.hpp"
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

// What the step enters, if that has a name.
std::string entered_by(const FindingStep& step, const SiteName& site) {
  if (!is_entry(step.role)) return {};
  const EventKind kind = step.event.kind;
  if (kind == EventKind::enter) return site.function;
  return kind == EventKind::block_enter || kind == EventKind::unit_enter ? site.field
                                                                         : std::string();
}

StoryStep describe_step(const FindingStep& step, const ObjectNames& names, SourceLines& sources) {
  const SiteName& site = names.sites()[step.event.site];
  StoryStep story;
  story.thread = step.event.thread;
  story.thread_name = printable(names.thread_name(step.event.thread));
  const ThreadName thread = names.named_thread(step.event.thread);
  if (!thread.given) story.runs = printable(thread.name);
  story.step = step.event.step;
  story.role = step.role;
  story.kind = step.event.kind;
  story.entered = printable(entered_by(step, site));
  story.where = where_of(site);
  story.place = printable(site.place);
  story.source = sources.line(site.file, site.line);
  story.object = printable(step.object);
  story.value = value_of(step.event);
  story.bytes = step.event.size;
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

// The innermost function that the thread is in at all of its steps; "" if that is not known.
std::string common_function(const std::vector<StoryStep>& steps, ThreadId thread) {
  std::vector<std::string> common;
  bool first = true;
  for (const StoryStep& step : steps) {
    if (step.thread != thread) continue;
    if (std::exchange(first, false)) common = step.inside;
    std::erase_if(common, [&](const std::string& function) {
      return std::find(step.inside.begin(), step.inside.end(), function) == step.inside.end();
    });
  }
  return common.empty() ? std::string() : common.front();
}

}  // namespace

std::string finding_id(const Finding& finding) {
  constexpr std::size_t kDigits = 16;
  std::array<char, kDigits> digits{};
  const char* end = std::to_chars(digits.data(), digits.data() + kDigits, finding.place, 16).ptr;
  const std::string id(digits.data(), static_cast<std::size_t>(end - digits.data()));
  return std::string(kDigits - id.size(), '0') + id;
}

FindingStory describe(const Finding& finding, const ObjectNames& names, SourceLines& sources) {
  FindingStory story;
  story.kind = finding.kind;
  story.level = finding.level;
  story.declared = finding.declared;
  story.rests_on_inference = rests_on_inference(finding);
  story.meant_as_atomic = finding.meant_as_atomic;
  story.pattern = finding.pattern;
  story.id = finding_id(finding);
  story.count = finding.count;
  story.what = printable(finding.what);
  story.why = printable(finding.why);
  story.object = printable(finding.object);
  for (const std::string& name : finding.maybe_ordered_by)
    story.maybe_ordered_by.push_back(printable(name));
  for (const FindingStep& step : finding.steps)
    story.steps.push_back(describe_step(step, names, sources));
  for (const FindingUnit& unit : finding.units) {
    const std::string name = unit.origin == UnitOrigin::lock_twice
                                 ? common_function(story.steps, unit.thread)
                                 : printable(unit.name);
    story.units.push_back({printable(names.thread_name(unit.thread)), unit.origin, name});
  }
  return story;
}

}  // namespace raddle
