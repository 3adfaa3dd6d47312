#include <fmt/format.h>

#include <algorithm>

#include "host/report/columns.hpp"
#include "host/report/explanation_text.hpp"
#include "host/report/layout.hpp"

namespace raddle {
namespace {

void add(std::string& out, const std::string& text, Paint paint, const TextOptions& options) {
  constexpr std::size_t kIndent = 2;
  for (const std::string& line : wrapped(text, usable_width(options) - kIndent, 2)) {
    out.append(kIndent, ' ');
    out += painted(line, paint, options);
    end_line(out);
  }
}

// The steps in the form that the columns are made from.
Failure picture_of(const Explanation& explanation, const Failure& failure) {
  Failure picture;
  picture.kind = failure.kind;
  picture.headline = failure.headline;
  picture.where = failure.where;
  // Who did not fail has no mark.
  picture.thread = failure.headline.empty() ? raw(kNoThread) : failure.thread;
  picture.threads = explanation.threads;
  for (const ExplainedStep& step : explanation.steps) {
    const auto thread =
        std::find_if(picture.threads.begin(), picture.threads.end(),
                     [&](const ThreadLine& line) { return line.id == step.thread; });
    if (thread == picture.threads.end()) continue;
    StepLine line{step.step, step.what, step.where, {}};
    if (step.violates) line.what += "  <-- here";
    thread->last_steps.push_back(std::move(line));
  }
  return picture;
}

}  // namespace

std::string explained_text(const Failure& failure, const Explanation& explanation,
                           const TextOptions& options) {
  if (explanation.empty()) return failure_text(failure, options);
  // The advice alone goes below the steps there are.
  if (explanation.steps.empty()) {
    std::string steps = step_columns(failure, options);
    return failure_text(
        failure,
        steps + (steps.empty() ? "" : "\n") + explanation_text(explanation, failure, options),
        options);
  }
  return failure_text(failure, explanation_text(explanation, failure, options), options);
}

std::string explanation_text(const Explanation& explanation, const Failure& failure,
                             const TextOptions& options) {
  std::string out;
  if (!explanation.title.empty()) add(out, explanation.title, Paint::kVerdict, options);
  if (!explanation.summary.empty()) add(out, explanation.summary, Paint::kPlain, options);
  TextOptions all = options;
  all.verbose = true;
  const std::string columns = step_columns(picture_of(explanation, failure), all);
  if (!columns.empty()) out += (out.empty() ? "" : "\n") + columns + "\n";
  for (const std::string& sentence : explanation.sentences) {
    add(out, sentence, Paint::kPlain, options);
  }
  if (!explanation.suggestion.empty()) {
    add(out, "Suggestion: " + explanation.suggestion, Paint::kPlain, options);
  }
  return out;
}

}  // namespace raddle
