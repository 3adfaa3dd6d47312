#include "host/report/results/hunt/hunt_causes.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "host/report/same_finding.hpp"

namespace raddle {
namespace {

PartOf failure_of(const HuntFinding& one, const HuntResult& result,
                  const std::vector<std::size_t>& first) {
  for (std::size_t i = 0; i < result.failures.size(); ++i) {
    const HuntFailure& failure = result.failures[i];
    const bool led_to_it =
        one.level == FindingLevel::kFailing && one.group == failure.failure.group;
    if (led_to_it || belongs_to(one.story, failure.group.explanation)) {
      return {PartOf::Kind::kFailure, first[i]};
    }
  }
  return {};
}

// A lock that both have for reading only, and the function that writes all the same: whatever it
// writes, the lock does not guard it.
std::string held_for_reading(const FindingStory& story) {
  std::string function;
  std::vector<std::string> common;
  bool any = false;
  for (const StoryStep& step : story.steps) {
    if (!is_access(step.kind)) continue;
    const bool writes = step.kind == EventKind::write || step.kind == EventKind::write_range;
    if (writes && function.empty()) function = step.where.function;
    std::vector<std::string> shared;
    for (const std::string& lock : step.locks) {
      const bool known = !any || std::find(common.begin(), common.end(), lock) != common.end();
      if (lock.ends_with(kForReading) && known) shared.push_back(lock);
    }
    common = shared;
    any = true;
  }
  return common.empty() || function.empty() ? std::string() : common.back() + " " + function;
}

// What goes wrong with one object, or in one unit, goes wrong in many places of it: one cause, of
// which the first tells as much as all.
class FirstOfEach {
 public:
  PartOf add(const FindingStory& story, std::size_t index) {
    const bool unit = !story.units.empty() && !story.units[0].name.empty();
    const auto [object, new_object] = first_.try_emplace("object " + story.object, index);
    PartOf part;
    if (!new_object) part = {PartOf::Kind::kCandidate, object->second};
    if (const std::string pointer = pointer_to(story); !pointer.empty()) {
      const auto [first, fresh] = first_.try_emplace("pointer " + pointer, index);
      if (!fresh && new_object) part = {PartOf::Kind::kCandidate, first->second};
    }
    if (const std::string flag = flag_of(story); !flag.empty()) {
      const auto [first, fresh] = first_.try_emplace("flag " + flag, index);
      if (!fresh && new_object) part = {PartOf::Kind::kCandidate, first->second};
    }
    if (const std::string lock = held_for_reading(story); !lock.empty()) {
      const auto [first, fresh] = first_.try_emplace("reading " + lock, index);
      if (!fresh && new_object) part = {PartOf::Kind::kCandidate, first->second};
    }
    if (!unit) return part;
    const auto [same, new_unit] = first_.try_emplace("unit " + story.units[0].name, index);
    if (!new_unit && new_object) part = {PartOf::Kind::kCandidate, same->second};
    return part;
  }

 private:
  std::map<std::string, std::size_t> first_;
};

// The candidate that is the race on the pointer by which this one's thread came to its memory: as
// long as that is not ordered, nothing behind it is.
PartOf pointer_race(const FindingStory& story, const std::vector<HuntFinding>& candidates,
                    FindingLevel least) {
  const std::string pointer = pointer_to(story);
  if (pointer.empty()) return {};
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const FindingStory& other = candidates[i].story;
    if (candidates[i].level >= least && other.kind == FindingKind::race &&
        other.published.empty() && other.object == pointer) {
      return {PartOf::Kind::kCandidate, i};
    }
  }
  return {};
}

}  // namespace

std::string pointer_to(const FindingStory& story) {
  return story.published.empty() ? std::string() : story.published.front().object;
}

std::string flag_of(const FindingStory& story) {
  return story.announced.empty() ? std::string() : story.announced.front().object;
}

std::vector<PartOf> parts_of(const HuntReport& report) {
  const HuntResult& result = report.result;
  std::vector<PartOf> parts(result.candidates.size());
  const std::vector<std::size_t> first = first_of_cause(result);
  FirstOfEach others;
  const FindingLevel least = report.strict ? FindingLevel::kSeen : FindingLevel::kHarmful;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const HuntFinding& one = result.candidates[i];
    if (one.level < least) continue;
    parts[i] = failure_of(one, result, first);
    if (parts[i].kind == PartOf::Kind::kNothing && one.level != FindingLevel::kFailing)
      parts[i] = pointer_race(one.story, result.candidates, least);
    const bool own = parts[i].kind == PartOf::Kind::kNothing;
    if (own && one.level != FindingLevel::kFailing) parts[i] = others.add(one.story, i);
  }
  // Whatever the first of its kind is a part of, this is a part of, too.
  for (PartOf& part : parts) {
    while (part.kind == PartOf::Kind::kCandidate &&
           parts[part.index].kind != PartOf::Kind::kNothing) {
      part = parts[part.index];
    }
  }
  return parts;
}

// Nobody explains it; but it failed where the other one uses what has ended, and another thread is
// where that ends, or what the other one is about was seen in executions that fail so: the object
// was being changed yet.
static bool is_before_end(const HuntFailure& unexplained, const HuntFailure& other,
                          const HuntResult& result) {
  const Explanation& why = other.group.explanation;
  const Failure& failure = unexplained.failure;
  const auto same = [](const Where& one, const Where& two) {
    return one.line != 0 && one.line == two.line && one.file == two.file;
  };
  if (why.cause != Cause::kUseAfterFree || !same(failure.where, why.last.where)) return false;
  const bool meanwhile =
      std::any_of(failure.threads.begin(), failure.threads.end(), [&](const ThreadLine& thread) {
        return thread.id != failure.thread &&
               std::any_of(thread.stack.begin(), thread.stack.end(),
                           [&](const Frame& frame) { return same(frame.where, why.first.where); });
      });
  return meanwhile || std::any_of(result.candidates.begin(), result.candidates.end(),
                                  [&](const HuntFinding& one) {
                                    return one.level == FindingLevel::kFailing &&
                                           one.group == failure.group && belongs_to(one.story, why);
                                  });
}

std::vector<std::size_t> first_of_cause(const HuntResult& result) {
  const std::vector<HuntFailure>& failures = result.failures;
  std::vector<std::size_t> first(failures.size());
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const Explanation& own = failures[i].group.explanation;
    first[i] = i;
    for (std::size_t earlier = 0; earlier < i && first[i] == i; ++earlier) {
      const HuntFailure& other = failures[earlier];
      const bool same = own.empty() ? is_same_fault(failures[i].failure, other.failure,
                                                    other.group.explanation) ||
                                          is_before_end(failures[i], other, result)
                                    : says_the_same(other.group.explanation, own);
      if (same) first[i] = first[earlier];
    }
  }
  return first;
}

std::vector<std::optional<std::size_t>> failures_of_misuses(const HuntResult& result) {
  std::vector<std::optional<std::size_t>> found(result.misuses.size());
  const std::vector<std::size_t> first = first_of_cause(result);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Explanation& own = result.misuses[i].explanation;
    for (std::size_t k = 0; k < first.size() && !own.empty() && !found[i]; ++k)
      if (says_the_same(result.failures[k].group.explanation, own)) found[i] = first[k];
  }
  return found;
}

bool counts(const HuntFailure& failure, const HuntReport& report) {
  return report.strict || !is_rare(failure);
}

std::size_t failing_causes(const HuntReport& report) {
  const HuntResult& result = report.result;
  const std::vector<std::size_t> first = first_of_cause(result);
  std::size_t causes = 0;
  for (std::size_t i = 0; i < first.size(); ++i)
    causes += first[i] == i && counts(result.failures[i], report) ? 1 : 0;
  return causes;
}

std::size_t part_number(const PartOf& part, const HuntResult& result) {
  switch (part.kind) {
    case PartOf::Kind::kNothing:
      return 0;
    case PartOf::Kind::kFailure:
      return part.index + 1;
    case PartOf::Kind::kCandidate:
      return result.failures.size() + part.index + 1;
  }
  return 0;
}

}  // namespace raddle
