#include <fmt/format.h>

#include "host/report/words/explanation_words.hpp"
#include "host/report/words/object_words.hpp"

namespace raddle {
namespace {

std::string place(const ExplainedAccess& access) { return short_place(access.where); }

// Two places in two functions: which line belongs to which.
std::string in_function(const Where& where) {
  return where.function.empty() ? short_place(where)
                                : fmt::format("{} in {}", short_place(where), where.function);
}

std::string region(const Explanation& explanation) {
  const Where& first = explanation.first.where;
  const Where& last = explanation.last.where;
  if (first.function != last.function) {
    return fmt::format("from {} to {}", in_function(first), in_function(last));
  }
  const std::string in = first.function.empty() ? "" : fmt::format(" in {}", first.function);
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

std::string guard(const Explanation& explanation, const char* alternative) {
  const std::string other = place(explanation.middle);
  const bool inside = other == place(explanation.first) || other == place(explanation.last);
  return fmt::format("guard {} with a mutex, held {}{}{}.", explanation.object.name,
                     region(explanation), inside ? "" : ", and at " + other, alternative);
}

std::string both(const ExplainedAccess& one, const ExplainedAccess& other) {
  const std::string first = place(one);
  const std::string second = place(other);
  return first == second ? first : fmt::format("{} and {}", first, second);
}

std::string hold_throughout(const Explanation& explanation) {
  const bool everywhere = of_locks(explanation) || (explanation.lock && explanation.lock->middle);
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
    case Suggestion::kNotTwice:
      return fmt::format(
          "do not lock {} again at {} where the caller holds it, or release it before the call.",
          explained_object_words(explanation), place(explanation.last));
    case Suggestion::kTakeForWriting:
      return fmt::format("take {} for writing at {}, or release it before {} and look again.",
                         explained_object_words(explanation), place(explanation.first),
                         place(explanation.last));
    case Suggestion::kJoinWithoutLock:
      return fmt::format("release {} before the join at {}.", explained_lock_words(explanation),
                         place(explanation.first));
    case Suggestion::kSignalUnderLock:
      return fmt::format("hold {} when {} is changed at {}.", explained_lock_words(explanation),
                         explanation.other.name, short_place(explanation.change->where));
    case Suggestion::kNotify:
      return fmt::format("notify {} after {}.", explained_object_words(explanation),
                         place(explanation.first));
    case Suggestion::kNotifyAll:
      return fmt::format("notify_all at {}: more than one thread waits, and for different things.",
                         place(explanation.first));
    case Suggestion::kArrive:
      return fmt::format("let every thread arrive at {} before it ends.",
                         explained_object_words(explanation));
    case Suggestion::kWaitForUser:
      if (explanation.at_thread_end && explanation.first.thread == kMainThread) {
        return fmt::format("let main wait for {} before it returns.",
                           thread_label(explanation.last.thread));
      }
      return fmt::format("let {} wait for {} before that.", thread_label(explanation.first.thread),
                         thread_label(explanation.last.thread));
    case Suggestion::kGuardPointer:
      return fmt::format("guard {} with a mutex, held from {} to {}, and over {}.",
                         explanation.other.name, place(explanation.middle), place(explanation.last),
                         both(explanation.first, *explanation.change));
    case Suggestion::kWriteLock:
      return fmt::format(
          "let {} take {} for writing{}.",
          thread_label(explanation.pattern ? explanation.middle.thread : explanation.first.thread),
          explained_lock_words(explanation),
          explanation.lock && explanation.lock->taken
              ? " at " + short_place(*explanation.lock->taken)
              : std::string());
    case Suggestion::kGuardVariable:
      return fmt::format(
          "guard {} with one mutex at {}, or make it a std::atomic<std::shared_ptr>.",
          explained_object_words(explanation), both(explanation.first, explanation.last));
    case Suggestion::kPublishLast:
      return fmt::format("write {} ({}) before {} is written at {}.", explanation.object.name,
                         short_place(explanation.change->where), explanation.other.name,
                         place(explanation.first));
    case Suggestion::kWriteBeforeStart:
      return fmt::format("write {} ({}) before {} is started at {}.", explanation.object.name,
                         place(explanation.last), thread_label(explanation.first.thread),
                         explanation.started ? short_place(*explanation.started) : std::string());
    case Suggestion::kUseResult:
      return fmt::format("use what the operation at {} returns instead of reading again at {}.",
                         place(explanation.first), place(explanation.last));
    case Suggestion::kTagPointer:
      return fmt::format(
          "let every change of {} change a counter beside it that the compare-and-swap compares, "
          "too.",
          explanation.object.name);
    case Suggestion::kGuardPair:
      return fmt::format(
          "guard both with one mutex, held over both reads ({}) and over both writes "
          "({}).",
          both(explanation.first, explanation.last), both(explanation.middle, *explanation.change));
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
    case Suggestion::kGuard:
      return guard(explanation, "");
    case Suggestion::kGuardOrAtomic:
      return guard(explanation, "; or make it one atomic operation (fetch_add, exchange, ...)");
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
