#include "host/cli/running/explore_findings.hpp"
#include "host/report/words/headline.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace raddle {

ExploreFindings::ExploreFindings(const PreparedProgram& prepared, OutputFolder& folder,
                                 Journal* journal)
    : prepared_(prepared), folder_(folder), journal_(journal) {
  if (journal == nullptr) return;
  for (const std::string& note : journal->notes()) take_note(note);
}

void ExploreFindings::failing(Execution execution, std::uint64_t number) {
  execution.plan.seed = number;
  const std::size_t before = groups_.list().size();
  const Failure failure = describe(execution, symbols_);
  nlohmann::json note = {{"group", failure.group}};
  if (EarlierFinding* known = earlier(failure.group)) {
    ++known->count;
  } else {
    const ReplayFile file = make_recording(prepared_, execution, recorded(failure));
    groups_.add(std::move(execution), symbols_);
    if (groups_.list().size() > before) {
      paths_.push_back(folder_.next_replay());
      const auto written = write_replay(paths_.back(), file);
      if (!written && error_.empty()) error_ = written.error();
      note["kind"] = outcome_text(file.outcome);
      note["message"] = headline(failure);
      note["replay"] = paths_.back();
    }
  }
  if (journal_ != nullptr)
    journal_->note(note.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void ExploreFindings::unfinished(const Execution& execution, std::uint64_t number) {
  add_note(unfinished_, *describe(execution, symbols_).verdict, number);
}

void ExploreFindings::passed(const Execution& execution) {
  const std::size_t before = misuses_.size();
  add_misuses(misuses_, execution, symbols_);
  for (std::size_t i = before; i < misuses_.size(); ++i) save(misuses_[i]);
}

// A new one: whoever goes on with the journal knows it by its words.
void ExploreFindings::save(FoundMisuse& misuse) {
  const RecordedFinding finding = recorded(misuse);
  const nlohmann::json note = {{"group", "misuse: " + finding.message},
                               {"kind", "misuse"},
                               {"message", finding.message},
                               {"replay", misuse.replay_path = folder_.next_replay()}};
  const auto written =
      write_replay(misuse.replay_path, make_recording(prepared_, misuse.execution, finding));
  if (!written && error_.empty()) error_ = written.error();
  if (journal_ != nullptr)
    journal_->note(note.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string ExploreFindings::in_words(const Execution& execution) {
  return headline(describe(execution, symbols_));
}

std::string ExploreFindings::keep(const Execution& execution, const std::string& why) {
  const std::string path = folder_.next_replay();
  const auto written = write_replay(path, make_recording(prepared_, execution, {"", why}));
  if (!written && error_.empty()) error_ = written.error();
  return written ? path : "";
}

void ExploreFindings::move_into(ExploreReport& report, Worker& worker, const RunOptions& running) {
  report.findings = groups_.take();
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    report.findings[i].replay_path = paths_[i];
    replay_and_explain(report.findings[i], worker, running, symbols_);
    add_explanation(report.findings[i]);
  }
  for (FoundMisuse& misuse : misuses_) {
    explain(misuse, worker, running, symbols_);
    const auto written = write_replay(
        misuse.replay_path, make_recording(prepared_, misuse.execution, recorded(misuse)));
    if (!written && error_.empty()) error_ = written.error();
  }
  report.misuses = std::move(misuses_);
  report.earlier = std::move(earlier_);
  report.unfinished = std::move(unfinished_);
}

// The file was written when the execution was met, before anybody could explain it.
void ExploreFindings::add_explanation(const FailureGroup& finding) {
  Result<ReplayFile> file = read_replay(finding.replay_path);
  if (!file) return;
  file->explanation = recorded(finding.failure, finding.explanation).explanation;
  const auto written = write_replay(finding.replay_path, *file);
  if (!written && error_.empty()) error_ = written.error();
}

EarlierFinding* ExploreFindings::earlier(const std::string& group) {
  const auto it = std::find_if(earlier_.begin(), earlier_.end(),
                               [&](const EarlierFinding& f) { return f.group == group; });
  return it == earlier_.end() ? nullptr : &*it;
}

void ExploreFindings::take_note(const std::string& text) {
  const nlohmann::json note = nlohmann::json::parse(text, nullptr, false);
  if (!note.is_object()) return;
  const std::string group = note.value("group", "");
  if (EarlierFinding* known = earlier(group)) {
    ++known->count;
  } else {
    earlier_.push_back(
        {group, note.value("kind", ""), note.value("message", ""), note.value("replay", ""), 1});
  }
}

}  // namespace raddle
