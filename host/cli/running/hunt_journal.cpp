#include "host/cli/running/hunt_journal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "host/base/git.hpp"
#include "host/campaign/store/merge.hpp"
#include "host/cli/running/hunt_rows.hpp"
#include "host/process/outcome.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kSavedConfirmed = 10;

std::string build_name(const StoredBuild& build) {
  return build.build_id.empty() ? fmt::format("contents {:016x}", build.file_hash)
                                : "build id " + build.build_id;
}

bool same_build(const StoredBuild& a, const StoredBuild& b) {
  const bool ids = !a.build_id.empty() && !b.build_id.empty();
  return ids ? a.build_id == b.build_id : a.file_hash == b.file_hash;
}

StoredCandidate stored(const HuntFinding& one) {
  return {.key = one.key,
          .kind = finding_kind_text(one.finding.kind),
          .level = finding_level_text(one.level),
          .what = one.finding.what,
          .tried = one.tried,
          .realised = one.realised};
}

StoredOutcome outcome_of(const Execution& execution) {
  if (execution.kind == OutcomeKind::kNone) return StoredOutcome::kPassed;
  return is_failing(execution.kind) ? StoredOutcome::kFailing : StoredOutcome::kInconclusive;
}

}  // namespace

Result<std::unique_ptr<StoredHunt>> StoredHunt::begin(std::unique_ptr<Store> store, bool resume,
                                                      const PreparedProgram& prepared,
                                                      OutputFolder& folder) {
  std::unique_ptr<StoredHunt> hunt(new StoredHunt(std::move(store), prepared, folder));
  const StoredTest test{test_name(prepared.command.arguments), prepared.command.arguments,
                        prepared.command.directory};
  const StoredBuild build{prepared.target.path, prepared.target.build_id,
                          prepared.target.file_hash};
  Store& use = *hunt->store_;
  if (resume) {
    const std::vector<StoredTest> tests = use.tests();
    const bool known = std::any_of(tests.begin(), tests.end(), [&](const StoredTest& one) {
      return one.arguments == test.arguments;
    });
    const std::string other =
        fmt::format("{} is of other arguments: {}; hunt anew, or give the same", use.path(),
                    tests.empty() ? "none" : tests.back().name);
    if (tests.empty()) return Error{other};
    const std::optional<StoredBuild> last =
        use.last_build_of(use.test_id(known ? test : tests.back()));
    if (last && !same_build(*last, build)) {
      return Error{fmt::format(
          "{} is of another build: it has {}, and {} has {}; hunt anew, or build as then",
          use.path(), build_name(*last), build.program, build_name(build))};
    }
    if (!known) return Error{other};
  }
  hunt->scope_.campaign = use.begin_campaign("hunt", checked_out_commit(test.directory));
  hunt->scope_.test = use.test_id(test);
  hunt->scope_.build = use.build_id(build);
  if (resume) {
    hunt->earlier_ = use.earlier(hunt->scope_.test, hunt->scope_.build);
  } else {
    use.forget_schedules(hunt->scope_);
  }
  if (!use.ok()) return Error{use.error()};
  return hunt;
}

std::vector<KnownCandidate> StoredHunt::known_candidates() const {
  std::vector<KnownCandidate> list;
  for (const StoredCandidate& one : earlier_.candidates) {
    list.push_back(
        {one.key, one.tried, find_finding_level(one.level).value_or(FindingLevel::kCandidate)});
  }
  return list;
}

void StoredHunt::executed(const Execution& execution, const HuntFinding* candidate) {
  const StoredExecution row{.strategy = execution.plan.strategy,
                            .seed = execution.plan.seed,
                            .outcome = outcome_of(execution),
                            .steps = execution.steps,
                            .seconds = execution.seconds,
                            .schedule = execution.log_hash};
  if (candidate == nullptr) return store_->executed(scope_, row);
  const StoredCandidate sought = stored(*candidate);
  store_->executed(scope_, row, &sought);
}

void StoredHunt::failed(const FailureGroup& group) {
  keep(stored_finding(group.failure, group.count), group.execution, recorded(group.failure));
}

void StoredHunt::found(const HuntFinding& one) {
  store_->write(scope_, stored(one));
  // A failing one has the row of its failure.
  if (one.level < FindingLevel::kHarmful || one.level == FindingLevel::kFailing) return;
  keep(stored_finding(one), one.execution, recorded(one));
}

void StoredHunt::misused(const FoundMisuse& misuse) {
  keep(stored_finding(misuse), misuse.execution, recorded(misuse));
}

void StoredHunt::keep(StoredFinding finding, const Execution& execution,
                      const RecordedFinding& recorded) {
  auto [file, first] = provisional_.try_emplace(finding.key);
  if (first) file->second = save(execution, recorded, folder_.provisional_replay());
  write(std::move(finding), file->second);
}

std::string StoredHunt::save(const Execution& execution, const RecordedFinding& recorded,
                             const std::string& path) {
  const auto written = write_replay(path, make_recording(prepared_, execution, recorded));
  if (written) return path;
  if (problem_.empty()) problem_ = written.error();
  return {};
}

void StoredHunt::write(StoredFinding finding, const std::string& replay) {
  finding.replay = fs::path(replay).filename().string();
  store_->write(scope_, finding);
}

Result<std::monostate> StoredHunt::finish(HuntResult& result, FindingLevel least) {
  for (HuntFailure& one : result.failures) {
    std::string& path = one.group.replay_path;
    path = save(one.smallest, recorded(one.failure, one.group.explanation), folder_.next_replay());
    // The group is that of the first execution: by it the failure is known.
    write(stored_finding(one.group.failure, one.group.count), path);
  }
  for (FoundMisuse& one : result.misuses) {
    one.replay_path = save(one.execution, recorded(one), folder_.next_replay());
    write(stored_finding(one), one.replay_path);
  }
  if (std::optional<FailureGroup>& first = result.first_inconclusive) {
    first->replay_path = save(first->execution, recorded(first->failure), folder_.next_replay());
  }
  std::size_t saved = 0;
  for (HuntFinding& one : result.candidates) {
    store_->write(scope_, stored(one));
    if (one.level < least || one.level == FindingLevel::kFailing) continue;
    if (saved++ < kSavedConfirmed)
      one.replay_path = save(one.execution, recorded(one), folder_.next_replay());
    if (!one.replay_path.empty() || one.level >= FindingLevel::kHarmful)
      write(stored_finding(one), one.replay_path);
  }
  // The rows name the last files by now.
  for (const auto& [key, path] : provisional_) {
    if (!path.empty()) unlink(path.c_str());
  }
  store_->end_campaign(scope_.campaign);
  if (!problem_.empty()) return Error{problem_};
  if (!store_->ok()) return Error{store_->error()};
  return std::monostate{};
}

std::vector<std::string> StoredHunt::not_seen_again(const HuntResult& result) const {
  std::vector<std::string> paths;
  for (const StoredFinding& one : earlier_.failures) {
    const bool again = std::any_of(
        result.failures.begin(), result.failures.end(),
        [&](const HuntFailure& failure) { return failure.group.failure.group == one.key; });
    if (!again) paths.push_back((fs::path(store_->folder()) / one.replay).string());
  }
  return paths;
}

}  // namespace raddle
