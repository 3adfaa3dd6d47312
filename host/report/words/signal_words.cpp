// What happened, in sentences: what did not reach who waits, signals above all.
#include <fmt/format.h>

#include "host/report/words/access_words.hpp"
#include "host/report/words/cause_sentences.hpp"

namespace raddle {
namespace {

// Before it waited, at what it does not wait for, or too early.
std::string looked_elsewhere(const Explanation& explanation) {
  const std::string& alone = explanation.third.name;
  if (!explanation.early) {
    if (alone.empty()) return {};
    return fmt::format(" It looked at {}, and not at {}.", alone, named(explanation.other));
  }
  return fmt::format(
      " It had looked at {} at {}, before the change{}, and did not look at it again before it "
      "waited{}.",
      named(explanation.other), place(*explanation.early),
      explanation.lock ? " and without " + explained_lock_words(explanation) : std::string(),
      alone.empty() ? std::string() : fmt::format(": only at {}", alone));
}

}  // namespace

std::string lost_signal(const Explanation& explanation) {
  const ExplainedAccess& look = explanation.middle;
  const ExplainedAccess& last = explanation.last;
  if (!explanation.change) {
    return fmt::format(
        "The signal came before {} waited: nobody was there to be woken, and a condition variable "
        "remembers nothing.",
        label(last));
  }
  const ExplainedAccess& change = *explanation.change;
  return fmt::format(
      "{} read {}{} at {} and went on to wait; {} changed it{} at {} before {} waited, and "
      "nobody wakes {} after that.",
      label(look), named(explanation.other), given(look.read), place(look), label(change),
      to(change.written), place(change), label(last), label(last));
}

std::string each_other(const Explanation& explanation) {
  const ExplainedAccess& own = explanation.first;
  const ExplainedAccess& others = explanation.middle;
  const ExplainedAccess& look = *explanation.change;
  const std::string where =
      place(explanation.last) == place(*explanation.late)
          ? "at " + place(explanation.last)
          : fmt::format("at {} and {}", place(explanation.last), place(*explanation.late));
  return fmt::format(
      "{} and {} both wait {}, where {} looked at {}{}. {} had changed it{} at {} and {}{} at {}; "
      "neither changes it again before its wait is over.",
      label(own), label(others), where, label(look), named(explanation.other), given(look.read),
      label(own), to(own.written), place(own), label(others), to(others.written), place(others));
}

std::string unwatched_change(const Explanation& explanation) {
  const ExplainedAccess& change = explanation.first;
  const ExplainedAccess& last = explanation.last;
  return fmt::format("{} changed {}{} at {} and notified {} at {}; {}{} at {}.{}", label(change),
                     named(explanation.other), to(change.written), place(change),
                     explained_object_words(explanation), place(*explanation.change), label(last),
                     explanation.late ? " woke, and waits again" : " waits after that", place(last),
                     looked_elsewhere(explanation));
}

std::string changed_back(const Explanation& explanation) {
  const ExplainedAccess& change = explanation.first;
  const ExplainedAccess& back = *explanation.early;
  const ExplainedAccess& look = explanation.middle;
  return fmt::format(
      "{} changed {}{} at {} and notified {} at {}. Before {}, which that woke, had {} again, {} "
      "changed it{} at {}. {} looked at {}, found{}, and waits again at {}.",
      label(change), named(explanation.other), to(change.written), place(change),
      explained_object_words(explanation), place(*explanation.change), label(look),
      explained_lock_words(explanation), label(back), to(back.written), place(back), label(look),
      place(look), look.read ? fmt::format(" {}", *look.read) : std::string(" that"),
      place(explanation.last));
}

std::string missed_at_time_out(const Explanation& explanation) {
  const ExplainedAccess& wait = explanation.first;
  const ExplainedAccess& change = explanation.middle;
  return fmt::format(
      "{} waited at {} until its time was up. When it had {} again, {} had changed {}{} at {}; {} "
      "went on without a look at it.",
      label(wait), place(wait), explained_lock_words(explanation), label(change),
      named(explanation.object), to(change.written), place(change), label(wait));
}

std::string too_few_woken(const Explanation& explanation) {
  const ExplainedAccess& last = explanation.last;
  const std::string woken =
      fmt::format("{} at {} woke {}, and nobody wakes {}.", notify_one_word(explanation),
                  place(explanation.first), label(explanation.middle), label(last));
  if (!explanation.change)
    return fmt::format("{} waited at {}. {}", label(last), place(last), woken);
  return fmt::format("{} read {}{} and waited at {}; {} changed it{} at {}. {}", label(last),
                     named(explanation.other), given(last.read), place(last),
                     label(*explanation.change), to(explanation.change->written),
                     place(*explanation.change), woken);
}

std::string put_too_late(const Explanation& explanation) {
  const ExplainedAccess& put = explanation.first;
  const ExplainedAccess& taker = explanation.middle;
  std::string text;
  if (explanation.early && explanation.change) {
    const bool unlocked = explanation.lock && !explanation.lock->first;
    text = fmt::format(
        "{} read {}{} at {}{}; {} changed it{} at {} after that. ", label(*explanation.early),
        named(explanation.other), given(explanation.early->read), place(*explanation.early),
        unlocked ? fmt::format(", without {}", explained_lock_words(explanation)) : std::string(),
        label(*explanation.change), to(explanation.change->written), place(*explanation.change));
  }
  return text + fmt::format(
                    "{}, which takes what is put in {}, looked there last at {}, and ended; {} put "
                    "something in after that look, at {}. Nobody is left to take it, and {} waits "
                    "at {}.",
                    label(taker), named(explanation.object), place(taker), label(put), place(put),
                    label(explanation.last), place(explanation.last));
}

std::string unfulfilled_futures(const Explanation& explanation) {
  constexpr std::size_t kShown = 8;
  const std::vector<ExplainedAccess>& all = explanation.arrivals;
  std::string waits;
  std::string tasks;
  std::size_t in_tasks = 0;
  for (std::size_t i = 0; i < all.size() && i < kShown; ++i) {
    const bool last = i > 0 && i + 1 == all.size();
    waits += fmt::format("{}{} at {}",
                         i == 0 ? ""
                         : last ? " and "
                                : ", ",
                         label(all[i]), place(all[i]));
    if (!all[i].called) continue;
    tasks += fmt::format("{}{} ({})", in_tasks++ == 0 ? "" : ", ", label(all[i]), all[i].function);
  }
  if (all.size() > kShown) waits += fmt::format(", and {} more", all.size() - kShown);
  const std::string running =
      tasks.empty() ? std::string()
                    : fmt::format(" In the middle of tasks themselves are: {}.", tasks);
  const std::string wait =
      all.size() == 1
          ? fmt::format("{} waits for a future at {}.", label(all.front()), place(all.front()))
          : fmt::format("These threads wait for futures: {}.", waits);
  return wait + running + " Nobody is left to run what would fulfil " +
         (all.size() == 1 ? "it." : "one.");
}

// Why a wake-up was lost: what was read too early, or without the lock.
std::string lost_because(const Explanation& explanation) {
  if (explanation.cause != Cause::kLostSignal) return {};
  if (explanation.early && explanation.late) {
    return fmt::format(
        "{} read {}{} at {} before {} changed it{} at {}: each missed what the other did.",
        label(*explanation.early), named(explanation.third), given(explanation.early->read),
        place(*explanation.early), label(*explanation.late), to(explanation.late->written),
        place(*explanation.late));
  }
  if (!explanation.change || !explanation.lock || explanation.lock->first) return {};
  if (!explanation.lock->middle && !explanation.lock->last) {
    return fmt::format("Neither {} at {} nor {} at {} held {}.", label(explanation.middle),
                       place(explanation.middle), label(*explanation.change),
                       place(*explanation.change), explained_lock_words(explanation));
  }
  return fmt::format("{} did not hold {} all the time from there to the wait at {}.",
                     label(explanation.last), explained_lock_words(explanation),
                     place(explanation.last));
}

}  // namespace raddle
