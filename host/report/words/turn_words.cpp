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
  return fmt::format("{} {} at {}", thread_label(step.thread), words, place(step.where));
}

// What became of a promise, or of a function that was taken off; nothing if there is none.
std::string what_became(const Explanation& explanation) {
  const ExplainedTurn& turn = *explanation.turn;
  if (turn.abandoned) {
    const std::string read =
        !explanation.late
            ? std::string()
            : fmt::format(" {} read it{} at {} after that, and ended.", label(*explanation.late),
                          given(explanation.late->read), place(*explanation.late));
    return fmt::format(
        "{} {} destroyed a promise at {} that had no value yet; in the execution that "
        "passes, every promise has one.",
        read, label(*turn.abandoned), place(*turn.abandoned));
  }
  if (turn.fulfilled) {
    return fmt::format(" There {} gives a promise its value, at {}; here it never comes there.",
                       label(*turn.fulfilled), place(*turn.fulfilled));
  }
  if (turn.called) {
    return fmt::format(
        " What {} calls at {} is a copy, made at {}; {} had changed {} by then, at {}.",
        thread_label(turn.late.thread), place(*turn.called), place(turn.begin->where),
        label(*turn.taken_off), turn.begin->object, place(*turn.taken_off));
  }
  return {};
}

}  // namespace

std::string turn_sentences(const Explanation& explanation) {
  const ExplainedTurn& turn = *explanation.turn;
  const std::string early = thread_label(turn.early.thread);
  const std::string late = thread_label(turn.late.thread);
  const std::string became = what_became(explanation);
  if (!turn.begin && !turn.late_here) {
    return fmt::format("{}. It passed in one execution in which {} came first: {}.{}",
                       step_at(explanation, turn.early), late, step_at(explanation, turn.late),
                       became);
  }
  if (!turn.begin) {
    const std::string over =
        turn.over ? fmt::format(" {} had written{} over that at {}.", label(*turn.over),
                                turn.over->written ? fmt::format(" {}", *turn.over->written) : "",
                                place(*turn.over))
                  : std::string();
    return fmt::format("{}, before {}.{} In one execution in which {} came first, it passed.{}",
                       step_at(explanation, turn.early), step_at(explanation, turn.late), over,
                       late, became);
  }
  std::string released;
  const char* const when = turn.late_here ? "in between" : "before that";
  if (explanation.lock && explanation.waited) {
    released = fmt::format(" {} waited at {} {}, which gives back {}.", late,
                           place(*explanation.waited), when, explained_lock_words(explanation));
  } else if (explanation.lock && !explanation.lock->middle_shared) {
    released = fmt::format(" {} released {} {}.", late, explained_lock_words(explanation), when);
  }
  if (!turn.late_here) {
    return fmt::format(
        "{}. Then {}.{} It passed in one execution in which {} came before that step of {}, and in "
        "one in which it came after a later one: {}.{}",
        step_at(explanation, *turn.begin), step_at(explanation, turn.early), released, early, late,
        step_at(explanation, turn.late), became);
  }
  return fmt::format(
      "{}. Then {}, before {}.{} In one execution in which {} went on before both steps of {}, and "
      "in one in which it went on after both, it passed.{}",
      step_at(explanation, *turn.begin), step_at(explanation, turn.early),
      step_at(explanation, turn.late), released, early, late, became);
}

}  // namespace raddle
