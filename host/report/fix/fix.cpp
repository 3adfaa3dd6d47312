#include "host/report/fix/fix.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "host/symbols/names.hpp"

namespace raddle {
namespace {

using Functions = std::vector<std::string>;  // of a stack, innermost first

constexpr std::string_view kUnnamedSpace = "(anonymous namespace)::";

// What both were in at the same time, innermost first. Stacks that do not begin alike are compared
// by the innermost function that they share: one of them is not known to its end.
Functions in_both(const Functions& a, const Functions& b) {
  std::size_t same = 0;
  while (same < a.size() && same < b.size() && a[a.size() - 1 - same] == b[b.size() - 1 - same])
    ++same;
  if (same > 0) return {a.end() - std::ptrdiff_t(same), a.end()};
  for (auto from = a.begin(); from != a.end(); ++from) {
    if (std::find(b.begin(), b.end(), *from) != b.end()) return {from, a.end()};
  }
  return {};
}

// From the function on; all of them if it is not there.
Functions from_function(const Functions& functions, const std::string& function) {
  const auto at = std::find(functions.begin(), functions.end(), function);
  return at == functions.end() || function.empty() ? functions : Functions{at, functions.end()};
}

// Without template arguments, which stand for all of them: those of a lambda have no name.
std::string as_pointcut(std::string function) {
  for (std::size_t at; (at = function.find(kUnnamedSpace)) != std::string::npos;)
    function.erase(at, kUnnamedSpace.size());
  return without_template_arguments(function);
}

Fix none(std::string why) {
  Fix fix;
  fix.why_not = std::move(why);
  return fix;
}

std::string cannot_enclose(const Functions& functions) {
  if (functions.empty()) return "which functions the places are in is not known (build with -g)";
  return "a place is in " + functions.front() +
         ", and a property can hold threads only in functions that have a name, and not in "
         "main(); give what belongs together a function of its own";
}

// The innermost function of each that can be enclosed.
Fix enclosing(FixKind kind, const std::vector<Functions>& places) {
  Fix fix;
  fix.kind = kind;
  for (const Functions& place : places) {
    const auto found = std::find_if(place.begin(), place.end(), can_enclose);
    if (found == place.end()) return none(cannot_enclose(place));
    fix.widened = fix.widened || found != place.begin();
    std::string name = as_pointcut(*found);
    if (std::find(fix.functions.begin(), fix.functions.end(), name) == fix.functions.end())
      fix.functions.push_back(std::move(name));
  }
  if (kind == FixKind::kOrder && fix.functions.size() < 2)
    return none("both places are in " + fix.functions.front() +
                ": it cannot wait until it has been left");
  return fix;
}

Fix of_interference(const Explanation& explanation) {
  const Functions both = in_both(explanation.first.inside, explanation.last.inside);
  if (both.empty())
    return none("the two places of the disturbed thread have no function in common");
  return enclosing(FixKind::kExclusion,
                   {from_function(both, explanation.function), explanation.middle.inside});
}

// Who makes it known goes on writing; who reads what was made known comes in between.
Fix of_publication(const Explanation& explanation) {
  const Functions writer = explanation.change
                               ? in_both(explanation.first.inside, explanation.change->inside)
                               : Functions{};
  if (writer.empty())
    return none("what makes the object known and what writes it have no function in common");
  return enclosing(FixKind::kExclusion, {writer, explanation.middle.inside});
}

std::string not_a_kind(const std::string& cause) {
  return cause +
         " is nothing that an order of calls prevents: `raddle fix' takes atomicity and "
         "atomic-set violations, cycles of locks, and uses before the initialisation";
}

bool is_of_units(FindingKind kind) {
  switch (kind) {
    case FindingKind::atomicity:
    case FindingKind::atomic_set:
    case FindingKind::serializability:
      return true;
    case FindingKind::race:
    case FindingKind::use_after_free:
    case FindingKind::lockset:
    case FindingKind::lock_order:
      return false;
  }
  return false;
}

}  // namespace

bool can_enclose(const std::string& function) {
  const std::string plain = as_pointcut(function);
  if (plain.empty() || plain == "main" || plain.starts_with("std::") ||
      plain.starts_with("__gnu_cxx::"))
    return false;
  // Lambdas, and what has no name: "main::{lambda#1}", "module+0x12".
  return plain.find_first_of("{}$@") == std::string::npos && plain.find("+0x") == std::string::npos;
}

Fix fix_of(const Explanation& explanation) {
  switch (explanation.cause) {
    case Cause::kNone:
      return none("nothing that the execution shows explains it");
    case Cause::kLockCycle:
    case Cause::kLockUpgrade:
      return enclosing(FixKind::kExclusion, explanation.between_locks);
    case Cause::kUsedBeforeInit:
    case Cause::kReadTooEarly:
      return enclosing(FixKind::kOrder, {explanation.last.inside, explanation.first.inside});
    case Cause::kCameTooEarly:
      return enclosing(FixKind::kOrder, {explanation.last.inside, explanation.middle.inside});
    case Cause::kUnsafePublication:
      return of_publication(explanation);
    case Cause::kAba:
    case Cause::kCheckThenAct:
    case Cause::kLostUpdate:
    case Cause::kTwoReads:
    case Cause::kOverwritten:
    case Cause::kSeenHalfWay:
    case Cause::kTornPair:
    case Cause::kLockReacquired:
    case Cause::kCameBetween:
      return of_interference(explanation);
    case Cause::kSelfDeadlock:
    case Cause::kJoinUnderLock:
    case Cause::kLeftLocked:
    case Cause::kLostSignal:
    case Cause::kMissingNotify:
    case Cause::kEachOther:
    case Cause::kUnwatchedChange:
    case Cause::kChangedBack:
    case Cause::kNotifyOne:
    case Cause::kTooFewWoken:
    case Cause::kMissingArrival:
    case Cause::kTooFewArrive:
    case Cause::kTooFewPosts:
    case Cause::kWokenInVain:
    case Cause::kMadeForTooFew:
    case Cause::kPostedAgain:
    case Cause::kPermitKept:
    case Cause::kLetBothIn:
    case Cause::kUnreachedValue:
    case Cause::kUnfulfilledFutures:
    case Cause::kPutTooLate:
    case Cause::kWaitUnderLock:
    case Cause::kJoinableDestroyed:
    case Cause::kReadTooLate:
    case Cause::kTryFailed:
    case Cause::kUseAfterFree:
    case Cause::kDoubleFree:
    case Cause::kSplitRelease:
    case Cause::kUseAfterDestruction:
    case Cause::kUseAfterReturn:
    case Cause::kDestroyedLocked:
    case Cause::kDestroyedAwaited:
    case Cause::kUnlockedTwice:
    case Cause::kHeldByAnother:
    case Cause::kDestroyedInUse:
    case Cause::kUsedWhileMade:
    case Cause::kRacedSharedPtr:
    case Cause::kGaveUpWaiting:
    case Cause::kTimeOut:
    case Cause::kMissedAtTimeOut:
    case Cause::kReusedEarly:
    case Cause::kWrittenByReader:
    case Cause::kOvertaken:
    case Cause::kNotCheckedAgain:
    case Cause::kNotLookedAgain:
    case Cause::kUnordered:
      return none(not_a_kind(cause_text(explanation.cause)));
    case Cause::kLastWriter:
      return none(
          "the execution shows what was read last and who had written it, but not what should have "
          "come in between: what else the program would have done is not in it");
  }
  return none("its cause is unknown");
}

Fix fix_of(const FindingStory& story) {
  if (!is_of_units(story.kind)) return none(not_a_kind(finding_kind_text(story.kind)));
  std::vector<ThreadId> threads;
  std::vector<Functions> places;
  for (const StoryStep& step : story.steps) {
    Functions functions;
    for (const Where& where : step.stack) functions.push_back(where.function);
    if (functions.empty() && !step.where.function.empty()) functions.push_back(step.where.function);
    if (functions.empty()) continue;
    const auto known = std::find(threads.begin(), threads.end(), step.thread);
    if (known == threads.end()) {
      threads.push_back(step.thread);
      places.push_back(functions);
      continue;
    }
    Functions& place = places[std::size_t(known - threads.begin())];
    place = in_both(place, functions);
    if (place.empty()) return none("the places of a thread have no function in common");
  }
  if (places.size() < 2) return none("it does not say which places of two threads met");
  return enclosing(FixKind::kExclusion, places);
}

bool merge(Fix& into, const Fix& other) {
  if (into.kind != FixKind::kExclusion || other.kind != FixKind::kExclusion) return false;
  for (const std::string& function : other.functions) {
    if (std::find(into.functions.begin(), into.functions.end(), function) == into.functions.end())
      into.functions.push_back(function);
  }
  into.widened = into.widened || other.widened;
  return true;
}

}  // namespace raddle
