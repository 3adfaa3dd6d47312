#include "host/report/words/finding_words.hpp"

#include <fmt/format.h>

#include <vector>

#include "host/base/printable.hpp"
#include "host/report/words/event_words.hpp"
#include "host/report/words/explanation_words.hpp"
#include "host/report/words/published/published_words.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostInside = 4;  // functions of a stack that are shown

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

// "commits at release of m", but "releases m".
bool says_at(FindingRole role) {
  switch (role) {
    case FindingRole::commits_at_acquire:
    case FindingRole::commits_at_release:
    case FindingRole::commits_at_atomic:
    case FindingRole::commits_at_write:
    case FindingRole::commits_at_read:
    case FindingRole::commits_at_post:
    case FindingRole::violates_at_acquire:
    case FindingRole::violates_at_release:
    case FindingRole::violates_at_wait:
    case FindingRole::violates_at_atomic:
    case FindingRole::violates_at_write:
    case FindingRole::violates_at_read:
      return true;
    case FindingRole::reads:
    case FindingRole::writes:
    case FindingRole::updates:
    case FindingRole::accesses:
    case FindingRole::atomically_reads:
    case FindingRole::atomically_writes:
    case FindingRole::acquires:
    case FindingRole::acquires_for_reading:
    case FindingRole::releases:
    case FindingRole::takes_lock:
    case FindingRole::takes_in_between:
    case FindingRole::takes_again:
    case FindingRole::frees:
    case FindingRole::creates_thread:
    case FindingRole::joins_thread:
    case FindingRole::begins:
    case FindingRole::ends:
    case FindingRole::waits_on:
    case FindingRole::wakes_up_from:
    case FindingRole::notifies:
    case FindingRole::signals:
    case FindingRole::awaits:
    case FindingRole::is_at:
    case FindingRole::commits_at_fork:
    case FindingRole::violates_at_join:
    case FindingRole::enters_block:
    case FindingRole::enters_atomic_block:
    case FindingRole::enters_unit:
      return false;
  }
  return false;
}

bool says_acquire(const StoryStep& step) {
  return step.role == FindingRole::acquires || step.role == FindingRole::acquires_for_reading ||
         step.role == FindingRole::commits_at_acquire ||
         step.role == FindingRole::violates_at_acquire ||
         (is_entry(step.role) && step.kind == EventKind::acquire);
}

// The three parts of a violation of atomicity, which the Atomizer's report shows with their calls.
bool shows_calls(FindingRole role) {
  const auto at = static_cast<int>(role);
  return role == FindingRole::enters_atomic_block ||
         (at >= static_cast<int>(FindingRole::commits_at_acquire) &&
          at <= static_cast<int>(FindingRole::violates_at_read));
}

// "enters the block" of what kind of block.
std::string entry_words(const StoryStep& step) {
  const char* role = finding_role_text(step.role);
  if (step.kind == EventKind::acquire) return fmt::format("{}: acquires {}", role, step.object);
  const std::string on = step.object.empty() ? "" : " on " + step.object;
  if (step.entered.empty()) return role + on;
  if (step.kind == EventKind::enter) return fmt::format("enters {}{}", step.entered, on);
  return fmt::format("{} \"{}\"{}", role, step.entered, on);
}

}  // namespace

std::string finding_step_words(const StoryStep& step) {
  if (is_entry(step.role)) return entry_words(step);
  std::string words = finding_role_text(step.role);
  if (!step.object.empty()) words += (says_at(step.role) ? " of " : " ") + step.object;
  // A pointer's target is not named: by now something else may be there.
  static const ObjectNames kNoNames;
  if (step.value) words += " = " + value_words(*step.value, step.bytes, kNoNames);
  return words;
}

// "append (buffer.cpp:451)": with the line of the call in it, if that is known. The innermost is
// where the step itself is.
std::vector<std::string> with_lines(const StoryStep& step) {
  std::vector<std::string> functions = step.inside;
  std::size_t from = 0;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    for (std::size_t k = from; k < step.stack.size(); ++k) {
      const Where& where = step.stack[k];
      if (where.function != functions[i]) continue;
      from = k + 1;
      if (i > 0 && where.line != 0)
        functions[i] += fmt::format(" ({}:{})", base_name(where.file), where.line);
      break;
    }
  }
  return functions;
}

std::string inside_words(const StoryStep& step) {
  std::vector<std::string> functions = shows_calls(step.role) ? with_lines(step) : step.inside;
  const bool entered = step.kind == EventKind::enter && !step.entered.empty() &&
                       !functions.empty() && functions.front() == step.entered;
  if (entered) functions.erase(functions.begin());
  // Not where its line says which call it was.
  const bool titled = !functions.empty() && functions.back() == step.runs;
  if (titled) functions.pop_back();
  if (functions.empty()) return {};
  const bool cut = functions.size() > kMostInside;
  if (cut) functions.resize(kMostInside);
  return (entered ? "called by " : "in ") + joined(functions, " < ") + (cut ? " < ..." : "");
}

std::string locks_words(const StoryStep& step) {
  std::vector<std::string> locks = step.locks;
  const auto is_object = [&](const std::string& lock) {
    return lock == step.object || lock == step.object + kForReading;
  };
  const bool acquires =
      !locks.empty() && !step.object.empty() && is_object(locks.back()) && says_acquire(step);
  if (acquires) locks.pop_back();
  if (locks.empty()) return acquires || is_entry(step.role) ? "" : "no lock held that Raddle knows";
  return "holds " + joined(locks, ", ");
}

std::string why_words(const FindingStory& story) {
  std::string text = story.why;
  if (const std::string words = published_words(story); !words.empty())
    text += fmt::format(" {} Suggestion: {}", words, published_suggestion(story));
  if (story.explanation.empty()) return text;
  // What belongs to any use of freed memory stands there already.
  const bool plain = story.explanation.cause == Cause::kUseAfterFree &&
                     !(story.explanation.lock && story.explanation.lock->middle_shared);
  if (!plain)
    for (const std::string& sentence : explanation_sentences(story.explanation))
      text += " " + sentence;
  const std::string suggestion = suggestion_words(story.explanation);
  return suggestion.empty() ? text : text + " Suggestion: " + suggestion;
}

}  // namespace raddle
