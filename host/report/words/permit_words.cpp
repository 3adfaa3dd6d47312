// What happened, in sentences: what is counted, and does not come to the number that is waited for.
#include <fmt/format.h>

#include "host/report/words/access_words.hpp"
#include "host/report/words/cause_sentences.hpp"

namespace raddle {

namespace {

std::string times(std::size_t count) {
  return count == 1 ? std::string("once") : fmt::format("{} times", count);
}

}  // namespace

std::string too_few_posts(const Explanation& explanation) {
  return fmt::format(
      "{} was posted {}, the last time by {} at {}, and taken {}, the last time by {} at {}; {} "
      "waits for one more at {}.",
      explained_object_words(explanation), times(explanation.posts), label(explanation.first),
      place(explanation.first), times(explanation.taken), label(explanation.middle),
      place(explanation.middle), label(explanation.last), place(explanation.last));
}

std::string permit_kept(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& last = explanation.last;
  const std::string object = explained_object_words(explanation);
  if (explanation.middle.where.empty() && first.thread == last.thread) {
    return fmt::format("{} took {} at {}, and nobody posted it; {} waits for it again at {}.",
                       label(first), object, place(first), label(last), place(last));
  }
  if (explanation.middle.where.empty()) {
    return fmt::format("{} took {} at {} and ended; nobody posted it. {} waits for it at {}.",
                       label(first), object, place(first), label(last), place(last));
  }
  if (first.thread == explanation.middle.thread && first.thread != last.thread) {
    return fmt::format(
        "{} took {} at {} and ended without posting it; what it took there before it posted at {}. "
        "{} waits for it at {}.",
        label(first), object, place(first), place(explanation.middle), label(last), place(last));
  }
  if (first.thread != last.thread) {
    return fmt::format(
        "{} took {} at {} and ended without posting it; {}, which took it there, too, posted it at "
        "{}. {} waits for it at {}.",
        label(first), object, place(first), label(explanation.middle), place(explanation.middle),
        label(last), place(last));
  }
  return fmt::format(
      "{} took {} at {} and did not post it; {} waits for it again at {}. What was taken there "
      "before, {} posted at {}.",
      label(first), object, place(first), label(last), place(last), label(explanation.middle),
      place(explanation.middle));
}

std::string unreached(const Explanation& explanation) {
  const ExplainedAccess& change = explanation.first;
  const std::string value =
      !change.written ? std::string() : fmt::format(" and left it at {}", *change.written);
  const std::string without =
      !explanation.early
          ? std::string()
          : fmt::format(
                " {}, which runs the same function as {}, ended without changing it: it was "
                "at {} last.",
                label(*explanation.early), label(change), place(*explanation.early));
  return fmt::format(
      "{} waits at {} for {} to change. Other threads changed it {}; {} did so last, at {}{}.{} "
      "All other threads have ended, or wait.",
      label(explanation.last), place(explanation.last), explained_object_words(explanation),
      times(explanation.posts), label(change), place(change), value, without);
}

}  // namespace raddle
