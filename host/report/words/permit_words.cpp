// What happened, in sentences: what is counted, and does not come to the number that is waited for.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "host/report/words/access_words.hpp"
#include "host/report/words/cause_sentences.hpp"

namespace raddle {

namespace {

std::string times(std::size_t count) {
  return count == 1 ? std::string("once") : fmt::format("{} times", count);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_last = i > 0 && i + 1 == words.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + words[i];
  }
  return text;
}

// "T1 and T2 at pool.cpp:13, T3 at pool.cpp:18"
std::string who_and_where(const std::vector<ExplainedAccess>& all) {
  std::vector<std::pair<std::string, std::vector<std::string>>> places;
  for (const ExplainedAccess& one : all) {
    const bool same = !places.empty() && places.back().first == place(one);
    if (!same) places.emplace_back(place(one), std::vector<std::string>{});
    places.back().second.push_back(label(one));
  }
  std::vector<std::string> parts;
  parts.reserve(places.size());
  for (const auto& [where, threads] : places)
    parts.push_back(fmt::format("{} at {}", joined(threads), where));
  return joined(parts);
}

}  // namespace

std::string library_wait(const Explanation& explanation) {
  return fmt::format(
      "{} is {} at the end, and {} waits for it at {} all the same: the wake-up was lost inside "
      "std::counting_semaphore::acquire(), an error of libstdc++ (GCC 12 has it), and not by the "
      "program.",
      explained_object_words(explanation), *explanation.value, label(explanation.last),
      place(explanation.last));
}

std::string made_for_too_few(const Explanation& explanation) {
  const bool latch = explanation.counted == CountedKind::kLatch;
  const std::string made = place(explanation.first) == place(explanation.arrivals.front())
                               ? std::string()
                               : " at " + place(explanation.first);
  const std::string object = explained_object_words(explanation);
  const std::string all =
      latch ? fmt::format("{} {} {}{}, and is counted down {}: by {}.", object,
                          explanation.by_hand ? "begins with" : "was made with", explanation.needed,
                          made,
                          explanation.taken == explanation.arrivals.size()
                              ? times(explanation.taken)
                              : fmt::format("by {} in all", explanation.taken),
                          who_and_where(explanation.arrivals))
            : fmt::format("{} was made for {}{}, and {} threads arrive at it: {}.", object,
                          explanation.needed, made, explanation.arrivals.size(),
                          who_and_where(explanation.arrivals));
  if (!explanation.value && explanation.posts > 0 && !explanation.steps.empty() &&
      explanation.steps.back().action == StepAction::kPasses) {
    return latch ? fmt::format("{} {} went on at {} when it had been counted down {}.", all,
                               label(explanation.last), place(explanation.last),
                               times(explanation.posts))
                 : fmt::format("{} {} went on at {} without waiting for all of them.", all,
                               label(explanation.last), place(explanation.last));
  }
  if (latch && explanation.value) {
    return fmt::format("{} It is {} now, and {} waits at {} for 0.", all, *explanation.value,
                       label(explanation.last), place(explanation.last));
  }
  return fmt::format("{} {} does not get past it at {}.", all, label(explanation.last),
                     place(explanation.last));
}

std::string posted_again(const Explanation& explanation) {
  const ExplainedAccess& again = explanation.first;
  return fmt::format(
      "{} began with {}. {} posted it at {} and again at {}, once more than it had taken it. So {} "
      "took it at {} while it was taken by {}.",
      explained_object_words(explanation), *explanation.start, label(again),
      place(explanation.middle), place(again), label(explanation.last), place(explanation.last),
      who_and_where(explanation.arrivals));
}

std::string passed_sentence(const Explanation& explanation) {
  if (explanation.suggestion == Suggestion::kCountBeforeStart) {
    return fmt::format("{} had read {} (0) at {}, before {} counted itself in: it does so at {}.",
                       label(*explanation.early), named(explanation.third),
                       place(*explanation.early), label(*explanation.change),
                       place(*explanation.change));
  }
  if (!explanation.passed) return {};
  const ExplainedPass& passed = *explanation.passed;
  const char* begin = passed.kind == CountedKind::kSemaphore ? "which began with"
                      : passed.kind == CountedKind::kLatch   ? "which was made with"
                                                             : "which waits for";
  const std::string made =
      !passed.start ? std::string()
                    : fmt::format(", {} {}{},", begin, *passed.start,
                                  passed.made ? " at " + place(*passed.made) : std::string());
  std::string text = fmt::format("{}{} let {} go on at {}", passed.name, made, label(passed.pass),
                                 place(passed.pass));
  if (!passed.inside.empty())
    text += fmt::format(", while it was taken by {}", who_and_where(passed.inside));
  const char* what = passed.kind == CountedKind::kSemaphore ? "posted"
                     : passed.kind == CountedKind::kLatch   ? "counted down"
                                                            : "";
  if (passed.posted == 0) return fmt::format("{}. It had not been {}.", text, what);
  if (passed.kind == CountedKind::kBarrier)
    return fmt::format("{}. There had arrived {}.", text, who_and_where(passed.posts));
  const bool all = passed.posts.size() == passed.posted;
  return fmt::format("{}. It had been {} {}, {}by {}.", text, what, times(passed.posted),
                     all ? "" : "the last times ", who_and_where(passed.posts));
}

std::string too_few_posts(const Explanation& explanation) {
  const std::string began =
      !explanation.start ? std::string() : fmt::format("began with {} and ", *explanation.start);
  return fmt::format(
      "{} {}was posted {}, the last time by {} at {}, and taken {}, the last time by {} at {}; {} "
      "waits for one more at {}.",
      explained_object_words(explanation), began, times(explanation.posts),
      label(explanation.first), place(explanation.first), times(explanation.taken),
      label(explanation.middle), place(explanation.middle), label(explanation.last),
      place(explanation.last));
}

std::string permit_kept(const Explanation& explanation) {
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& last = explanation.last;
  const std::string object = explained_object_words(explanation);
  const bool by_hand = explanation.by_hand;
  const char* const posted = by_hand ? "gave it back" : "posted it";
  const char* const without = by_hand ? "without giving it back" : "without posting it";
  const std::string took = fmt::format("{} took {}{} at {}", label(first), by_hand ? "one of " : "",
                                       object, place(first));
  const std::string waits = fmt::format("{} waits for {}", label(last), by_hand ? "one" : "it");
  if (explanation.middle.where.empty() && first.thread == last.thread)
    return fmt::format("{}, and nobody {}; {} again at {}.", took, posted, waits, place(last));
  if (explanation.middle.where.empty())
    return fmt::format("{} and ended; nobody {}. {} at {}.", took, posted, waits, place(last));
  if (first.thread == explanation.middle.thread && first.thread != last.thread) {
    return fmt::format("{} and ended {}; what it took there before it {} at {}. {} at {}.", took,
                       without, by_hand ? "gave back" : "posted", place(explanation.middle), waits,
                       place(last));
  }
  if (first.thread != last.thread) {
    return fmt::format("{} and ended {}; {}, which took {} there, too, {} at {}. {} at {}.", took,
                       without, label(explanation.middle), by_hand ? "one" : "it", posted,
                       place(explanation.middle), waits, place(last));
  }
  return fmt::format("{} and did not {}; {} again at {}. What was taken there before, {} {} at {}.",
                     took, by_hand ? "give it back" : "post it", waits, place(last),
                     label(explanation.middle), by_hand ? "gave back" : "posted",
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
