#include <fmt/format.h>

#include "host/report/words/explanation_words.hpp"
#include "host/report/words/object_words.hpp"

namespace raddle {
namespace {

std::string place(const ExplainedAccess& access) { return short_place(access.where); }

std::string region(const Explanation& explanation) {
  const Where& first = explanation.first.where;
  const Where& last = explanation.last.where;
  const std::string in =
      explanation.function.empty() ? "" : fmt::format(" in {}", explanation.function);
  if (first.file == last.file && first.line == last.line) {
    return fmt::format("over all of {}{}", short_place(first), in);
  }
  return fmt::format("from {} to {}{}", short_place(first), short_place(last), in);
}

std::string keep_alive(const Explanation& explanation) {
  const std::string user = thread_label(explanation.last.thread);
  return fmt::format(
      "keep the object alive until {} is done with it at {}: let {} own it, too "
      "(std::shared_ptr), or let {} wait for {} before it frees it. No lock "
      "around the access would do.",
      user, place(explanation.last), user, thread_label(explanation.first.thread), user);
}

std::string guard_both(const Explanation& explanation) {
  const std::string guard = explanation.lock
                                ? "hold " + explained_lock_words(explanation)
                                : "guard " + explanation.object.field + " with a mutex";
  const std::string first = place(explanation.first);
  const std::string last = place(explanation.last);
  return fmt::format("{} at {}, from the read that a write depends on; or make it atomic.", guard,
                     first == last ? first : first + " and at " + last);
}

std::string guard(const Explanation& explanation, const char* alternative) {
  return fmt::format("guard {} with a mutex, held {}, and at {}{}.", explanation.object.field,
                     region(explanation), place(explanation.middle), alternative);
}

std::string hold_throughout(const Explanation& explanation) {
  const bool of_locks =
      explanation.cause == Cause::kLockReacquired || explanation.cause == Cause::kNotLookedAgain;
  const bool everywhere = of_locks || (explanation.lock && explanation.lock->middle);
  return fmt::format("hold {} {}{}.", explained_lock_words(explanation), region(explanation),
                     everywhere ? "" : fmt::format(", and at {}", place(explanation.middle)));
}

}  // namespace

std::string suggestion_words(const Explanation& explanation) {
  // Who calls what is made or destroyed.
  const ExplainedAccess& user = explanation.first.writes ? explanation.middle : explanation.first;
  const std::string who = thread_label(user.thread);
  switch (explanation.suggestion) {
    case Suggestion::kNone:
      return {};
    case Suggestion::kSameOrder:
      return "let every thread take these locks in the same order, or all at once "
             "(std::scoped_lock).";
    case Suggestion::kSetVariable:
      return "set a variable under the lock before the signal, and wait in a loop that looks at "
             "it.";
    case Suggestion::kLiveLonger:
      return fmt::format("let the object live until its last use at {}.", place(explanation.last));
    case Suggestion::kKeepAlive:
      return keep_alive(explanation);
    case Suggestion::kKeepUndestroyed:
      return fmt::format(
          "keep the object alive until {} is done with it at {}: let {} own it, too "
          "(std::shared_ptr), or wait for {} before it is destroyed.",
          who, place(user), who, who);
    case Suggestion::kHandOver:
      return fmt::format(
          "let {} know of the object when it is made: hand it over under a lock, or "
          "start {} after that.",
          who, who);
    case Suggestion::kGuardBoth:
      return guard_both(explanation);
    case Suggestion::kGuard:
      return guard(explanation, "");
    case Suggestion::kGuardOrAtomic:
      return guard(explanation, "; or make it one atomic operation");
    case Suggestion::kLookAgain:
      return fmt::format("look again after the wait at {}, in a loop: {} is free while it waits.",
                         explanation.waited ? short_place(*explanation.waited) : std::string(),
                         explained_lock_words(explanation));
    case Suggestion::kHoldThroughout:
      return hold_throughout(explanation);
  }
  return {};
}

}  // namespace raddle
