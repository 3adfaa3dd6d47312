// What happened, in sentences: orders, and waits that ended too early or too late.
#include <fmt/format.h>

#include "host/report/words/access_words.hpp"
#include "host/report/words/cause_sentences.hpp"

namespace raddle {
namespace {

std::string drew(const ExplainedAccess& access) {
  return access.read && access.written
             ? fmt::format(" from {} to {}", *access.read, *access.written)
             : std::string();
}

}  // namespace

std::string published(const Explanation& explanation) {
  return fmt::format(
      "{} saw what {} wrote to {} at {}, and read {}{} at {}; {} had yet to write {} "
      "at {}.",
      label(explanation.last), label(explanation.first), named(explanation.other),
      place(explanation.first), named(explanation.object), given(explanation.last.read),
      place(explanation.last), label(explanation.first), named(explanation.object),
      place(explanation.change->where));
}

std::string used_before_init(const Explanation& explanation) {
  const ExplainedAccess& read = explanation.first;
  std::string text = fmt::format("{} read {}{} at {}; {} had yet to write it at {}.", label(read),
                                 named(explanation.object), given(read.read), place(read),
                                 label(explanation.last), place(explanation.last));
  if (explanation.function.empty()) return text;
  return fmt::format("{} {}, which makes the object, had started {} before that, at {}.", text,
                     explanation.function, label(read), place(*explanation.started));
}

std::string read_too_early(const Explanation& explanation) {
  const ExplainedAccess& read = explanation.first;
  const ExplainedAccess& before = explanation.middle;
  const ExplainedAccess& write = explanation.last;
  const bool again = before.thread == write.thread && place(before) == place(write);
  // Whether it came there later in this execution does not matter, and need not be so.
  const bool in_constructor = explanation.suggestion == Suggestion::kKnownWhenMade;
  return fmt::format(
      "{} read {}{} at {}; {} had yet to write it{} at {}{}. In the nearest execution that passes, "
      "{} writes{} there first.",
      label(read), named(explanation.object), given(read.read), place(read), label(write),
      again ? " again" : "", place(write),
      in_constructor ? ", in the constructor of the object" : "", label(write),
      write.written ? fmt::format(" {}", *write.written) : std::string());
}

std::string late_answer(const Explanation& explanation) {
  if (explanation.object.name.empty()) {
    return fmt::format("{} gave up waiting at {}; {} took {} at {} after that.",
                       label(explanation.first), place(explanation.first),
                       label(explanation.middle), explained_lock_words(explanation),
                       place(explanation.middle));
  }
  const std::string reset =
      !explanation.late ? std::string()
                        : fmt::format(" and wrote {} at {}", or_it(explanation.late->written),
                                      place(*explanation.late));
  const std::string again = !explanation.early
                                ? std::string()
                                : fmt::format(" while {} waited anew at {}",
                                              label(explanation.first), place(*explanation.early));
  return fmt::format(
      "{} gave up waiting at {}{}; after that {} wrote {} at {}{}, and {} read "
      "that at {}.",
      label(explanation.first), place(explanation.first), reset, label(explanation.middle),
      explanation.middle.written ? fmt::format("{}", *explanation.middle.written)
                                 : named(explanation.object),
      place(explanation.middle), again, label(explanation.last), place(explanation.last));
}

std::string reused_early(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& middle = explanation.middle;
  const ExplainedAccess& last = explanation.last;
  return fmt::format(
      "{} wrote {}{} at {} and made a pointer to it known at {}, which {} took at {}. {} wrote{} "
      "there again at {}, before {} read it at {}.",
      label(first), named(explanation.object), given(first.written), place(first),
      place(*explanation.early), label(last), place(*explanation.late), label(middle),
      middle.written ? fmt::format(" {}", *middle.written) : std::string(), place(middle),
      label(last), place(last));
}

std::string overtaken(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& middle = explanation.middle;
  const std::string lock = explained_lock_words(explanation);
  return fmt::format(
      "{} changed {}{} at {}. Before it locked {} at {}, {} changed {}{} at {} and locked {} at "
      "{}: "
      "the order of these changes is not the order under {}. In one execution in which {} went on "
      "before both steps of {}, and in one in which it went on after both, it passed.",
      label(first), named(explanation.object), drew(first), place(first), lock,
      place(explanation.last), label(middle), named(explanation.object), drew(middle),
      place(middle), lock, place(*explanation.change), lock, label(middle), label(first));
}

std::string read_too_late(const Explanation& explanation) {
  const ExplainedAccess& write = explanation.first;
  const ExplainedAccess& read = explanation.last;
  std::string text = fmt::format(
      "{} read {}{} at {}, after {} had written it at {}. In the nearest execution that passes, {} "
      "reads{} there.",
      label(read), named(explanation.object), given(read.read), place(read), label(write),
      place(write), label(read),
      explanation.middle.read ? fmt::format(" {}", *explanation.middle.read)
                              : std::string(" another value"));
  if (explanation.early) {
    text += fmt::format(" {} had written it before {} did, at {}.", label(*explanation.early),
                        label(write), place(*explanation.early));
  }
  if (explanation.change && explanation.late) {
    text += fmt::format(" Then {} wrote {}{} at {}, and {} read that at {}.",
                        label(*explanation.change), named(explanation.other),
                        given(explanation.change->written), place(*explanation.change),
                        label(*explanation.late), place(*explanation.late));
  }
  return text;
}

std::string unchecked(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& middle = explanation.middle;
  const std::string before =
      !explanation.change
          ? std::string()
          : fmt::format("{} changed it{} at {}, and ", label(*explanation.change),
                        to(explanation.change->written), place(*explanation.change));
  const std::string why =
      first.read ? fmt::format("because {} was {}", named(explanation.object), *first.read)
                 : fmt::format("after a look at {}", named(explanation.object));
  if (!middle.writes) {
    return fmt::format(
        "{} waited at {} {}. The signal of {} at {} woke it, although nobody had changed that "
        "while "
        "it waited; {} did not check again before {}.",
        label(first), place(first), why, label(middle), place(middle), label(first),
        place(explanation.last));
  }
  return fmt::format(
      "{} waited at {} {}. Before it had the lock again, {}{} changed it{} at {}; {} did not check "
      "again before {}.",
      label(first), place(first), why, before, label(middle), to(middle.written), place(middle),
      label(first), place(explanation.last));
}

}  // namespace raddle
