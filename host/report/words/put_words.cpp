// What happened, in sentences: something was put where nobody takes any more.
#include <fmt/format.h>

#include "host/report/words/access_words.hpp"
#include "host/report/words/cause_sentences.hpp"

namespace raddle {

std::string put_too_late(const Explanation& explanation) {
  const ExplainedAccess& put = explanation.first;
  const ExplainedAccess& taker = explanation.middle;
  std::string text;
  if (explanation.early && explanation.change) {
    const bool unlocked = explanation.lock && !explanation.lock->first;
    text = fmt::format(
        "{} read {}{} at {}{}; {} changed it{} at {} after that. ", label(*explanation.early),
        explanation.other.name, given(explanation.early->read), place(*explanation.early),
        unlocked ? fmt::format(", without {}", explained_lock_words(explanation)) : std::string(),
        label(*explanation.change), to(explanation.change->written), place(*explanation.change));
  }
  return text + fmt::format(
                    "{}, which takes what is put in {}, looked there last at {}, and ended; {} put "
                    "something in after that look, at {}. Nobody is left to take it, and {} waits "
                    "at {}.",
                    label(taker), explanation.object.name, place(taker), label(put), place(put),
                    label(explanation.last), place(explanation.last));
}

}  // namespace raddle
