#include <fmt/format.h>

#include <algorithm>

#include "host/report/words/access_words.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

// Two places in two functions: which line belongs to which.
std::string in_function(const Where& where) {
  return where.function.empty() || where.line == 0
             ? place(where)
             : fmt::format("{} in {}", place(where), where.function);
}

std::string region(const Explanation& explanation) {
  const Where& first = explanation.first.where;
  const Where& last = explanation.last.where;
  if (first.function != last.function) {
    return fmt::format("by the caller around both ({}; {})", in_function(first), in_function(last));
  }
  if (first.line == 0 || last.line == 0)
    return fmt::format("over all of {}", function_or_unknown(first.function));
  const std::string in = first.function.empty() ? "" : fmt::format(" in {}", first.function);
  if (first.file == last.file && first.line == last.line) {
    return fmt::format("over all of {}{}", place(first), in);
  }
  return fmt::format("from {} to {}{}", place(first), place(last), in);
}

bool ends_with_main(const Explanation& explanation) {
  return explanation.at_thread_end && explanation.first.thread == kMainThread;
}

// Who waits for a thread that a later destructor is to stop waits for ever.
std::string end_before_main(const Explanation& explanation) {
  const std::string user = thread_label(explanation.last.thread);
  std::string text = fmt::format(
      "let {} end before main returns: ask it to stop, unless it ends by itself, and join it.",
      user);
  if (!explanation.started) return text;
  const std::string& function = explanation.started->function;
  const std::string starter = function.substr(0, function.rfind("::"));
  const std::string ended = !explanation.third.name.empty() ? explanation.third.name
                            : !explanation.ends_in.empty()
                                ? explanation.ends_in.substr(0, explanation.ends_in.rfind("::"))
                            : !explanation.object.name.empty() ? explanation.object.name
                                                               : "the object";
  return fmt::format(
      "{} Or, if both are static and the destructor of {} waits for {}, construct {} before the "
      "{}: "
      "static objects are destroyed in the reverse order of their construction.",
      text, starter, user, ended, starter);
}

std::string keep_alive(const Explanation& explanation) {
  const std::string user = thread_label(explanation.last.thread);
  const std::vector<std::string>& inside = explanation.last.inside;
  // Who destroys it a second time does so whenever it comes: to wait for it helps nobody.
  const bool ends_it = is_destructor(explanation.last.where.function) ||
                       std::any_of(inside.begin(), inside.end(),
                                   [](const std::string& name) { return is_destructor(name); });
  return fmt::format(
      "keep the object alive as long as {} uses it: let {} own it, too{}{}.{}", user, user,
      in_c(explanation) ? "" : " (std::shared_ptr)",
      ends_it ? std::string()
      : ends_with_main(explanation)
          ? fmt::format(", or let {} end before main returns (ask it to, unless it does by itself)",
                        user)
          : fmt::format(", or let {} wait for {} before it {}",
                        thread_label(explanation.first.thread), user,
                        explanation.at_thread_end ? "ends" : "frees it"),
      explanation.common_lock ? "" : " A lock around the access alone would not do.");
}

// Who uses it would free it, too: the look, the use, the end and the change are one function's.
bool in_one_function(const Explanation& explanation) {
  const std::string& function = explanation.last.where.function;
  return !function.empty() && explanation.middle.where.function == function &&
         explanation.first.where.function == function &&
         explanation.change->where.function == function;
}

std::string wait_for_user(const Explanation& explanation) {
  const std::string owner = thread_label(explanation.first.thread);
  const std::string user = thread_label(explanation.last.thread);
  if (explanation.cause != Cause::kUseAfterReturn) {
    return fmt::format("let {} wait for {} before it {}.", owner, user,
                       explanation.at_thread_end ? "ends" : "destroys the object");
  }
  // What the user writes is wanted where it is, and what it locks or waits for has no copies.
  const bool copied = !explanation.last.writes && !explanation.has_sync;
  const std::string copy =
      copied ? fmt::format(", or give {} a copy of {}", user, named(explanation.object)) : "";
  return fmt::format("let {} wait for {} before {} returns{}.", owner, user,
                     function_or_unknown(explanation.function), copy);
}

// A copy has neither what others are to see in the object nor a lock that others take. Whether the
// thread would have written next, an execution that ended at its read does not show.
bool is_copied(const Explanation& explanation) {
  return !explanation.has_sync && !explanation.steps.empty() &&
         explanation.steps.back().action == StepAction::kReads;
}

std::string look_up_again(const Explanation& explanation) {
  const std::string user = thread_label(explanation.last.thread);
  const std::string lock = explained_lock_words(explanation);
  const std::string own = !explanation.ownable || in_c(explanation)
                              ? std::string()
                              : fmt::format("; or let {} own it, too (std::shared_ptr)", user);
  const bool copied = is_copied(explanation);
  if (explanation.waited) {
    return fmt::format(
        "keep no pointer, reference or iterator to it over the wait at {}, which releases {}: look "
        "it up again after the wait{}{}.",
        place(*explanation.waited), lock,
        copied ? fmt::format(", or, if {} only reads it, copy what it needs before", user) : "",
        own);
  }
  return fmt::format(
      "keep no pointer, reference or iterator to it while {} is released: look it up again when {} "
      "is taken again (at {}){} hold {} throughout{}{}.",
      lock, lock, place(*explanation.late), copied ? "," : ", or", lock,
      copied ? fmt::format(", or, if {} only reads it, copy what it needs before that", user) : "",
      own);
}

std::string hold_while_used(const Explanation& explanation) {
  const std::string user = thread_label(explanation.last.thread);
  const std::string lock = explained_lock_words(explanation);
  if (explanation.early && explanation.late) return look_up_again(explanation);
  const std::string own =
      !explanation.ownable || in_c(explanation)
          ? std::string()
          : fmt::format("; or let {} own it, too, from there on (std::shared_ptr)", user);
  const std::string taken = explanation.lock && explanation.lock->taken
                                ? place(*explanation.lock->taken)
                                : std::string("that place");
  if (explanation.lock && explanation.lock->first) {
    return fmt::format("hold {} from {} until {} no longer uses the object (it does at {}){}.",
                       lock, taken, user, place(explanation.last), own);
  }
  const std::string copy =
      is_copied(explanation)
          ? fmt::format("; or, if {} only reads it, copy there what it needs", user)
          : "";
  return fmt::format(
      "hold {}, as it is at {}, until {} no longer uses the object (it does at {}){}{}.", lock,
      taken, user, place(explanation.last), copy, own);
}

std::string join_before_end(const Explanation& explanation) {
  const std::vector<std::string>& inside = explanation.last.inside;
  const bool ends_last =
      std::find(inside.begin(), inside.end(), explanation.ends_in) != inside.end();
  const ExplainedAccess& owner = ends_last ? explanation.last : explanation.first;
  const ExplainedAccess& user = ends_last ? explanation.first : explanation.last;
  return fmt::format(
      "let {} wait for {} before members of the object are destroyed: first thing in {}, or by a "
      "thread that is declared after the members that it uses (the last one is destroyed first).",
      label(owner), label(user), function_or_unknown(explanation.ends_in));
}

std::string guard(const Explanation& explanation, const char* alternative) {
  const std::string other = place(explanation.middle);
  const bool inside = other == place(explanation.first) || other == place(explanation.last);
  return fmt::format("guard {} with a mutex, held {}{}{}.", named(explanation.object),
                     region(explanation), inside ? "" : ", and at " + other, alternative);
}

std::string both(const ExplainedAccess& one, const ExplainedAccess& other) {
  const std::string first = place(one);
  const std::string second = place(other);
  return first == second ? first : fmt::format("{} and {}", first, second);
}

std::string hold_throughout(const Explanation& explanation) {
  const bool everywhere = of_locks(explanation) || (explanation.lock && explanation.lock->middle);
  // Who changes it holds the lock, too: under it, a second look finds the change.
  const bool looks_unlocked = explanation.cause == Cause::kCheckThenAct && explanation.lock &&
                              !explanation.lock->first && explanation.lock->middle &&
                              explanation.lock->last;
  return fmt::format("hold {} {}{}{}.", explained_lock_words(explanation), region(explanation),
                     everywhere ? "" : fmt::format(", and at {}", place(explanation.middle)),
                     looks_unlocked
                         ? fmt::format(", or look at {} again where it is held, before {}",
                                       named(explanation.object), place(explanation.last))
                         : std::string());
}

// The reader is in the function that makes known what it read: whoever finds nothing there makes
// it, and so may more than one.
bool makes_it_itself(const Explanation& explanation) {
  const std::string& function = explanation.first.where.function;
  const auto in_it = [&](const ExplainedAccess& access) {
    return access.where.function == function ||
           std::find(access.inside.begin(), access.inside.end(), function) != access.inside.end();
  };
  return !function.empty() && !explanation.made_locked && in_it(explanation.middle) &&
         explanation.change && in_it(*explanation.change) &&
         explanation.middle.where != explanation.first.where;
}

std::string lock_once(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& last = explanation.last;
  // Both are in one function: no caller is in the way.
  const bool together = explanation.lockers.size() == 1 && place(first) != place(last) &&
                        !first.function.empty() && first.function == last.function;
  if (together)
    return fmt::format("lock {} once in {}(), and hold it from {} on.",
                       explained_lock_words(explanation), first.function, place(first));
  std::string names;
  for (std::size_t i = 0; i < explanation.lockers.size(); ++i) {
    const bool is_last = i > 0 && i + 1 == explanation.lockers.size();
    names += (i == 0 ? "" : is_last ? " and " : ", ") + explanation.lockers[i] + "()";
  }
  const bool one = explanation.lockers.size() == 1;
  return fmt::format(
      "do both in one function that locks {} once{}. {} {}, so it cannot be held {}.",
      explained_lock_words(explanation), explanation.upgraded ? ", for writing" : "", names,
      one ? "locks it itself" : "lock it themselves", one ? "around the call" : "around the calls");
}

std::string keep_out(const Explanation& explanation) {
  const std::string other = thread_label(explanation.middle.thread);
  const std::string from = place(explanation.first);
  const bool one_place = from == place(explanation.last);
  if (one_place && explanation.lock) {
    return fmt::format("do not release {} in the middle of {}, so that {} cannot come in between.",
                       explained_lock_words(explanation), from, other);
  }
  if (one_place && from == place(explanation.middle))
    return fmt::format("let one thread at a time be at {}, by a lock that all hold.", from);
  if (from == place(explanation.middle) && !explanation.lock) {
    return fmt::format("let one thread at a time go from {} to {}, by a lock that all hold.", from,
                       place(explanation.last));
  }
  if (one_place) {
    return fmt::format("keep {} out of {} while {} is at {}, by a lock that both hold.", other,
                       place(explanation.middle), thread_label(explanation.last.thread), from);
  }
  if (explanation.lock) {
    return fmt::format("do not release {} from {} to {}, so that {} cannot come in between.",
                       explained_lock_words(explanation), place(explanation.first),
                       place(explanation.last), other);
  }
  return fmt::format("keep {} out of {} from {} to {}, by a lock that both hold.", other,
                     place(explanation.middle), place(explanation.first), place(explanation.last));
}

}  // namespace

static std::string suggested(const Explanation& explanation) {
  // Who calls what is made or destroyed.
  const bool known = !explanation.ends_in.empty();
  const ExplainedAccess& user =
      known || explanation.first.writes ? explanation.middle : explanation.first;
  const std::string who = thread_label(user.thread);
  switch (explanation.suggestion) {
    case Suggestion::kNone:
      return {};
    case Suggestion::kSameOrder:
      return locks_in_c(explanation)
                 ? "let every thread take these locks in the same order."
                 : "let every thread take these locks in the same order, or all at "
                   "once (std::scoped_lock).";
    case Suggestion::kNotTwice:
      return fmt::format(
          "do not lock {} again at {} where the caller holds it, or release it before the call.",
          explained_object_words(explanation), place(explanation.last));
    case Suggestion::kCallUnlocked:
      return fmt::format(
          "release {} before {} is called at {}; if {} guards what is called there, copy that "
          "first.",
          explained_object_words(explanation), function_or_unknown(explanation.change->function),
          place(*explanation.change), explained_object_words(explanation));
    case Suggestion::kAlwaysUnlock:
      return fmt::format("unlock {} on every way out of {}{}.", explained_object_words(explanation),
                         explanation.first.function.empty() ? "the function that locks it"
                                                            : explanation.first.function,
                         locks_in_c(explanation) ? "" : ", as a std::lock_guard does");
    case Suggestion::kLookAtTimeOut:
      return fmt::format(
          "look at {} after a time-out, too, before giving up{}.", named(explanation.object),
          explanation.locks_as_in_c ? ""
                                    : " (wait_for() and wait_until() with a predicate do that)");
    case Suggestion::kAlwaysPost:
      return fmt::format("{} {} on every way out of {}.",
                         explanation.by_hand ? "give back what was taken of" : "post",
                         explained_object_words(explanation),
                         explanation.first.function.empty() ? "the function that waits for it"
                                                            : explanation.first.function);
    case Suggestion::kReleaseToWait:
      return fmt::format("release {} before the wait at {}, which gives back {} alone.",
                         explained_object_words(explanation), place(explanation.last),
                         explained_lock_words(explanation));
    case Suggestion::kJoinAlways:
      return fmt::format("join it on every way out of {}, as a std::jthread does.",
                         function_or_unknown(explanation.function));
    case Suggestion::kWaitForLock:
      return fmt::format("wait for {} at {} instead of trying once.",
                         explained_lock_words(explanation), place(explanation.middle));
    case Suggestion::kTakeForWriting:
      return fmt::format("take {} for writing at {}, or release it before {} and look again.",
                         explained_object_words(explanation), place(explanation.first),
                         place(explanation.last));
    case Suggestion::kJoinWithoutLock:
      return fmt::format("release {} before the join at {}.", explained_lock_words(explanation),
                         place(explanation.first));
    case Suggestion::kSignalUnderLock:
      return fmt::format("hold {} when {} is changed at {}.", explained_lock_words(explanation),
                         named(explanation.other), place(explanation.change->where));
    case Suggestion::kNotify:
      return fmt::format("notify {} after {}.", explained_object_words(explanation),
                         place(explanation.first));
    case Suggestion::kNotifyAll:
      return fmt::format(
          "{} at {}: more than one thread waits{}.", notify_all_word(explanation),
          place(explanation.first),
          explanation.cause == Cause::kNotifyOne ? ", and for different things" : "");
    case Suggestion::kWatchToo:
      return fmt::format(
          "let the wait at {} end when {} is changed{}, too: add it to the condition of that wait, "
          "and after the wait look which of the two it was.",
          place(explanation.last), named(explanation.other), to(explanation.first.written));
    case Suggestion::kCountRounds:
      return fmt::format(
          "let the wait at {} look at something that nobody changes back: a number that is counted "
          "up where {} is changed{} ({}), and that {} reads before it waits.",
          place(explanation.last), named(explanation.other), to(explanation.first.written),
          place(explanation.first), label(explanation.last));
    case Suggestion::kArrive:
      if (explanation.counted == CountedKind::kBarrier) {
        return fmt::format(
            "let every thread that leaves while others go on call {}.arrive_and_drop() first, "
            "after {}.",
            explained_object_words(explanation), place(explanation.first));
      }
      // Who arrives once more and then ends is missed in the round after that.
      if (explanation.later_round) {
        return fmt::format("let every thread arrive at {} in every round in which others do.",
                           explained_object_words(explanation));
      }
      return fmt::format("let every thread arrive at {} before it ends.",
                         explained_object_words(explanation));
    case Suggestion::kHandleTimeOut:
      return fmt::format("look at what the wait at {} returned before {} is used at {}.",
                         place(explanation.first), named(explanation.object),
                         place(explanation.middle));
    case Suggestion::kPostOnce:
      return fmt::format("post {} once for each time that it is taken.",
                         explained_object_words(explanation));
    case Suggestion::kNotifyLocked:
      return fmt::format("notify before {} is released at {}.", explained_lock_words(explanation),
                         place(*explanation.early));
    case Suggestion::kLookLocked:
      return fmt::format("hold {} at {}, where {} is read: {} releases it last.",
                         explained_lock_words(explanation), place(explanation.middle),
                         named(explanation.other), thread_label(explanation.last.thread));
    case Suggestion::kCountBeforeStart:
      return fmt::format(
          "count {} in ({}) before it is started{}, by the thread that starts it.",
          label(*explanation.change), place(*explanation.change),
          explanation.started ? " at " + place(*explanation.started) : std::string());
    case Suggestion::kCountArrivals:
      if (explanation.counted == CountedKind::kLatch) {
        return fmt::format("{} {} with as many as it is counted down: {}.",
                           explanation.by_hand ? "begin" : "make",
                           explained_object_words(explanation), explanation.taken);
      }
      return fmt::format("initialise {} with the number of threads that arrive there.",
                         explained_object_words(explanation));
    case Suggestion::kWaitForUser:
      if (ends_with_main(explanation)) return end_before_main(explanation);
      return wait_for_user(explanation);
    case Suggestion::kGuardPointer:
      if (explanation.cause == Cause::kUseAfterFree && in_one_function(explanation)) {
        return fmt::format(
            "guard {} with a mutex, held from the read ({}) to the change ({}) in {}.",
            named(explanation.other), place(explanation.middle), place(*explanation.change),
            explanation.last.where.function);
      }
      if (explanation.cause == Cause::kUseAfterFree) {
        return fmt::format("guard {} with a mutex, held over all uses of it at {}, and at {}.",
                           named(explanation.other), both(explanation.middle, explanation.last),
                           both(explanation.first, *explanation.change));
      }
      return fmt::format(
          "guard {} with a mutex, held from the read ({}) until it is freed and changed ({}).",
          named(explanation.other), place(explanation.middle),
          both(explanation.first, *explanation.change));
    case Suggestion::kWriteLock:
      return fmt::format(
          "let {} take {} for writing{}.",
          thread_label(explanation.pattern || explanation.cause == Cause::kCameBetween
                           ? explanation.middle.thread
                           : explanation.first.thread),
          explained_lock_words(explanation),
          // A lock that is known by its place alone has told it.
          explanation.lock && explanation.lock->taken && explanation.lock->taken->line != 0
              ? " at " + place(*explanation.lock->taken)
              : std::string());
    case Suggestion::kGuardVariable:
      return fmt::format(
          "guard {} with one mutex at {}, or make it a std::atomic<std::shared_ptr>.",
          explained_object_words(explanation), both(explanation.first, explanation.last));
    case Suggestion::kPublishLast:
      if (makes_it_itself(explanation)) {
        return fmt::format(
            "let one thread at a time check and make {} in {}, by a mutex or std::call_once.",
            named(explanation.other), explanation.first.where.function);
      }
      return fmt::format("write {} (at {}) last, after all that it makes known: {} ({}), for one.",
                         named(explanation.other), place(explanation.first),
                         named(explanation.object), place(explanation.change->where));
    case Suggestion::kWriteBeforeStart:
      return fmt::format("write {} ({}) before {} is started at {}{}.", named(explanation.object),
                         place(explanation.last), thread_label(explanation.first.thread),
                         place(explanation.started.value_or(Where())),
                         explanation.function.empty()
                             ? ""
                             : ": start it last in the constructor (members are made in the order "
                               "of their declarations), or by a function that is called when the "
                               "object is made");
    case Suggestion::kReadOnce:
      return explanation.first.called
                 ? fmt::format(
                       "call {}() once, at {}, and use a copy of what it returned at {}, too.",
                       explanation.first.function, place(explanation.first),
                       place(explanation.last))
                 : fmt::format("read {} once, at {}, and go by that at {}, too.",
                               named(explanation.object), place(explanation.first),
                               place(explanation.last));
    case Suggestion::kReadFlagFirst:
      return fmt::format("let {} read {} ({}) before {} ({}): {} writes it last.",
                         thread_label(explanation.last.thread), named(explanation.object),
                         place(explanation.last), named(explanation.other),
                         place(explanation.first), thread_label(explanation.middle.thread));
    case Suggestion::kUseResult:
      return fmt::format("use what the operation at {} returns instead of reading again at {}.",
                         place(explanation.first), place(explanation.last));
    case Suggestion::kLockWeak:
      return fmt::format("call lock() once, instead of the look at {}, and go by what it returns.",
                         place(explanation.first));
    case Suggestion::kOneOperation:
      return fmt::format(
          "make the read at {} and the write at {} one atomic operation (exchange, "
          "compare_exchange), or use a mutex instead of {}.",
          place(explanation.first), place(explanation.last), named(explanation.object));
    case Suggestion::kTagPointer:
      return fmt::format(
          "let every change of {} change a counter beside it that the compare-and-swap compares, "
          "too.",
          named(explanation.object));
    case Suggestion::kGuardPair:
      if (explanation.lock && explanation.reads_as_one && !explanation.middle.function.empty() &&
          !explanation.change->function.empty() &&
          explanation.middle.function != explanation.change->function) {
        return fmt::format(
            "write both in one function that locks {} once, instead of {}() and {}().",
            explained_lock_words(explanation), explanation.middle.function,
            explanation.change->function);
      }
      if (explanation.lock && explanation.reads_as_one) {
        return fmt::format("do not release {} between the two writes ({}).",
                           explained_lock_words(explanation),
                           both(explanation.middle, *explanation.change));
      }
      if (explanation.lock) {
        return fmt::format(
            "do not release {} between the two reads ({}), nor between the two writes ({}).",
            explained_lock_words(explanation), both(explanation.first, explanation.last),
            both(explanation.middle, *explanation.change));
      }
      return fmt::format(
          "guard {} with one mutex, held over both reads ({}) and over both writes ({}).",
          explanation.one_object ? "it" : "both", both(explanation.first, explanation.last),
          both(explanation.middle, *explanation.change));
    case Suggestion::kSetVariable:
      return "set a variable under the lock before the signal, and wait in a loop that looks at "
             "it.";
    case Suggestion::kLiveLonger:
      return fmt::format("let the object live until its last use at {}.", place(explanation.last));
    case Suggestion::kKeepAlive:
      return keep_alive(explanation);
    case Suggestion::kKeepUndestroyed:
      return fmt::format(
          "keep the object alive as long as {} uses it: let {} own it, too (std::shared_ptr), or "
          "wait for {} before it is destroyed.",
          who, who, who);
    case Suggestion::kHandOver:
      if (explanation.started) {
        return fmt::format("start {} when all of {} is made, not at {}{}.",
                           thread_label(explanation.first.thread), named(explanation.object),
                           place(*explanation.started),
                           explanation.function.empty() ? "" : ", in " + explanation.function);
      }
      return fmt::format(
          "let {} know of the object when it is made: hand it over under a lock, or "
          "start {} after that.",
          who, who);
    case Suggestion::kGuard:
      return guard(explanation, "");
    case Suggestion::kGuardOrAtomic:
      return guard(explanation,
                   "; or make it one atomic operation (fetch_add, compare_exchange, ...)");
    case Suggestion::kLookAgain:
      return fmt::format("look again after the wait at {}, in a loop: {} is free while it waits.",
                         place(explanation.waited.value_or(Where())),
                         explained_lock_words(explanation));
    case Suggestion::kLookForWriting:
      if (explanation.lock && explanation.lock->taken_again) {
        return fmt::format("look at {} again when {} is held for writing, after {}.",
                           named(explanation.object), explained_lock_words(explanation),
                           place(*explanation.lock->taken_again));
      }
      return fmt::format("look again at {}, where {} is held for writing.", place(explanation.last),
                         explained_lock_words(explanation));
    case Suggestion::kHoldThroughout:
      return hold_throughout(explanation);
    case Suggestion::kHoldWithOther:
      return fmt::format("take {} as well where {} is taken ({}), or use one mutex for both.",
                         explained_lock_words(explanation), explanation.lock->instead,
                         place(*explanation.lock->instead_taken));
    case Suggestion::kHoldAtOther:
      return fmt::format("hold {} at {}, too.", explained_lock_words(explanation),
                         place(explanation.middle));
    case Suggestion::kHoldAtBoth:
      return fmt::format(
          "hold {} where {} is changed ({}), and from a look at it to the wait at {}.",
          explained_lock_words(explanation), named(explanation.other),
          place(explanation.change->where), place(explanation.last));
    case Suggestion::kHoldToWait:
      return fmt::format("read {} and wait at {} without releasing {} in between.",
                         named(explanation.other), place(explanation.last),
                         explained_lock_words(explanation));
    case Suggestion::kAwaitWrite:
      return fmt::format("let {} wait for that write of {} before it reads {} at {}.",
                         thread_label(explanation.first.thread),
                         thread_label(explanation.last.thread), named(explanation.object),
                         place(explanation.first));
    case Suggestion::kAwaitReader:
      return fmt::format(
          "let {} wait until {} is done with what it took at {} before it writes there again at "
          "{}.",
          thread_label(explanation.middle.thread), thread_label(explanation.last.thread),
          place(*explanation.late), place(explanation.middle));
    case Suggestion::kUpdateLocked:
      return fmt::format(
          "change {} at {} with {} held, and release that only after what follows at {}.",
          named(explanation.object), both(explanation.first, explanation.middle),
          explained_lock_words(explanation), both(explanation.last, *explanation.change));
    case Suggestion::kKnownWhenMade:
      return fmt::format("make the object known to {} when its constructor is done.",
                         thread_label(explanation.first.thread));
    case Suggestion::kTagAnswer:
      return fmt::format(
          "let {} mark {} with the request that it answers, and let {} drop answers that nobody "
          "waits for any more.",
          label(explanation.middle), named(explanation.object), label(explanation.first));
    case Suggestion::kHoldWhileUsed:
      return hold_while_used(explanation);
    case Suggestion::kJoinBeforeEnd:
      return join_before_end(explanation);
    case Suggestion::kNotInTask:
      return fmt::format(
          "do not wait for a future in a task, as at {}, if only those who run tasks can fulfil "
          "it.",
          place(explanation.first));
    case Suggestion::kPutLocked:
      return fmt::format("look at {} ({}) with {} held, and hold that until it is put in ({}).",
                         named(explanation.other), place(*explanation.early),
                         explained_lock_words(explanation), place(explanation.first));
    case Suggestion::kOwnShared:
      return fmt::format(
          "let {} own the object, too, while it uses it: copy its std::shared_ptr{}, instead of a "
          "plain pointer or a reference.",
          thread_label(explanation.last.thread),
          explanation.lock && explanation.lock->taken
              ? fmt::format(" with {} held, as it is at {}", explained_lock_words(explanation),
                            place(*explanation.lock->taken))
              : std::string());
    case Suggestion::kAwaitRelease:
      return fmt::format("let {} wait for {}{} before it destroys {}.",
                         thread_label(explanation.last.thread),
                         thread_label(explanation.first.thread),
                         explanation.first.thread == kMainThread ? "" : " (join it)",
                         explained_object_words(explanation));
    case Suggestion::kUnlockOnce:
      return fmt::format("unlock {} once on each way{}: {} had unlocked it at {}.",
                         explained_object_words(explanation),
                         locks_in_c(explanation) ? "" : ", as a std::lock_guard does",
                         thread_label(explanation.last.thread),
                         place(explanation.cause == Cause::kUnlockedTwice ? explanation.first
                                                                          : explanation.middle));
    case Suggestion::kUnlockOwn:
      return fmt::format(
          "let {}, which locked {}, unlock it; what any thread may post is a "
          "semaphore.",
          thread_label(explanation.first.thread), explained_object_words(explanation));
    case Suggestion::kLockOnce:
      return lock_once(explanation);
    case Suggestion::kKeepOut:
      return keep_out(explanation);
    case Suggestion::kAwaitCalls:
      return fmt::format(
          "let {} wait, after {}, until calls that others have begun before have returned; a count "
          "of them tells.",
          label(*explanation.turn->taken_off), place(*explanation.turn->taken_off));
    case Suggestion::kFulfil:
      if (explanation.turn->abandoned) {
        return fmt::format(
            "fulfil the promise before it is destroyed at {}: do what it is for first, or call "
            "set_exception() where nobody will.",
            place(*explanation.turn->abandoned));
      }
      return fmt::format(
          "let {} fulfil the promise on every way: with set_exception() where there is no value.",
          label(*explanation.turn->fulfilled));
    case Suggestion::kComeAfter:
      return fmt::format("let {} wait before {} until {} has come past {}.",
                         thread_label(explanation.middle.thread), place(explanation.middle),
                         thread_label(explanation.last.thread), place(explanation.last));
  }
  return {};
}

std::string suggestion_words(const Explanation& explanation) {
  std::string text = in_functions(suggested(explanation), explanation);
  // Nobody can follow advice that does not say where.
  const bool where_known = text.find(kUnknownPlace) == std::string::npos &&
                           text.find(kUnknownFunction) == std::string::npos;
  return where_known ? text : std::string();
}

}  // namespace raddle
