#include "host/report/explanation_text.hpp"

#include <algorithm>

#include "host/report/columns.hpp"
#include "host/report/failure_steps.hpp"
#include "host/report/layout.hpp"
#include "host/report/step_picture.hpp"
#include "host/report/words/explanation_words.hpp"
#include "host/report/words/object_words.hpp"
#include "host/report/words/step_words.hpp"

namespace raddle {
namespace {

void add(std::string& out, const std::string& text, Paint paint, const TextOptions& options) {
  constexpr std::size_t kIndent = 2;
  add_lines(out, text, kIndent, 2, paint, options);
}

std::string step_text(const Explanation& explanation, const ExplainedStep& step) {
  const std::string place = short_place(step.where);
  const std::string what = explained_step_words(explanation, step);
  const std::string text = place.empty() ? what : place + "  " + what;
  return step.violates ? marked_here(text) : text;
}

std::string steps_text(const Explanation& explanation, const Failure& failure,
                       const TextOptions& options) {
  std::vector<PictureThread> threads;
  std::vector<PictureStep> steps;
  for (const ExplainedThread& thread : explanation.threads) {
    ThreadLine line;
    line.id = thread.id;
    // Who did not fail has no mark.
    const std::string mark = failure.verdict ? mark_words(failure, line) : std::string();
    threads.push_back({thread.id, thread_title(thread.id, thread.name), mark});
    for (const ExplainedStep& step : explanation.steps) {
      if (step.thread == thread.id) {
        steps.push_back({step.step, step.thread, step_text(explanation, step)});
      }
    }
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const PictureStep& a, const PictureStep& b) { return a.step < b.step; });
  return step_picture(steps, std::move(threads), options);
}

}  // namespace

std::string explained_text(const Failure& failure, const Explanation& explanation,
                           const TextOptions& options) {
  if (explanation.empty()) return failure_text(failure, options);
  // The advice alone goes below the steps there are.
  if (explanation.steps.empty()) {
    std::string steps = failure_steps(failure, options);
    return failure_text(
        failure,
        steps + (steps.empty() ? "" : "\n") + explanation_text(explanation, failure, options),
        options);
  }
  return failure_text(failure, explanation_text(explanation, failure, options), options);
}

std::string explanation_text(const Explanation& explanation, const Failure& failure,
                             const TextOptions& options) {
  if (explanation.empty()) return {};
  std::string out;
  const std::string title = title_words(explanation);
  const std::string summary = summary_words(explanation);
  // Below the failure's own steps its sentence says it.
  if (!title.empty() && !explanation.steps.empty()) add(out, title, Paint::kVerdict, options);
  if (!summary.empty()) add(out, summary, Paint::kPlain, options);
  const std::string steps = steps_text(explanation, failure, options);
  if (!steps.empty()) out += (out.empty() ? "" : "\n") + steps + "\n";
  for (const std::string& sentence : explanation_sentences(explanation)) {
    add(out, sentence, Paint::kPlain, options);
  }
  const std::string suggestion = suggestion_words(explanation);
  if (!suggestion.empty()) add(out, "Suggestion: " + suggestion, Paint::kPlain, options);
  return out;
}

std::string misuse_text(const MisuseLine& misuse, const Explanation& explanation,
                        const TextOptions& options) {
  std::string out;
  add(out, misuse_words(misuse), Paint::kPlain, options);
  return out + explanation_text(explanation, Failure{}, options);
}

}  // namespace raddle
