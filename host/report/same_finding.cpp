#include "host/report/same_finding.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "host/symbols/place.hpp"

namespace raddle {
namespace {

std::vector<Where> places_of(const Explanation& explanation) {
  std::vector<Where> places;
  places.reserve(explanation.steps.size() + 4);
  for (const ExplainedStep& step : explanation.steps) places.push_back(step.where);
  for (const ExplainedAccess* one : {&explanation.first, &explanation.middle, &explanation.last}) {
    places.push_back(one->where);
  }
  if (explanation.change) places.push_back(explanation.change->where);
  return places;
}

// "connection" of "connection.closed in main", "Gauge #1@main.cpp:56" of
// "Gauge::history_ #1@main.cpp:56".
std::string variable_of(const std::string& name) {
  const std::size_t number = name.find(" #");
  const std::string serial = number == std::string::npos ? "" : name.substr(number);
  std::string base = name.substr(0, std::min(number, name.find(" in ")));
  const std::size_t scope = serial.empty() ? std::string::npos : base.rfind("::");
  if (scope != std::string::npos) base.resize(scope);
  return base.substr(0, base.find_first_of("[+.")) + serial;
}

bool is_access_step(const StoryStep& step) { return is_access(step.kind) || is_atomic(step.kind); }

bool at_one_of(const StoryStep& step, const std::vector<Where>& places) {
  const auto same = [&](const Where& where) {
    return where.line != 0 && std::any_of(places.begin(), places.end(), [&](const Where& place) {
             return place.line == where.line && base_name(place.file) == base_name(where.file);
           });
  };
  return same(step.where) || std::any_of(step.stack.begin(), step.stack.end(), same);
}

// Or the compiler has moved it away from its line.
bool in_one_of(const StoryStep& step, const std::vector<Where>& places) {
  if (step.where.line == 0) return true;
  return std::any_of(places.begin(), places.end(), [&](const Where& place) {
    return !place.function.empty() && place.function == step.where.function;
  });
}

// Each thread holds another lock there, and these are the two: whatever they guard is unguarded.
bool between_its_locks(const FindingStory& story, const Explanation& explanation) {
  if (!explanation.lock || explanation.lock->instead.empty()) return false;
  const auto holds = [&](const StoryStep& step, const std::string& lock) {
    return std::any_of(step.locks.begin(), step.locks.end(), [&](const std::string& held) {
      return held == lock || held.starts_with(lock + " in ");
    });
  };
  const std::string& one = explanation.lock->name;
  const std::string& other = explanation.lock->instead;
  std::vector<const StoryStep*> accesses;
  for (const StoryStep& step : story.steps)
    if (is_access_step(step)) accesses.push_back(&step);
  return accesses.size() == 2 && ((holds(*accesses[0], one) && holds(*accesses[1], other)) ||
                                  (holds(*accesses[0], other) && holds(*accesses[1], one)));
}

bool same_place(const ExplainedAccess& one, const ExplainedAccess& other) {
  return one.where.line != 0 && one.where.line == other.where.line &&
         one.where.file == other.where.file;
}

// Of an object that is gone.
bool is_of_end(const Explanation& explanation) {
  return explanation.cause == Cause::kUseAfterFree || explanation.cause == Cause::kDoubleFree ||
         explanation.cause == Cause::kUseAfterDestruction;
}

// Or that was about to go.
bool ends(const Explanation& explanation) {
  return is_of_end(explanation) || explanation.cause == Cause::kDestroyedInUse;
}

// "Display@main.cpp:54" of "Display #2@main.cpp:54"; the class alone on request.
std::string kind_of(const std::string& object, bool allocation) {
  const std::size_t number = object.find(" #");
  const std::size_t at = allocation ? object.find('@') : std::string::npos;
  return object.substr(0, number) + (at == std::string::npos ? "" : object.substr(at));
}

bool is_inside(const ExplainedAccess& access, const std::string& function) {
  return !function.empty() &&
         std::find(access.inside.begin(), access.inside.end(), function) != access.inside.end();
}

// An object that ends too early is used at many places, before and after its memory is given back.
bool is_same_end(const Explanation& one, const Explanation& other) {
  // All members end too early for a thread that the object has started.
  if (!one.ends_in.empty() && one.ends_in == other.ends_in) return true;
  if (!ends(one) || !ends(other)) return false;
  // All that ends with the program ends too early for a thread that goes on.
  const bool at_end = one.at_thread_end && other.at_thread_end &&
                      one.first.thread == other.first.thread && !one.last.inside.empty() &&
                      !other.last.inside.empty();
  if (at_end && one.last.inside.back() == other.last.inside.back()) return true;
  if (one.object.name.empty() || !is_of_end(one) || !is_of_end(other)) return false;
  const bool freed =
      one.cause != Cause::kUseAfterDestruction && other.cause != Cause::kUseAfterDestruction;
  if (kind_of(one.object.name, freed) != kind_of(other.object.name, freed)) return false;
  if (freed) return same_place(one.first, other.first);
  return same_place(one.last, other.last) ||
         (!one.last.inside.empty() && is_inside(other.last, one.last.inside.front()));
}

// A part of an object of this class ends: one thread destroys the object, the other is in one of
// its functions.
bool ends_while_used(const Explanation& explanation, const std::string& cls) {
  const auto inside = [&](const ExplainedAccess& access, bool destructor) {
    const std::string wanted = cls + (destructor ? "::~" : "::");
    return std::any_of(access.inside.begin(), access.inside.end(), [&](const std::string& name) {
      return name.starts_with(wanted) && (destructor || !name.starts_with(cls + "::~"));
    });
  };
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& last = explanation.last;
  return !cls.empty() && first.thread != last.thread &&
         ((inside(first, true) && inside(last, false)) ||
          (inside(last, true) && inside(first, false)));
}

// `then` goes wrong by what `one` says, of the same two lines or inside the same function.
bool follows_from(const Explanation& then, const Explanation& one) {
  const bool between = then.cause == Cause::kCameBetween && is_of_end(one);
  if (between) return same_place(then.middle, one.first) && same_place(then.last, one.last);
  // It was changed there, and then freed.
  const bool early = then.cause == Cause::kReadTooEarly && is_of_end(one);
  if (early) return same_place(then.last, one.first) && same_place(then.first, one.last);
  // What a local variable has on the heap, as a vector does, ends with it: it was used after that,
  // or both freed it.
  if (one.cause == Cause::kUseAfterReturn && is_of_end(then)) {
    const std::string owner = then.other.name.substr(0, then.other.name.find_first_of("[+."));
    return !owner.empty() && owner == one.object.name &&
           (is_inside(then.first, one.function) || is_inside(then.last, one.function));
  }
  const std::string whole = kind_of(one.object.name, false);
  const bool part = is_of_end(one) && ends(then) && kind_of(then.object.name, false) != whole;
  if (part && ends_while_used(then, whole)) return true;
  if (one.cause != Cause::kSplitRelease || !is_of_end(then) || one.first.inside.empty())
    return false;
  return is_inside(then.first, one.first.inside.front()) &&
         is_inside(then.last, one.first.inside.front());
}

// One variable, whoever comes first.
bool same_shared_ptr(const Explanation& one, const Explanation& other) {
  return one.cause == Cause::kRacedSharedPtr && other.cause == one.cause &&
         !one.object.name.empty() && one.object.name == other.object.name;
}

// One object that two threads guard by two locks: whatever goes wrong there, that is why.
bool same_locks(const Explanation& one, const Explanation& other) {
  if (!one.lock || !other.lock || one.lock->instead.empty() || other.lock->instead.empty())
    return false;
  const std::set<std::string> a = {one.lock->name, one.lock->instead};
  const std::set<std::string> b = {other.lock->name, other.lock->instead};
  return a.size() == 2 && !a.contains("") && a == b && !one.object.name.empty() &&
         one.object.name == other.object.name;
}

// One lock that somebody is to take for writing: whatever goes wrong under it, that is why.
bool same_write_lock(const Explanation& one, const Explanation& other) {
  return one.suggestion == Suggestion::kWriteLock && other.suggestion == one.suggestion &&
         one.lock && other.lock && !one.lock->name.empty() && one.lock->name == other.lock->name &&
         one.lock->taken == other.lock->taken;
}

}  // namespace

bool belongs_to(const FindingStory& story, const Explanation& explanation) {
  if (explanation.empty()) return false;
  if (between_its_locks(story, explanation)) return true;
  const std::vector<Where> places = places_of(explanation);
  const std::string variable = variable_of(story.object);
  const bool same_variable =
      !variable.empty() && (variable == variable_of(explanation.object.name) ||
                            variable == variable_of(explanation.other.name));
  bool any = false;
  for (const StoryStep& step : story.steps) {
    if (!is_access_step(step)) continue;
    any = true;
    if (!at_one_of(step, places) && !(same_variable && in_one_of(step, places))) return false;
  }
  return any;
}

bool is_same_fault(const Failure& unexplained, const Failure& other, const Explanation& why) {
  const Failure& one = unexplained;
  if (!one.verdict || !other.verdict || !one.verdict->fault || !other.verdict->fault) return false;
  const MemoryFaultLine& fault = *one.verdict->fault;
  const MemoryFaultLine& known = *other.verdict->fault;
  if (fault.kind != known.kind || fault.block != known.block || why.empty()) return false;
  const std::vector<Where> places = places_of(why);
  return one.where.line != 0 && std::any_of(places.begin(), places.end(), [&](const Where& place) {
           return place.line == one.where.line && place.function == one.where.function;
         });
}

bool says_the_same(const Explanation& one, const Explanation& other) {
  const auto facts = [](const Explanation& explanation) {
    return std::tuple(explanation.cause, explanation.object.name, explanation.first.where.file,
                      explanation.first.where.line, explanation.last.where.file,
                      explanation.last.where.line);
  };
  return facts(one) == facts(other) || is_same_end(one, other) || same_locks(one, other) ||
         same_shared_ptr(one, other) || same_write_lock(one, other) || follows_from(one, other) ||
         follows_from(other, one);
}

}  // namespace raddle
