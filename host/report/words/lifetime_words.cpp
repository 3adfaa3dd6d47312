// What happened, in sentences: objects that were used when they were not there.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "host/report/words/access_words.hpp"
#include "host/report/words/cause_sentences.hpp"
#include "host/symbols/names.hpp"

namespace raddle {

bool of_lifetime(const Explanation& explanation) {
  return explanation.cause == Cause::kDestroyedInUse || explanation.cause == Cause::kUsedWhileMade;
}

namespace {

// What the function that had taken the lock has called since, and uses the object.
std::string in_callee(const Explanation& explanation) {
  const std::vector<std::string>& inside = explanation.last.inside;
  const auto taker = std::find(inside.begin(), inside.end(), explanation.lock->taken->function);
  return taker == inside.begin() || taker == inside.end()
             ? std::string()
             : fmt::format(", in {}", *std::prev(taker));
}

// The user had found the object under a lock, and used it without: empty if that is not known.
std::string found_under_lock(const Explanation& explanation) {
  const bool guarded = explanation.suggestion == Suggestion::kHoldWhileUsed ||
                       explanation.suggestion == Suggestion::kOwnShared;
  if (!guarded || !explanation.lock || !explanation.lock->taken || !explanation.early) return {};
  const std::string from = place(*explanation.lock->taken);
  const std::string until = place(*explanation.early);
  const std::string lock = explained_lock_words(explanation);
  return fmt::format(
      "{} had {} {}, and used the object after that{}; {} took {} in between{}, and {} the object.",
      label(explanation.last), lock,
      from == until ? "at " + from : fmt::format("from {} to {}", from, until),
      in_callee(explanation), label(explanation.first), lock,
      explanation.lock->other_taken ? fmt::format(" (at {})", place(*explanation.lock->other_taken))
                                    : std::string(),
      explanation.cause == Cause::kDestroyedInUse ? "destroys" : "freed");
}

}  // namespace

std::string object_lifetime(const Explanation& explanation) {
  if (!explanation.ends_in.empty()) {
    const bool part = !explanation.ends_in.starts_with(explanation.object.name + "::~");
    const std::string when = explanation.at_thread_end && explanation.first.thread == kMainThread
                                 ? std::string(", after main had returned")
                                 : std::string();
    const std::string text =
        fmt::format("{} destroys {} at {}, in {}{}, while {} still uses it, at {}, in {}{}.",
                    label(explanation.first), named(explanation.object), place(explanation.first),
                    explanation.ends_in, when, label(explanation.last), place(explanation.last),
                    explanation.function, part ? ", of the same object" : "");
    const std::string found = found_under_lock(explanation);
    return found.empty() ? text : text + " " + found;
  }
  const auto& [writer, user] = explanation.first.writes
                                   ? std::tie(explanation.first, explanation.middle)
                                   : std::tie(explanation.middle, explanation.first);
  if (explanation.started) {
    return fmt::format(
        "{} called a function of {} at {}; {} had yet to make all of it, at {}. {} had started {} "
        "before that, at {}.",
        label(explanation.first), named(explanation.object), place(explanation.first),
        label(explanation.last), place(explanation.last),
        explanation.function.empty() ? label(explanation.last) : explanation.function,
        label(explanation.first), place(*explanation.started));
  }
  return fmt::format("{} {} the object at {}, and {} calls its functions at {}.", label(writer),
                     explanation.cause == Cause::kDestroyedInUse ? "destroys" : "makes",
                     place(writer), label(user), place(user));
}

std::string destroyed(const Explanation& explanation) {
  const std::string owner = label(explanation.first);
  if (!explanation.ends_in.empty()) {
    return fmt::format(
        "{} destroyed {} at {}, in {}; {} used it after that, at {}, in {}, of the same object.",
        owner, named(explanation.object), place(explanation.first), explanation.ends_in,
        label(explanation.last), place(explanation.last), explanation.function);
  }
  const std::string when = !explanation.at_thread_end ? std::string()
                           : explanation.first.thread == kMainThread
                               ? std::string(", after main had returned")
                               : fmt::format(", when {} had left its function", owner);
  std::string text =
      fmt::format("{} destroyed the object at {}{}; {} used it after that, at {}.", owner,
                  place(explanation.first), when, label(explanation.last), place(explanation.last));
  if (explanation.suggestion != Suggestion::kNotifyLocked) return text;
  return fmt::format(
      "{} {} had written {}{} at {} and released {} at {}, before it notified; {} read it in "
      "between, at {}, and went on.",
      text, label(explanation.last), named(explanation.other), given(explanation.change->written),
      place(*explanation.change), explained_lock_words(explanation), place(*explanation.early),
      owner, place(explanation.middle));
}

std::string freed_again(const Explanation& explanation) {
  const std::string frees = fmt::format("{} frees{} what {} had freed{}", label(explanation.last),
                                        at_place(explanation.last), label(explanation.first),
                                        at_place(explanation.first));
  if (!explanation.change) {
    return explanation.other.name.empty()
               ? frees + "."
               : fmt::format("{}: it had read {} at {}, which still pointed there.", frees,
                             named(explanation.other), place(explanation.middle));
  }
  return fmt::format("{}: it had read {} at {}, before {} changes that at {}.", frees,
                     named(explanation.other), place(explanation.middle),
                     label(*explanation.change), place(*explanation.change));
}

std::string counted_and_looked(const Explanation& explanation) {
  const ExplainedAccess& own = explanation.first;
  const ExplainedAccess& other = *explanation.early;
  std::string text = fmt::format(
      "{} counted {} down{} at {}, and {}{} at {}. Another read decides who frees: {} read 0 at {} "
      "and freed the object;",
      label(own), named(explanation.object), to(own.written), place(own), label(other),
      to(other.written), place(other), label(other), place(explanation.middle));
  if (explanation.late) {
    return fmt::format("{} {} read it at {}, too, and freed it again at {}.", text, label(own),
                       place(explanation.last), place(*explanation.late));
  }
  return fmt::format("{} {} read it after that, at {}.", text, label(own), place(explanation.last));
}

namespace {

// How the user came to what is gone, as far as that is known.
std::string got_before(const Explanation& explanation) {
  if (!explanation.ends_in.empty()) {
    return fmt::format("{} freed it in {}; {} used it in {}, of the same object.",
                       label(explanation.first), explanation.ends_in, label(explanation.last),
                       explanation.function);
  }
  if (const std::string found = found_under_lock(explanation); !found.empty()) return found;
  if (explanation.other.name.empty() || explanation.middle.where.line == 0) return {};
  const bool element = explanation.other.name.starts_with("element of");
  return fmt::format("{} had read {}{} at {}, which pointed there.", label(explanation.middle),
                     element ? "an " : "", named(explanation.other), place(explanation.middle));
}

// What it had found under the lock it kept without it.
std::string kept_over_release(const Explanation& explanation) {
  const std::string user = label(explanation.last);
  const std::string owner = label(explanation.first);
  const std::string lock = explained_lock_words(explanation);
  const std::string object =
      explanation.object.name.starts_with("element of") ? "the element" : "the object";
  const std::string had = fmt::format("with a pointer, reference or iterator to {}", object);
  const std::string released =
      explanation.waited ? fmt::format("{} released {} in the wait at {}, {}.", user, lock,
                                       place(*explanation.early), had)
                         : fmt::format("{} released {} {} {}, {}, and took it again at {}.", user,
                                       lock, explanation.early->where.line == 0 ? "in" : "at",
                                       place(*explanation.early), had, place(*explanation.late));
  return fmt::format("{} In between {} had {}, and freed {}{}; {} went on with it{}.", released,
                     owner, lock, object, at_place(explanation.first), user,
                     at_place(explanation.last));
}

}  // namespace

std::string freed_while_reading(const Explanation& explanation) {
  const bool shared = explanation.lock && explanation.lock->middle_shared;
  if (!shared && explanation.suggestion == Suggestion::kGuardPointer) {
    return fmt::format("{} had read {} at {}, before {} changes it at {}.", label(explanation.last),
                       named(explanation.other), place(explanation.middle),
                       label(*explanation.change), place(*explanation.change));
  }
  if (explanation.suggestion == Suggestion::kLookLocked) {
    return fmt::format(
        "{} wrote {}{} at {} and still holds {}; {} read it at {} without that lock, and went on "
        "to free the object.",
        label(explanation.last), named(explanation.other), given(explanation.change->written),
        place(*explanation.change), explained_lock_words(explanation), label(explanation.first),
        place(explanation.middle));
  }
  const std::vector<std::string>& inside = explanation.last.inside;
  if (!shared && !inside.empty() && is_destructor(inside.front()) &&
      explanation.first.thread != explanation.last.thread) {
    return fmt::format("{} destroys what {} had freed already.", label(explanation.last),
                       label(explanation.first));
  }
  if (!shared && explanation.early && explanation.late) return kept_over_release(explanation);
  if (!shared && explanation.at_thread_end) {
    const bool main = explanation.first.thread == kMainThread;
    const std::string with =
        explanation.third.name.empty()
            ? fmt::format(", as the {} ended", main ? "program" : "thread")
            : fmt::format(": {} is static, and was destroyed then", named(explanation.third));
    return fmt::format("{} freed it after {} had returned{}.", label(explanation.first),
                       main ? "main" : "its function", with);
  }
  if (!shared) return got_before(explanation);
  if (explanation.lock->last_shared) {
    return fmt::format("Both hold {} for reading only: that does not keep readers out.",
                       explained_lock_words(explanation));
  }
  return fmt::format("Both hold {}, {} for reading only: that does not keep readers out.",
                     explained_lock_words(explanation), label(explanation.first));
}

std::string joinable(const Explanation& explanation) {
  const std::string started = explanation.first.where.empty()
                                  ? std::string()
                                  : fmt::format(" It was started at {}.", place(explanation.first));
  return fmt::format(
      "{} destroys {} at {}, which was neither joined nor detached: std::terminate is called.{}",
      label(explanation.last), explained_object_words(explanation), place(explanation.last),
      started);
}

}  // namespace raddle
