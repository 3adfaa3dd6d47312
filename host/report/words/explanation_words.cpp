#include "host/report/words/explanation_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "host/report/words/object_words.hpp"

namespace raddle {
namespace {

using Number = std::optional<std::int64_t>;

std::string label(const ExplainedAccess& access) { return thread_label(access.thread); }
std::string place(const ExplainedAccess& access) { return short_place(access.where); }

std::string who(const ExplainedAccess& access) {
  return access.function.empty() ? label(access) : access.function + "()";
}

std::string equals(Number value) { return value ? fmt::format(" = {}", *value) : std::string(); }
std::string or_it(Number value) { return value ? fmt::format("{}", *value) : std::string("it"); }

// What the access saw; of one that only writes, what it wrote.
Number seen(const ExplainedAccess& access) { return access.read ? access.read : access.written; }

// What was there when the disturbed thread came back.
Number now(const Explanation& explanation) {
  return explanation.last.reads ? seen(explanation.last) : explanation.middle.written;
}

bool of_locks(const Explanation& explanation) {
  return explanation.cause == Cause::kLockReacquired || explanation.cause == Cause::kNotLookedAgain;
}

bool of_lifetime(const Explanation& explanation) {
  return explanation.cause == Cause::kDestroyedInUse || explanation.cause == Cause::kUsedWhileMade;
}

std::string lifetime_sentence(const Explanation& explanation) {
  const auto& [writer, user] = explanation.first.writes
                                   ? std::tie(explanation.first, explanation.middle)
                                   : std::tie(explanation.middle, explanation.first);
  return fmt::format("{} {} the object at {}, and {} calls its functions at {}.", label(writer),
                     explanation.cause == Cause::kDestroyedInUse ? "destroys" : "makes",
                     place(writer), label(user), place(user));
}

std::string changed_sentence(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& last = explanation.last;
  if (!seen(first) || !now(explanation)) {
    return fmt::format("{} looked at it at {}, and it had changed when {} used it at {}.",
                       who(first), place(first), who(last), place(last));
  }
  return fmt::format("{} read {} at {}, and it was {} when {} used it at {}.", who(first),
                     *seen(first), place(first), *now(explanation), who(last), place(last));
}

std::string update_sentence(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const Number value = now(explanation);
  return fmt::format("{} read {} at {}, and wrote over what {} had written meanwhile{}.",
                     label(first), seen(first) ? fmt::format("{}", *seen(first)) : std::string(),
                     place(first), label(explanation.middle),
                     value ? fmt::format(" ({})", *value) : std::string());
}

std::string assumption(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& middle = explanation.middle;
  const ExplainedAccess& last = explanation.last;
  switch (explanation.cause) {
    case Cause::kNone:
      return {};
    case Cause::kLockCycle:
      return "Each of them holds what the next one waits for.";
    case Cause::kLostSignal:
      return fmt::format(
          "The signal came before {} waited: nobody was there to be woken, and a condition "
          "variable remembers nothing.",
          label(last));
    case Cause::kUseAfterFree:
      return fmt::format(
          "What {} finds there is what the heap, or whoever has the memory now, wrote.",
          label(last));
    case Cause::kDestroyedInUse:
    case Cause::kUsedWhileMade:
      return lifetime_sentence(explanation);
    case Cause::kLostUpdate:
      return update_sentence(explanation);
    case Cause::kCheckThenAct:
    case Cause::kTwoReads:
      return changed_sentence(explanation);
    case Cause::kOverwritten: {
      const Number value = now(explanation);
      return fmt::format("{} wrote {} at {}, and it was {} when {} read it at {}.", who(first),
                         or_it(first.written), place(first),
                         value ? fmt::format("{}", *value) : "another", who(last), place(last));
    }
    case Cause::kSeenHalfWay:
      return fmt::format("{} read {}, which {} wrote at {} and had not finished with before {}.",
                         who(middle), or_it(seen(middle)), label(first), place(first), place(last));
    case Cause::kUnordered:
      return fmt::format(
          "{} and {} use it at the same time: what one of them has just read or is about to write, "
          "the other does not know of.",
          label(first), label(last));
    case Cause::kLockReacquired:
      return fmt::format(
          "{} released {} after {} and took it again at {}; {} held it in between. What {} "
          "learned the first time need not be so any more.",
          label(first), explained_object_words(explanation), place(first), place(last),
          label(middle), label(first));
    case Cause::kNotLookedAgain:
      return fmt::format(
          "{} waited at {} and took {} again; {} had it in between, at {}: what {} waited for need "
          "not be so any more.",
          label(first), place(first), explained_object_words(explanation), label(middle),
          place(middle), label(first));
  }
  return {};
}

std::string between(const Explanation& explanation) {
  const Where& first = explanation.first.where;
  const Where& last = explanation.last.where;
  if (first.file == last.file && first.line != last.line) {
    return fmt::format("lines {} and {}", std::min(first.line, last.line),
                       std::max(first.line, last.line));
  }
  if (first.file == last.file) return fmt::format("the two, at {}", short_place(first));
  return fmt::format("{} and {}", short_place(first), short_place(last));
}

std::string lock_sentence(const Explanation& explanation) {
  if (!explanation.pattern || of_locks(explanation) || of_lifetime(explanation)) return {};
  if (!explanation.lock) return "No lock is held at any of these places.";
  const ExplainedLock& lock = *explanation.lock;
  const std::string name = explained_lock_words(explanation);
  if (lock.first && lock.last && lock.middle) {
    return fmt::format("{} is held each time, and released between {}.", name,
                       between(explanation));
  }
  if (lock.first && lock.last) {
    return fmt::format("{} holds {}, and {} does not.", label(explanation.first), name,
                       label(explanation.middle));
  }
  return fmt::format("{} holds {}, and {} does not{}.", label(explanation.middle), name,
                     label(explanation.first), lock.first || lock.last ? " all the time" : "");
}

// Of three accesses, by their pattern.
std::string pattern_summary(const Explanation& explanation, InterferenceKind pattern) {
  const ExplainedAccess& middle = explanation.middle;
  const ExplainedAccess& last = explanation.last;
  const std::string first = place(explanation.first);
  switch (pattern) {
    case InterferenceKind::kReadAgain:
    case InterferenceKind::kCheckThenAct:
      return fmt::format("{} {} used what {} had changed since {}", place(last), who(last),
                         label(middle), first);
    case InterferenceKind::kOverwritten:
      return fmt::format("{} {} found what {} had written since {}", place(last), who(last),
                         label(middle), first);
    case InterferenceKind::kIntermediate:
      return fmt::format("{} {} saw it between {} and {} of {}", place(middle), who(middle), first,
                         place(last), label(last));
    case InterferenceKind::kUnordered:
      return fmt::format("nothing orders {} of {} and {} of {}", first, label(explanation.first),
                         place(last), label(last));
    case InterferenceKind::kLockReacquired:
      return fmt::format("{} had it between {} and {} of {}", label(middle), first, place(last),
                         label(last));
    case InterferenceKind::kWaited:
      return fmt::format("{} had it while {} waited at {}", label(middle), label(explanation.first),
                         first);
  }
  return {};
}

std::string action_words(const Explanation& explanation, const ExplainedStep& step) {
  const std::string object = explained_object_words(explanation);
  const std::string field = explanation.object.field.empty() ? "it" : explanation.object.field;
  switch (step.action) {
    case StepAction::kReads:
      return fmt::format("reads {}{}", field, equals(step.read));
    case StepAction::kWrites:
      return fmt::format("writes {}{}", field, equals(step.written));
    case StepAction::kUpdates:
      return fmt::format("{} {} -> {}", field, *step.read, *step.written);
    case StepAction::kChanges:
      return "changes " + field;
    case StepAction::kCalls:
      return "calls a function of it";
    case StepAction::kMakes:
      return "makes it";
    case StepAction::kDestroys:
      return "destroys it";
    case StepAction::kFrees:
      return "frees " + object;
    case StepAction::kLocks:
      return "locks " + object;
    case StepAction::kGivesBack:
      return "waits, gives back " + object;
    case StepAction::kHasAgain:
      return "has it again: " + object;
    case StepAction::kNotifies:
      return fmt::format("notify {}, {} woken", object, step.woken);
    case StepAction::kNotifiesAll:
      return fmt::format("notify all of {}, {} woken", object, step.woken);
    case StepAction::kWaitsOn:
      return step.lock.empty() ? fmt::format("wait on {}", object)
                               : fmt::format("wait on {} with {}", object, step.lock);
  }
  return {};
}

}  // namespace

std::string explained_object_words(const Explanation& explanation) {
  const ExplainedObject& object = explanation.object;
  if (!object.name.empty()) return object.name;
  if (explanation.cause == Cause::kUseAfterFree) return "a block of the heap";
  if (!object.ref) return "the lock";
  // A local variable without the function that it is in: the places say that.
  const bool local = object.ref->name.kind == ObjectName::Kind::kLocal;
  return local ? object.ref->name.path : brief_object_words(*object.ref);
}

std::string explained_lock_words(const Explanation& explanation) {
  if (of_locks(explanation)) return explained_object_words(explanation);
  if (!explanation.lock) return "the lock";
  if (!explanation.lock->name.empty()) return explanation.lock->name;
  return explanation.lock->taken ? "the lock of " + short_place(*explanation.lock->taken)
                                 : "the lock";
}

std::string title_words(const Explanation& explanation) {
  const std::string object = explained_object_words(explanation);
  switch (explanation.cause) {
    case Cause::kNone:
    case Cause::kLockCycle:
      return {};
    case Cause::kLostSignal:
      return "lost signal: " + object;
    case Cause::kUseAfterFree:
      return "use after free: " + object;
    case Cause::kDestroyedInUse:
      return "destroyed while in use: " + object;
    case Cause::kUsedWhileMade:
      return "used while it is made: " + object;
    case Cause::kCheckThenAct:
      return "check-then-act on " + object;
    case Cause::kLostUpdate:
      return "lost update of " + object;
    case Cause::kTwoReads:
      return "two reads that differ: " + object;
    case Cause::kOverwritten:
      return "overwritten before it was used: " + object;
    case Cause::kSeenHalfWay:
      return "seen half-way: " + object;
    case Cause::kUnordered:
      return "unordered accesses: " + object;
    case Cause::kLockReacquired:
      return "released and taken again: " + object;
    case Cause::kNotLookedAgain:
      return "not looked again after waiting: " + object;
  }
  return {};
}

std::string summary_words(const Explanation& explanation) {
  if (explanation.cause == Cause::kUseAfterFree) {
    return fmt::format("{} used it at {} after {} had freed it at {}", label(explanation.last),
                       place(explanation.last), label(explanation.first), place(explanation.first));
  }
  return explanation.pattern ? pattern_summary(explanation, *explanation.pattern) : std::string();
}

std::string explained_step_words(const Explanation& explanation, const ExplainedStep& step) {
  const std::string what = action_words(explanation, step);
  return step.callee.empty() ? what : step.callee + "()  " + what;
}

std::vector<std::string> explanation_sentences(const Explanation& explanation) {
  std::vector<std::string> sentences;
  for (const std::string& sentence : {assumption(explanation), lock_sentence(explanation)}) {
    if (!sentence.empty()) sentences.push_back(sentence);
  }
  return sentences;
}

}  // namespace raddle
