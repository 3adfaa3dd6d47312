// What happened, in sentences: two steps whose order decides.
#include <fmt/format.h>

#include "host/report/words/access_words.hpp"
#include "host/report/words/cause_sentences.hpp"

namespace raddle {

namespace {

// "T1 reads queue.size = 0 at queue.cpp:20"
std::string step_at(const Explanation& explanation, const ExplainedStep& step) {
  return fmt::format("{} {} at {}", thread_label(step.thread),
                     explained_step_words(explanation, step), short_place(step.where));
}

}  // namespace

std::string turn_sentences(const Explanation& explanation) {
  const ExplainedTurn& turn = *explanation.turn;
  const std::string early = thread_label(turn.early.thread);
  const std::string late = thread_label(turn.late.thread);
  if (!turn.begin) {
    return fmt::format(
        "{}, before {}. An execution passes that is the same until there, but in which {} comes "
        "first.",
        step_at(explanation, turn.early), step_at(explanation, turn.late), late);
  }
  const std::string released = explanation.lock ? fmt::format(" {} released {} in between.", late,
                                                              explained_lock_words(explanation))
                                                : std::string();
  return fmt::format(
      "{}. Then {}, before {}.{} Executions pass that are the same until there, but in which {} "
      "goes "
      "on to {} first, or {} comes before {}.",
      step_at(explanation, *turn.begin), step_at(explanation, turn.early),
      step_at(explanation, turn.late), released, late, short_place(turn.late.where), early,
      short_place(turn.begin->where));
}

}  // namespace raddle
