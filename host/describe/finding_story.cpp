#include "host/describe/finding_story.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "host/base/printable.hpp"
#include "host/symbols/place.hpp"
#include "protocol/site.hpp"

namespace raddle {
namespace {

Where where_of(const SiteName& site) {
  return {printable(site.file), site.line, printable(site.function)};
}

// What was read or written, if that is known, and something that a person knows.
std::optional<std::uint64_t> value_of(const Event& event, const SiteName& site) {
  if ((event.flags & kNoValue) != 0 || (site.flags & kSiteNoNumber) != 0) return {};
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

// As the compiler described the place, and what it inlined it into.
void add_frames(const std::vector<SiteFrame>& frames, std::vector<Where>& stack) {
  for (const SiteFrame& frame : frames) {
    if (frame.file.empty() || is_system_header(frame.file)) continue;
    stack.push_back(
        {printable(frame.file), frame.line, printable(without_long_arguments(frame.function))});
  }
}

// Whether one of the frames is a line that somebody wrote for this program.
bool has_own_line(const std::vector<SiteFrame>& frames) {
  return std::any_of(frames.begin(), frames.end(), [](const SiteFrame& frame) {
    return !frame.file.empty() && !is_system_header(frame.file) && !is_unwritten(frame);
  });
}

// What a library's header does, or a function that nobody wrote, is done where the program calls
// it.
void place_at_caller(const FindingStep& step, StoryStep& story) {
  if (step.frames.empty() || has_own_line(step.frames)) return;
  std::vector<Where> unwritten;
  add_frames(step.frames, unwritten);
  const auto outside = static_cast<std::ptrdiff_t>(std::min(unwritten.size(), story.stack.size()));
  const auto caller = std::find_if(story.stack.begin() + outside, story.stack.end(),
                                   [](const Where& where) { return where.line != 0; });
  if (caller == story.stack.end()) return;
  story.where.file = caller->file;
  story.where.line = caller->line;
  if (unwritten.empty()) story.where.function = caller->function;
  story.place = short_place(*caller);
}

// A call is in the function around it, with what that was inlined into. Where the files are gone,
// the functions are known, but not their lines.
std::vector<Where> stack_of(const FindingStep& step, const ObjectNames& names,
                            StorySources& sources) {
  std::vector<Where> stack;
  add_frames(step.frames, stack);
  for (std::size_t i = 0; i < step.calls.size(); ++i) {
    if (step.calls[i] == 0) continue;  // inlined: the frames before this have it
    CallFrames::Found found = sources.calls.at(step.calls[i], names.images());
    if (found.known) {
      stack.insert(stack.end(), found.frames.begin(), found.frames.end());
      continue;
    }
    for (std::size_t k = i + 1; k < step.stack.size(); ++k) {
      const SiteName& function = names.sites()[step.stack[k]];
      if (function.in_program)
        stack.push_back({printable(function.file), 0, printable(function.function)});
      if (k < step.calls.size() && step.calls[k] != 0) break;
    }
  }
  return stack;
}

StoryStep describe_step(const FindingStep& step, const ObjectNames& names, StorySources& sources) {
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
  story.object = printable(step.object);
  story.value = value_of(step.event, site);
  story.bytes = step.event.size;
  if (is_atomic(step.event.kind)) story.order = order_of(step.event);
  for (const std::string& lock : step.locks) story.locks.push_back(printable(lock));
  story.stack = stack_of(step, names, sources);
  place_at_caller(step, story);
  story.source = sources.lines.line(story.where.file, story.where.line);
  for (const SiteId id : step.stack) {
    const SiteName& function = names.sites()[id];
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

FindingStory describe(const Finding& finding, const ObjectNames& names, StorySources& sources) {
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
  for (const FindingStep& step : finding.published)
    story.published.push_back(describe_step(step, names, sources));
  for (const FindingStep& step : finding.announced)
    story.announced.push_back(describe_step(step, names, sources));
  for (const FindingUnit& unit : finding.units) {
    const std::string name = unit.origin == UnitOrigin::lock_twice
                                 ? common_function(story.steps, unit.thread)
                                 : printable(unit.name);
    story.units.push_back({printable(names.thread_name(unit.thread)), unit.origin, name});
  }
  return story;
}

}  // namespace raddle
