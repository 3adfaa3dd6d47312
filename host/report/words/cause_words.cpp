// What happened, in sentences: each is true of the execution that the explanation is about.
#include <fmt/format.h>

#include <algorithm>

#include "host/report/words/access_words.hpp"
#include "host/report/words/cause_sentences.hpp"

namespace raddle {
namespace {

// What it looked at and what it then wrote need not be one place.
std::string lapsed_look(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const ExplainedLock& lock = *explanation.lock;
  const std::string name = explained_lock_words(explanation);
  const std::string released = lock.released ? " at " + place(*lock.released) : "";
  return fmt::format(
      "{} looked at {} at {} and released {}{}; {} changed it at {} before {} had {} again ({}) "
      "and wrote at {}, without another look at what it had read.",
      label(first), named(explanation.object), place(first), name, released,
      label(explanation.middle), place(explanation.middle), label(first), name,
      place(*lock.taken_again), place(explanation.last));
}

// It looked before it took the lock, and what it then did was to something else.
std::string acted_late(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const std::string name = explained_lock_words(explanation);
  return fmt::format(
      "{} read {}{} at {} without {}; {} changed it{} at {}, with {} held. Then {} took {} at {} "
      "and wrote {} at {}, without another look.",
      label(first), named(explanation.object), given(first.read), place(first), name,
      label(explanation.middle), to(explanation.middle.written), place(explanation.middle), name,
      label(first), name, place(*explanation.lock->taken), named(explanation.other),
      place(explanation.last));
}

std::string changed_sentence(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& last = explanation.last;
  if (explanation.lock && explanation.lock->taken_again) return lapsed_look(explanation);
  if (explanation.cause == Cause::kCheckThenAct && !explanation.other.name.empty())
    return acted_late(explanation);
  const Number before = seen(first);
  // One line that leads to both, by one call or by two.
  if (first.called && last.called && first.function == last.function &&
      place(first) == place(last) && !last.writes) {
    return fmt::format("{} read it more than once by {}() at {}; {} changed it in between.",
                       label(first), first.function, place(first), label(explanation.middle));
  }
  if (!before || !explanation.found) {
    return fmt::format("{} read it{} at {}; {} changed it before {}.", label(first), by_call(first),
                       place(first), label(explanation.middle), did_it(last));
  }
  return fmt::format("{} read {}{} at {}; {} changed it to {} before {}.", label(first), *before,
                     by_call(first), place(first), label(explanation.middle), *explanation.found,
                     did_it(last));
}

std::string expired_between(const Explanation& explanation) {
  return fmt::format(
      "{} saw at {} that what {} points to was there; {} let go of it at {}, as its last owner, "
      "and lock() at {} returned nothing.",
      label(explanation.first), place(explanation.first), named(explanation.object),
      label(explanation.middle), place(explanation.middle), place(explanation.last));
}

std::string update_sentence(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  if (!explanation.last.written) {
    return fmt::format(
        "{} read it{} at {} and wrote it at {}, over what {} had written meanwhile{}.",
        label(first), given(first.read), place(first), place(explanation.last),
        label(explanation.middle), given(explanation.found));
  }
  if (place(first) == place(explanation.last)) {
    return fmt::format("{} read {} and wrote {} at {}, over what {} had written meanwhile{}.",
                       label(first), or_it(first.read), or_it(explanation.last.written),
                       place(first), label(explanation.middle), given(explanation.found));
  }
  return fmt::format(
      "{} read {}{} at {}, and at {} wrote {}{} over what {} had written meanwhile{}.",
      label(first), or_it(first.read), by_call(first), place(first), place(explanation.last),
      or_it(explanation.last.written), by_call(explanation.last), label(explanation.middle),
      given(explanation.found));
}

std::string aba(const Explanation& explanation) {
  return fmt::format(
      "{} read {}{} at {}. {} changed it and changed it back, so the compare-and-swap at {} "
      "succeeds; but {}, which {} read in between, is {} now: {} wrote that at {}.",
      label(explanation.first), named(explanation.object), given(explanation.first.read),
      place(explanation.first), label(explanation.middle), place(explanation.last),
      named(explanation.other), label(explanation.first),
      explanation.change->written ? fmt::format("{}", *explanation.change->written)
                                  : std::string("another"),
      label(*explanation.change), place(*explanation.change));
}

std::string torn(const Explanation& explanation) {
  const ExplainedAccess& change = *explanation.change;
  const bool before = explanation.first_is_old;
  if (explanation.one_object) {
    return fmt::format(
        "{} writes {} in more than one access, at {}; {} read an old part of it and a new one.",
        label(explanation.middle), named(explanation.object),
        place(change) == place(explanation.middle)
            ? place(change)
            : fmt::format("{} and {}", place(explanation.middle), place(change)),
        label(explanation.first));
  }
  const bool pending = std::any_of(
      explanation.steps.begin(), explanation.steps.end(),
      [](const ExplainedStep& step) { return step.action == StepAction::kAboutToWrite; });
  return fmt::format("{} writes {} at {} and {}{} at {}; {} read the {} {}{} and the {} {}{}.",
                     label(explanation.middle), named(explanation.object),
                     place(explanation.middle), pending ? "is about to write " : "",
                     named(explanation.other), place(change), label(explanation.first),
                     before ? "old" : "new", named(explanation.object),
                     given(explanation.first.read), before ? "new" : "old",
                     named(explanation.other), given(explanation.last.read));
}

std::string taken_again(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& last = explanation.last;
  const std::string other = label(explanation.middle);
  const std::string text =
      fmt::format("{} released {} after{} {} and took it again{} at {}; {}", label(first),
                  explained_object_words(explanation),
                  first.called ? fmt::format(" {}() at", first.function) : "", place(first),
                  last.called ? fmt::format(" in {}()", last.function) : "", place(last), other);
  if (explanation.change) {
    const bool element = explanation.other.name.starts_with("element of");
    return fmt::format("{} held it in between, and changed {}{}{} at {}.", text,
                       element ? "an " : "", named(explanation.other),
                       to(explanation.change->written), place(*explanation.change));
  }
  return fmt::format(
      "{} held it in between. What {} learned the first time need not be so any more.", text,
      label(first));
}

std::string assumption(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& middle = explanation.middle;
  const ExplainedAccess& last = explanation.last;
  switch (explanation.cause) {
    case Cause::kNone:
      return {};
    case Cause::kLockCycle:
      return "The locks are taken in different orders: each thread holds what the next one waits "
             "for.";
    case Cause::kSelfDeadlock:
      return first.where.empty()
                 ? fmt::format("{} holds {} already.", label(last),
                               explained_object_words(explanation))
                 : fmt::format("{} has held {} since {}, and wants it again at {}{}.", label(last),
                               explained_object_words(explanation), place(first), place(last),
                               explanation.change
                                   ? fmt::format(", which it came to by the call at {}",
                                                 place(*explanation.change))
                                   : std::string());
    case Cause::kLockUpgrade:
      return fmt::format("{} holds {} for reading since {}, and at {} waits until nobody reads.",
                         label(last), explained_object_words(explanation), place(first),
                         place(last));
    case Cause::kJoinUnderLock:
      return fmt::format("{} waits at {} for {} to end, which waits at {} for what {} holds.",
                         label(first), place(first), label(last), place(last), label(first));
    case Cause::kLeftLocked:
      return fmt::format("{} locked {} at {} and ended without unlocking it.", label(first),
                         explained_object_words(explanation), place(first));
    case Cause::kLostSignal:
      return lost_signal(explanation);
    case Cause::kMissingNotify:
      return fmt::format(
          "{} read {}{} at {} and waited; {} changed it{} at {} after that, and nobody notified "
          "{} afterwards.",
          label(middle), named(explanation.other), given(middle.read), place(middle), label(first),
          to(first.written), place(first), explained_object_words(explanation));
    case Cause::kEachOther:
      return each_other(explanation);
    case Cause::kUnwatchedChange:
      return unwatched_change(explanation);
    case Cause::kChangedBack:
      return changed_back(explanation);
    case Cause::kNotifyOne:
      return fmt::format(
          "{} woke {}, which had no use for it and waited again at {}; {}, which waited at {}, was "
          "not woken.",
          label(first), label(middle), place(middle), label(last), place(last));
    case Cause::kTooFewWoken:
      return too_few_woken(explanation);
    case Cause::kMissingArrival:
      if (!explanation.arrivals.empty()) return left_barrier(explanation);
      return fmt::format(
          "{} waits at {}; {}, which {}, ended without arriving{} (it was at {} last).",
          label(last), place(last), label(first),
          explanation.later_round ? "had arrived in the round before" : "runs the same function",
          explanation.later_round ? " again" : "", place(first));
    case Cause::kTooFewArrive:
      return fmt::format(
          "{} waits for {} arrivals; {} came, such as {} at {}, and nobody is left who could: all "
          "others have ended or wait for one to end.",
          explained_object_words(explanation), explanation.needed, explanation.waiters, label(last),
          place(last));
    case Cause::kTooFewPosts:
      return too_few_posts(explanation);
    case Cause::kUnreachedValue:
      return unreached(explanation);
    case Cause::kWokenInVain:
      return library_wait(explanation);
    case Cause::kMadeForTooFew:
      return made_for_too_few(explanation);
    case Cause::kPostedAgain:
      return posted_again(explanation);
    case Cause::kPermitKept:
      return permit_kept(explanation);
    case Cause::kUnfulfilledFutures:
      return unfulfilled_futures(explanation);
    case Cause::kPutTooLate:
      return put_too_late(explanation);
    case Cause::kWaitUnderLock:
      return fmt::format(
          "{} waits on {} at {} and has held {} since {}, which the wait does not give back; {} "
          "waits for that at {}.",
          label(last), named(explanation.other), place(last), explained_object_words(explanation),
          place(first), label(middle), place(middle));
    case Cause::kJoinableDestroyed:
      return joinable(explanation);
    case Cause::kUseAfterFree:
      return freed_while_reading(explanation);
    case Cause::kDoubleFree:
      return freed_again(explanation);
    case Cause::kSplitRelease:
      return counted_and_looked(explanation);
    case Cause::kUseAfterDestruction:
      return destroyed(explanation);
    case Cause::kUseAfterReturn:
      return fmt::format(
          "{} is a local variable of {}, which {} has left; {} used its place on the "
          "stack at {}.",
          explained_object_words(explanation), function_or_unknown(explanation.function),
          label(first), label(last), place(last));
    case Cause::kDestroyedLocked:
      return fmt::format("{} destroys {}{}; {} has held it since {}.", label(last),
                         explained_object_words(explanation), at(last), label(first), place(first));
    case Cause::kDestroyedAwaited:
      return fmt::format("{} destroys {}{}; {} has waited on it since {}.", label(last),
                         explained_object_words(explanation), at(last), label(first), place(first));
    case Cause::kUnlockedTwice:
      return fmt::format("{} unlocked {} at {}, and unlocks it again{}, when nobody holds it.",
                         label(last), explained_object_words(explanation), place(first), at(last));
    case Cause::kHeldByAnother:
      return fmt::format("{} unlocks {}{}; {} has held it since {}.", label(last),
                         explained_object_words(explanation), at(last), label(first), place(first));
    case Cause::kDestroyedInUse:
    case Cause::kUsedWhileMade:
      return object_lifetime(explanation);
    case Cause::kRacedSharedPtr:
      return fmt::format(
          "{} {} the variable at {} while {} {} it at {}. The count of owners is atomic; the "
          "variable itself is not.",
          label(first), first.writes ? "assigns" : "copies", place(first), label(last),
          last.writes ? "assigns" : "copies", place(last));
    case Cause::kUnsafePublication:
      return published(explanation);
    case Cause::kUsedBeforeInit:
      return used_before_init(explanation);
    case Cause::kReadTooEarly:
      return read_too_early(explanation);
    case Cause::kReadTooLate:
      return read_too_late(explanation);
    case Cause::kTryFailed:
      return fmt::format(
          "{} tried to lock {} at {} and did not get it: {} had held it since {}. In the nearest "
          "execution that passes, {} gets it, and writes {}{} at {}.",
          label(middle), explained_lock_words(explanation), place(middle), label(first),
          place(first), label(middle), named(explanation.object),
          given(explanation.change->written), place(*explanation.change));
    case Cause::kGaveUpWaiting:
      return fmt::format(
          "{} stopped waiting at {} when its time was up, and read {}{} at {}{}", label(first),
          place(first), named(explanation.object), given(middle.read), place(middle),
          !last.writes
              ? std::string(", which nobody had written meanwhile.")
              : fmt::format(". In the nearest execution that passes, {} writes{} first, at {}.",
                            label(last),
                            last.written ? fmt::format(" {}", *last.written) : std::string(),
                            place(last)));
    case Cause::kTimeOut:
      return late_answer(explanation);
    case Cause::kMissedAtTimeOut:
      return missed_at_time_out(explanation);
    case Cause::kReusedEarly:
      return reused_early(explanation);
    case Cause::kNotCheckedAgain:
      return unchecked(explanation);
    case Cause::kWrittenByReader:
      return fmt::format(
          "{} wrote it at {}, with {} held for reading only; {} held that for reading at the same "
          "time{}, and {} it at {}.",
          label(first), place(first), explained_lock_words(explanation), label(last),
          explanation.lock->other_taken
              ? fmt::format(" (taken at {})", place(*explanation.lock->other_taken))
              : std::string(),
          last.writes ? "wrote" : "read", place(last));
    case Cause::kAba:
      return aba(explanation);
    case Cause::kLostUpdate:
      return update_sentence(explanation);
    case Cause::kCheckThenAct:
      if (explanation.suggestion == Suggestion::kLockWeak) return expired_between(explanation);
      return changed_sentence(explanation);
    case Cause::kTwoReads:
      return changed_sentence(explanation);
    case Cause::kOverwritten:
      return fmt::format("{} wrote {}{} at {}; {} changed it{} before {}.", label(first),
                         or_it(first.written), by_call(first), place(first), label(middle),
                         to(explanation.found), did_it(last));
    case Cause::kSeenHalfWay:
      return fmt::format("{} read {}{}, which {} wrote at {} and wrote again at {}.", label(middle),
                         or_it(seen(middle)), by_call(middle), label(first), place(first),
                         place(last));
    case Cause::kTornPair:
      return torn(explanation);
    case Cause::kLetBothIn:
    case Cause::kCameBetween:
    case Cause::kCameTooEarly:
      return turn_sentences(explanation);
    case Cause::kOvertaken:
      return overtaken(explanation);
    case Cause::kUnordered:
      return fmt::format("{} {} it{} at {}, then {} {} it{} at {}; nothing orders the two.",
                         label(first), first.writes ? "wrote" : "read", given(seen(first)),
                         place(first), label(last), last.writes ? "wrote" : "read",
                         given(seen(last)), place(last));
    case Cause::kLastWriter:
      if (!first.writes)
        return fmt::format("{} read {}{} at {}; no write of it was seen before.", label(last),
                           named(explanation.object), given(last.read), place(last));
      return fmt::format(
          "{} read {}{} at {}; {} had written it at {}{}.", label(last), named(explanation.object),
          given(last.read), place(last), label(first), place(first),
          explanation.change
              ? fmt::format(", over what {} had written{} at {}, without looking again",
                            label(*explanation.change), given(explanation.change->written),
                            place(*explanation.change))
              : std::string());
    case Cause::kLockReacquired:
      return taken_again(explanation);
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
  const std::optional<Where>& released = explanation.lock->released;
  if (released) return fmt::format("the two, at {}", place(*released));
  if (first.line == 0 || last.line == 0) return "the two";
  if (first.file == last.file && first.line != last.line) {
    return fmt::format("lines {} and {}", std::min(first.line, last.line),
                       std::max(first.line, last.line));
  }
  if (first.file == last.file) return "the two";
  return fmt::format("{} and {}", place(first), place(last));
}

std::string gate_sentence(const Explanation& explanation, const ExplainedGate& gate) {
  const std::string own = label(explanation.first);
  const std::string other = label(explanation.middle);
  if (gate.given_up) {
    return fmt::format("{} took {} at {} and gave it up at {}, before {}; {} took it at {}.", own,
                       gate.name, place(gate.taken), place(*gate.given_up), place(explanation.last),
                       other, place(gate.other));
  }
  return fmt::format("Both had taken {}, {} at {} and {} at {}: it has room for more than one.",
                     gate.name, own, place(gate.taken), other, place(gate.other));
}

std::string lock_sentence(const Explanation& explanation) {
  const bool came_between = explanation.cause == Cause::kCameBetween;
  if (came_between && explanation.lock && explanation.lock->middle_shared) {
    return fmt::format("{} holds {} for reading only, and writes.", label(explanation.middle),
                       explained_lock_words(explanation));
  }
  if (!explanation.pattern || of_locks(explanation) || of_lifetime(explanation)) return {};
  if (explanation.gate) return gate_sentence(explanation, *explanation.gate);
  if (explanation.inside) {
    const ExplainedInside& inside = *explanation.inside;
    const bool one_place = place(inside.first) == place(inside.last);
    return fmt::format("Then both were past it: {} used {} at {}, {} {}{} of {}.",
                       thread_label(inside.other), named(explanation.other), place(inside.middle),
                       one_place ? "in the middle of" : "between", place(inside.first),
                       one_place ? "" : " and " + place(inside.last), thread_label(inside.thread));
  }
  if (explanation.no_lock) {
    return explanation.locks_unknown
               ? "No lock that Raddle knows of is held at these places; libraries may hold others."
               : "No lock that Raddle knows of is held at these places.";
  }
  if (!explanation.lock) return {};
  const ExplainedLock& lock = *explanation.lock;
  const std::string name = explained_lock_words(explanation);
  const std::string other = label(explanation.middle);
  if (lock.middle && lock.middle_shared) {
    return fmt::format("{} holds {} for reading only, and writes.", other, name);
  }
  if (lock.taken_again) return {};  // it was told before
  if (lock.first && lock.last && lock.middle) {
    return fmt::format("{} is held each time, and released between {}.", name,
                       between(explanation));
  }
  if (lock.first && lock.last && !lock.instead.empty()) {
    return fmt::format("{} holds {}, {} another lock: {}.", label(explanation.first), name, other,
                       lock.instead);
  }
  if (lock.first && lock.last) {
    return fmt::format("{} holds {}, and {} does not.", label(explanation.first), name, other);
  }
  if (!lock.instead.empty()) {
    return fmt::format("{} holds {}, {} another lock: {}.", other, name, label(explanation.first),
                       lock.instead);
  }
  // Of two accesses there is no third at which it might be held.
  const bool partly =
      explanation.pattern != InterferenceKind::kUnordered && (lock.first || lock.last);
  if (partly) {
    const ExplainedAccess& held = lock.first ? explanation.first : explanation.last;
    const ExplainedAccess& not_held = lock.first ? explanation.last : explanation.first;
    return fmt::format("{} holds {} at {}, and {} at {}, but not at {}.", other, name,
                       place(explanation.middle), label(held), place(held), place(not_held));
  }
  return fmt::format("{} holds {}, and {} does not.", other, name, label(explanation.first));
}

// " from 1 to 0"; where that is not known, since when.
std::string change_words(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const Number before =
      explanation.pattern == InterferenceKind::kOverwritten ? first.written : seen(first);
  if (!before || !explanation.found)
    return place(first) == place(explanation.last) ? " meanwhile" : " since " + place(first);
  // Where a third thread came first, the other one did not find what the disturbed one had seen.
  const bool alone = std::all_of(
      explanation.steps.begin(), explanation.steps.end(), [&](const ExplainedStep& step) {
        return step.thread == first.thread || step.thread == explanation.middle.thread;
      });
  return alone ? fmt::format(" from {} to {}", *before, *explanation.found)
               : fmt::format(" to {}", *explanation.found);
}

// The act itself read what was there: it did not go by the old value, but the check before it had.
std::string found_another(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& last = explanation.last;
  if (place(first) == place(last)) {
    return fmt::format("{} found two values at {}: {} changed it in between", label(last),
                       place(last), label(explanation.middle));
  }
  const std::string change =
      seen(first) && explanation.found ? change_words(explanation) : std::string(" meanwhile");
  return fmt::format("what {} read at {} was not so any more at {}: {} had changed it{}",
                     label(first), place(first), place(last), label(explanation.middle), change);
}

// Of three accesses, by their pattern.
std::string pattern_summary(const Explanation& explanation, InterferenceKind pattern) {
  const ExplainedAccess& middle = explanation.middle;
  const ExplainedAccess& last = explanation.last;
  const std::string first = place(explanation.first);
  switch (pattern) {
    case InterferenceKind::kReadAgain:
    case InterferenceKind::kCheckThenAct:
      if (explanation.cause != Cause::kTwoReads && last.reads) return found_another(explanation);
      return fmt::format(
          "{} {} at {}: {} had changed it{}", label(last),
          explanation.cause == Cause::kTwoReads ? "read another value" : "acted on an old value",
          place(last), label(middle), change_words(explanation));
    case InterferenceKind::kOverwritten:
      return fmt::format("{} read another value at {}: {} had changed it{}", label(last),
                         place(last), label(middle), change_words(explanation));
    case InterferenceKind::kIntermediate:
      return fmt::format("{} saw it at {}, between {} and {} of {}", label(middle), place(middle),
                         first, place(last), label(last));
    case InterferenceKind::kUnordered:
      return fmt::format("nothing orders {} of {} and {} of {}", first, label(explanation.first),
                         place(last), label(last));
    case InterferenceKind::kLockReacquired:
      if (explanation.first.called && last.called) {
        return fmt::format("{} had it between {}() and {}() of {}, at {}", label(middle),
                           explanation.first.function, last.function, label(last), place(last));
      }
      return fmt::format("{} had it between {} and {} of {}", label(middle), first, place(last),
                         label(last));
    case InterferenceKind::kWaited:
      return fmt::format("{} had it while {} waited at {}", label(middle), label(explanation.first),
                         first);
  }
  return {};
}

}  // namespace

std::string in_functions(std::string text, const Explanation& explanation) {
  const auto put_in = [&](const ExplainedAccess& access) {
    if (access.where.line != 0 || access.where.function.empty()) return;
    const std::string wrong = " at " + access.where.function;
    for (std::size_t at = text.find(wrong); at != std::string::npos; at = text.find(wrong, at + 1))
      text.replace(at, 4, " in ");
  };
  for (const ExplainedAccess* access : {&explanation.first, &explanation.middle, &explanation.last})
    put_in(*access);
  for (const auto* access : {&explanation.change, &explanation.early, &explanation.late})
    if (*access) put_in(**access);
  return text;
}

static std::string summed_up(const Explanation& explanation) {
  if (explanation.cause == Cause::kLostUpdate) {
    return fmt::format("{} wrote over what {} had written, at {}", label(explanation.last),
                       label(explanation.middle), place(explanation.last));
  }
  if (explanation.cause == Cause::kUseAfterFree) {
    return fmt::format("{} used it at {} after {} had freed it{}", label(explanation.last),
                       place(explanation.last), label(explanation.first),
                       at_place(explanation.first));
  }
  return explanation.pattern ? pattern_summary(explanation, *explanation.pattern) : std::string();
}

std::string summary_words(const Explanation& explanation) {
  return in_functions(summed_up(explanation), explanation);
}

std::vector<std::string> explanation_sentences(const Explanation& explanation) {
  std::vector<std::string> sentences;
  // What let both in says more than what they met at.
  const bool let_in = explanation.cause == Cause::kLetBothIn;
  if (let_in) sentences.push_back(passed_sentence(explanation));
  for (const std::string& sentence :
       {assumption(explanation), lost_because(explanation), lock_sentence(explanation),
        let_in ? std::string() : passed_sentence(explanation)}) {
    if (!sentence.empty()) sentences.push_back(in_functions(sentence, explanation));
  }
  return sentences;
}

}  // namespace raddle
