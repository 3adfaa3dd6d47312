#include "host/report/document/findings.hpp"

#include <fmt/format.h>

#include "host/report/document/executions.hpp"
#include "host/report/words/explanation_words.hpp"
#include "host/report/words/finding_words.hpp"
#include "host/report/words/harm_words.hpp"
#include "host/report/words/headline.hpp"
#include "host/report/words/step_words.hpp"
#include "host/report/words/unseen_words.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostPrinted = 4000;

// FNV-1a.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return value;
}

// The file's name with the folder that it is in: the same in every checkout.
std::string_view file_tail(std::string_view file) {
  const std::size_t name = file.rfind('/');
  if (name == std::string_view::npos || name == 0) return file;
  const std::size_t folder = file.rfind('/', name - 1);
  return folder == std::string_view::npos ? file : file.substr(folder + 1);
}

// Without the line: an edit above it leaves the failure what it is.
std::string id_of(const Failure& failure, const std::string& message) {
  return fmt::format(
      "{:016x}", hash(fmt::format("{}\n{}\n{}\n{}", outcome_text(failure.kind),
                                  file_tail(failure.where.file), failure.where.function, message)));
}

void add_explanation(DocumentFinding& finding, const Explanation& explanation) {
  if (explanation.empty()) return;
  finding.cause = cause_text(explanation.cause);
  finding.object = explained_object_words(explanation);
  finding.title = title_words(explanation);
  if (std::string summary = summary_words(explanation); !summary.empty())
    finding.sentences.push_back(std::move(summary));
  for (std::string& sentence : explanation_sentences(explanation))
    finding.sentences.push_back(std::move(sentence));
  finding.suggestion = suggestion_words(explanation);
  // An exit status comes from nowhere; what led to it has a place.
  if (finding.where.file.empty()) finding.where = explanation.last.where;
}

std::string last_of(const std::string& text) {
  return text.size() <= kMostPrinted ? text : text.substr(text.size() - kMostPrinted);
}

}  // namespace

DocumentFinding finding_of(const Failure& failure) {
  DocumentFinding finding;
  finding.level = FindingLevel::kFailing;
  finding.kind = outcome_text(failure.kind);
  finding.message = headline(failure);
  finding.where = failure.where;
  finding.thread = failure.thread;
  finding.id = id_of(failure, finding.message);
  finding.execution = execution_of(failure);
  return finding;
}

DocumentFinding finding_of(const MisuseLine& misuse, const Explanation& explanation) {
  DocumentFinding finding;
  finding.level = FindingLevel::kConfirmed;
  finding.kind = "misuse";
  finding.message = misuse_words(misuse);
  finding.where = misuse.where;
  finding.thread = misuse.thread;
  add_explanation(finding, explanation);
  return finding;
}

DocumentFinding finding_of(const FailureGroup& group) {
  return finding_of(group, group.failure, group.execution);
}

DocumentFinding finding_of(const FailureGroup& group, const Failure& failure,
                           const Execution& execution) {
  DocumentFinding finding = finding_of(failure, group.explanation, group.timeline, execution);
  finding.count = group.count;
  finding.replay = group.replay_path;
  return finding;
}

DocumentFinding finding_of(const Failure& failure, const Explanation& explanation,
                           const Timeline& timeline, const Execution& execution) {
  DocumentFinding finding = finding_of(failure);
  finding.execution = execution_of(timeline, failure);
  finding.printed = last_of(execution.out + execution.err);
  add_explanation(finding, explanation);
  return finding;
}

DocumentFinding finding_of(const FindingStory& story) {
  DocumentFinding finding;
  finding.level = story.level;
  finding.kind = finding_kind_text(story.kind);
  finding.message = story.what;
  finding.id = story.id;
  finding.count = story.count;
  finding.object = story.object;
  finding.execution = execution_of(story);
  for (const std::string& sentence :
       {why_words(story), inference_words(story), harm_words(story.harm),
        ordered_unseen_text(story.maybe_ordered_by)}) {
    if (!sentence.empty()) finding.sentences.push_back(sentence);
  }
  // The last step is the one that makes it go wrong.
  if (!story.steps.empty()) {
    finding.where = story.steps.back().where;
    finding.thread = story.steps.back().thread;
    finding.execution.steps.back().violates = true;
  }
  return finding;
}

}  // namespace raddle
