#include "host/report/document/findings.hpp"

#include "host/report/layout.hpp"
#include "host/report/words/finding_words.hpp"
#include "host/report/words/headline.hpp"
#include "host/report/words/step_words.hpp"

namespace raddle {

DocumentFinding finding_of(const Failure& failure) {
  DocumentFinding finding;
  finding.level = FindingLevel::kFailing;
  finding.kind = outcome_text(failure.kind);
  finding.message = headline(failure);
  finding.where = failure.where;
  for (const auto& [thread, step] : merged_steps(failure)) {
    finding.steps.push_back(
        {thread->id, thread->name, static_cast<Step>(step->step), step_words(*step), step->where});
  }
  return finding;
}

DocumentFinding finding_of(const FailureGroup& group) {
  DocumentFinding finding = finding_of(group.failure);
  finding.count = group.count;
  finding.replay = group.replay_path;
  return finding;
}

DocumentFinding finding_of(const FindingStory& story) {
  DocumentFinding finding;
  finding.level = story.level;
  finding.kind = finding_kind_text(story.kind);
  finding.message = story.what;
  finding.id = story.id;
  finding.count = story.count;
  for (const StoryStep& step : story.steps) {
    finding.steps.push_back({step.thread, step.thread_name, static_cast<Step>(step.step),
                             finding_step_words(step), step.where});
  }
  // The last step is the one that makes it go wrong.
  if (!story.steps.empty()) finding.where = story.steps.back().where;
  return finding;
}

}  // namespace raddle
