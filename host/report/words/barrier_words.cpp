// What happened, in sentences: threads that left without arriving at a std::barrier.
#include <fmt/format.h>

#include <algorithm>

#include "host/report/words/access_words.hpp"
#include "host/report/words/cause_sentences.hpp"
#include "host/report/words/object_words.hpp"

namespace raddle {

std::string left_barrier(const Explanation& explanation) {
  const std::vector<ExplainedAccess>& left = explanation.arrivals;
  std::vector<ThreadId> threads;
  for (const ExplainedAccess& one : left) threads.push_back(one.thread);
  const bool one_place = std::all_of(left.begin(), left.end(), [&](const ExplainedAccess& one) {
    return place(one) == place(left.front());
  });
  std::string places = place(left.front());
  if (!one_place) {
    places.clear();
    for (const ExplainedAccess& one : left)
      places += fmt::format("{}at {} ({})", places.empty() ? "" : ", ", place(one), label(one));
  }
  const std::string were = one_place ? fmt::format("at {} last", places) : "last " + places;
  return fmt::format(
      "{} left without arriving at {}, at which {} waits ({}); {} {}. It waits for {} arrivals, "
      "and {} came.",
      thread_labels(threads), explained_object_words(explanation), label(explanation.last),
      place(explanation.last), threads.size() == 1 ? "it was" : "they were", were,
      explanation.needed, explanation.waiters);
}

}  // namespace raddle
