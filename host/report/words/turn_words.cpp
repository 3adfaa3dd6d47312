// What happened, in sentences: two steps whose order decides.
#include <fmt/format.h>

#include "host/report/words/access_words.hpp"
#include "host/report/words/cause_sentences.hpp"

namespace raddle {

namespace {

// "T1 reads queue.size = 0 at queue.cpp:20"
std::string step_at(const Explanation& explanation, const ExplainedStep& step) {
  const bool updates = step.action == StepAction::kUpdates || step.action == StepAction::kExchanges;
  const std::string words =
      updates ? fmt::format("changes {} from {} to {}", step.object, *step.read, *step.written)
              : explained_step_words(explanation, step);
  return fmt::format("{} {} at {}", thread_label(step.thread), words, short_place(step.where));
}

}  // namespace

std::string turn_sentences(const Explanation& explanation) {
  const ExplainedTurn& turn = *explanation.turn;
  const std::string early = thread_label(turn.early.thread);
  const std::string late = thread_label(turn.late.thread);
  const std::string promise =
      !turn.abandoned
          ? std::string()
          : fmt::format(
                "{} {} destroyed a promise at {} that had no value yet; in the execution that "
                "passes, every promise has one.",
                !explanation.late
                    ? std::string()
                    : fmt::format(" {} read it{} at {} after that, and ended.",
                                  label(*explanation.late), given(explanation.late->read),
                                  place(*explanation.late)),
                label(*turn.abandoned), place(*turn.abandoned));
  if (!turn.begin) {
    return fmt::format("{}, before {}. In one execution in which {} came first, it passed.{}",
                       step_at(explanation, turn.early), step_at(explanation, turn.late), late,
                       promise);
  }
  std::string released;
  if (explanation.lock && explanation.waited) {
    released = fmt::format(" {} waited at {} in between, which gives back {}.", late,
                           short_place(*explanation.waited), explained_lock_words(explanation));
  } else if (explanation.lock && !explanation.lock->middle_shared) {
    released = fmt::format(" {} released {} in between.", late, explained_lock_words(explanation));
  }
  return fmt::format(
      "{}. Then {}, before {}.{} In one execution in which {} went on before both steps of {}, and "
      "in one in which it went on after both, it passed.{}",
      step_at(explanation, *turn.begin), step_at(explanation, turn.early),
      step_at(explanation, turn.late), released, early, late, promise);
}

}  // namespace raddle
