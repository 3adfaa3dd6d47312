#include "host/report/words/note_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/report/words/headline.hpp"
#include "host/report/words/step_words.hpp"

namespace raddle {
namespace {

void add(std::vector<NoteLine>& lines, NoteLine line) {
  const auto same = std::find_if(lines.begin(), lines.end(),
                                 [&](const NoteLine& one) { return one.text == line.text; });
  if (same == lines.end()) return lines.push_back(std::move(line));
  same->count += line.count;
}

}  // namespace

std::vector<NoteLine> note_lines(const std::vector<VerdictNote>& notes) {
  std::vector<NoteLine> lines;
  for (const VerdictNote& note : notes) {
    add(lines, {headline(note.what), note.count, note.first_seed});
  }
  return lines;
}

std::vector<NoteLine> note_lines(const std::vector<MisuseNote>& notes) {
  std::vector<NoteLine> lines;
  for (const MisuseNote& note : notes) {
    add(lines, {misuse_words(note.what), note.count, note.first_seed});
  }
  return lines;
}

std::string difference_words(const ReplayDifference& difference) {
  switch (difference.kind) {
    case ReplayDifference::Kind::kNone:
      return {};
    case ReplayDifference::Kind::kError:
      return difference.error;
    case ReplayDifference::Kind::kPassed:
      return "the same choices passed";
    case ReplayDifference::Kind::kOtherFailure:
      return difference.failure ? headline(*difference.failure) : std::string();
    case ReplayDifference::Kind::kOtherLength:
      return fmt::format("the same failure, but after {} steps instead of {}", difference.steps,
                         difference.recorded_steps);
  }
  return {};
}

}  // namespace raddle
