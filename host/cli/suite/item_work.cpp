#include "host/cli/suite/item_work.hpp"

#include <fmt/format.h>

#include "host/campaign/harm/harm.hpp"
#include "host/campaign/hunt/hunt_findings.hpp"
#include "host/campaign/hunt/hunt_minimize.hpp"
#include "host/campaign/profile/profile.hpp"
#include "host/campaign/suite/plans.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/hunt_rows.hpp"
#include "host/process/outcome.hpp"
#include "host/process/program/environment.hpp"
#include "host/process/strict_replay.hpp"
#include "host/symbols/images/unseen_code.hpp"

namespace raddle {
namespace {

// A profile of a test with long executions ends after so many steps, or so many events: an item is
// not to take minutes. Both are the same everywhere, and time is not.
constexpr std::uint64_t kMostProfileSteps = 1'000'000;
constexpr std::uint64_t kMostProfileEvents = 10'000'000;
// Of the turns of the strategies one in so many has its violations of atomicity looked at: which
// ones does not depend on how plans are cut into items.
constexpr std::uint64_t kLookedAt = 8;
constexpr double kSmallestSeconds = 4;

AimList aim_list(std::vector<PlanAim> aims) {
  if (aims.empty()) return nullptr;
  return std::make_shared<const std::vector<PlanAim>>(std::move(aims));
}

SuiteCandidate suite_candidate(const Candidate& one) {
  return {.key = one.key,
          .kind = finding_kind_text(one.sought.kind),
          .what = one.finding.what,
          .pattern = one.sought.pattern,
          .place = one.sought.place,
          .places = one.sought.places,
          .steps = one.steps};
}

}  // namespace

Plan suite_plan() {
  ProgramOptions options;
  options.decide = "races";
  Plan plan = make_plan(options);
  plan.atomic_blocks = atomic_blocks(options);
  return plan;
}

ItemWork::ItemWork(const Item& item, const PreparedTest& prepared, Worker& worker,
                   Symbolizer& symbols, const ItemRunnerOptions& options)
    : item_(item),
      prepared_(prepared),
      worker_(worker),
      symbols_(symbols),
      options_(options),
      base_(suite_plan()),
      racing_(aim_list(item.profile.racing)) {
  result_.id = item.id;
  result_.worker = options.name;
  if (item.most_steps != 0) base_.max_steps = item.most_steps;
}

RunOptions ItemWork::running(AimList aims) const {
  RunOptions running;
  running.timeout = std::chrono::milliseconds(item_.timeout_ms);
  running.stop = options_.stop;
  running.keep_log = true;
  running.aims = std::move(aims);
  return running;
}

std::optional<Execution> ItemWork::execute(const Plan& plan, AimList aims) {
  empty_folder(prepared_.scratch);
  Result<Execution> execution = worker_.run(plan, {}, running(std::move(aims)));
  if (options_.alive) options_.alive();
  if (!execution) {
    if (result_.problem.empty()) result_.problem = execution.error();
    return std::nullopt;
  }
  if (stopped()) return std::nullopt;
  return std::move(*execution);
}

// What every execution leaves in the result.
bool ItemWork::note(Execution execution, std::uint64_t index) {
  PlanResult plan{.outcome = static_cast<std::uint8_t>(execution.kind),
                  .schedule = execution.log_hash,
                  .steps = execution.steps,
                  .shows = 0};
  if (execution.kind == OutcomeKind::kNone && execution.report != nullptr)
    add_misuses(misuses_, execution, symbols_);
  const bool fails = is_failing(execution.kind);
  if (fails) {
    const FailureGroup& group = groups_.add(std::move(execution), symbols_);
    first_index_.try_emplace(group.failure.group, index);
    const auto next = static_cast<std::uint32_t>(result_.shown.size() + 1);
    const auto [shown, is_new] = shown_.try_emplace(group.failure.group, next);
    if (is_new) result_.shown.push_back(group.failure.group);
    plan.shows = shown->second;
  }
  result_.plans.push_back(plan);
  return fails;
}

bool ItemWork::probe() {
  // With one thread there is one schedule, and nothing to profile.
  Plan first = base_;
  set_strategy(first, kPlainStrategy);
  first.seed = item_.first_seed;
  first.atomic_blocks = 0;
  std::optional<Execution> alone = execute(first, nullptr);
  if (!alone) return !stopped();
  result_.profile.threads = alone->threads;
  result_.profile.length = alone->steps + 1;
  const bool passed = alone->kind == OutcomeKind::kNone;
  note(std::move(*alone), 0);
  if (result_.profile.threads <= 1 && passed) {
    finish();
    return !stopped();
  }
  Candidates candidates(worker_.maps(), {.joint = true});
  std::atomic<bool> enough{false};
  ProfileOptions profiling{.plan = base_,
                           .first_seed = item_.first_seed,
                           .extent = extent_for_candidates(),
                           .timeout = std::chrono::milliseconds(item_.timeout_ms),
                           .stop = &enough};
  std::uint64_t steps = 0;
  std::uint64_t executions = 0;
  std::uint64_t events = 0;
  std::uint64_t limited = 0;
  profiling.before = [&](Plan&, RunOptions& running) {
    running.keep_log = true;
    running.stop = options_.stop;
    empty_folder(prepared_.scratch);
  };
  profiling.after = [&](Execution execution) {
    limited += execution.kind == OutcomeKind::kLimit;
    events += execution.traced;
    if (options_.alive) options_.alive();
    steps += execution.steps;
    result_.profile.threads = std::max(result_.profile.threads, execution.threads);
    note(std::move(execution), ++executions);
    enough = stopped() || steps > kMostProfileSteps || events > kMostProfileEvents || limited > 1;
  };
  const Result<unsigned> done = raddle::profile(worker_, profiling, candidates);
  if (stopped()) return false;
  if (!done) {
    result_.problem = done.error();
    return true;
  }
  if (limited > 1) {
    result_.problem = fmt::format("an execution takes more than {} s under control; see --timeout",
                                  item_.timeout_ms / 1000);
    return true;
  }
  result_.profile.length = steps / std::max<std::uint64_t>(1, executions) + 1;
  result_.profile.instrumented = worker_.instrumented();
  result_.profile.whole = worker_.instrumented() && !worker_.out_of_control().goes_by_time() &&
                          unseen_code(worker_.maps(), prepared_.program.target.path).empty();
  if (const AimList aims = candidates.aims()) result_.profile.racing = *aims;
  for (const Candidate& one : candidates.list()) result_.candidates.push_back(suite_candidate(one));
  finish();
  return !stopped();
}

bool ItemWork::search() {
  for (std::uint64_t index = item_.from; index < item_.to; ++index) {
    std::optional<Execution> execution = execute(search_plan(base_, item_, index), racing_);
    if (!execution) return !stopped();
    const bool created =
        search_strategy(index).confirms == Confirms::kAtomicity && execution->realised.count > 0;
    const bool look = created && index / strategies_in_turn() % kLookedAt == 0;
    Execution copy;
    if (look) copy = without_report(*execution);
    const bool fails = note(std::move(*execution), index);
    if (look && !fails) look_at_violation(copy, index);
    if (stopped()) return false;
  }
  finish();
  return !stopped();
}

void ItemWork::look_at_violation(const Execution& execution, std::uint64_t index) {
  const Result<Confirmation> seen = confirm_violation(worker_, execution, running(nullptr));
  if (options_.alive) options_.alive();
  if (seen && seen->confirmed) add(*seen, nullptr, without_report(execution), index);
}

Candidate ItemWork::candidate() const {
  const SuiteCandidate& given = item_.candidate;
  Candidate one;
  one.key = given.key;
  one.sought.kind = find_finding_kind(given.kind).value_or(FindingKind::race);
  one.sought.pattern = given.pattern;
  one.sought.place = given.place;
  one.sought.places = given.places;
  one.steps = given.steps;
  one.finding.kind = one.sought.kind;
  one.finding.what = given.what;
  one.finding.place = given.place;
  return one;
}

bool ItemWork::try_candidate() {
  const Candidate sought = candidate();
  const AimList aims = aims_for(sought, racing_);
  std::uint64_t looks = 0;
  for (std::uint64_t number = item_.from; number < item_.to; ++number) {
    std::optional<Execution> execution = execute(candidate_plan(base_, item_, number), aims);
    if (!execution) return !stopped();
    const bool realised = execution->realised.count > 0;
    result_.realised += realised;
    Execution copy;
    if (realised) copy = without_report(*execution);
    const bool fails = note(std::move(*execution), number);
    // A failure says more; and one that was confirmed is confirmed.
    if (!realised || fails || looks >= kMostHarmLooks) continue;
    const bool counts = std::any_of(result_.findings.begin(), result_.findings.end(),
                                    [](const ItemFinding& one) { return one.level != "seen"; });
    if (counts) continue;
    ++looks;
    const Result<Confirmation> seen = confirm_candidate(worker_, sought, copy, running(nullptr));
    if (options_.alive) options_.alive();
    if (stopped()) return false;
    if (seen && seen->confirmed) add(*seen, &sought, std::move(copy), number);
  }
  finish();
  return !stopped();
}

void ItemWork::add(const Confirmation& confirmation, const Candidate* candidate,
                   Execution execution, std::uint64_t index) {
  HuntFinding one;
  one.finding = confirmation.finding;
  if (candidate != nullptr) one.candidate = *candidate;
  one.key = candidate != nullptr ? candidate->key : confirmation.finding.place;
  one.realised = 1;
  Harm harm;
  if (rests_on_inference(confirmation.finding)) {
    Result<HarmChecked> checked =
        check_harm(worker_, confirmation.finding, execution, running(nullptr));
    if (options_.alive) options_.alive();
    if (checked) {
      for (Execution& failing : checked->failing) {
        const FailureGroup& group = groups_.add(std::move(failing), symbols_);
        first_index_.try_emplace(group.failure.group, index);
      }
      harm = checked->harm;
    }
  }
  raise_level(one, confirmation, harm, std::move(execution), {});
  // What did no harm is no finding of a suite.
  if (one.level < FindingLevel::kHarmful) return;
  const StoredFinding row = stored_finding(one);
  keep({.key = row.key,
        .kind = row.kind,
        .level = row.level,
        .message = row.message,
        .replay = {},
        .index = index,
        .times = 1},
       one.execution, recorded(one));
}

// What failed, replayed and explained.
void ItemWork::finish() {
  std::vector<FailureGroup> groups = groups_.take();
  if (!groups.empty() && !passes_natively(prepared_, item_, options_.stop)) {
    // The failures may be of what an execution, or another test, left behind.
    result_.problem =
        "passed without Raddle at first, and fails by now: something left files behind";
    result_.spoiled = true;
    return;
  }
  for (FailureGroup& group : groups) {
    if (stopped()) return;
    empty_folder(prepared_.scratch);
    replay_and_explain(group, worker_, running(nullptr), symbols_);
    if (options_.alive) options_.alive();
    // What does not replay is no finding: it is said, and its plan's outcome stays.
    if (!group.replays) {
      result_.problem = "an execution failed and did not fail again when it was replayed";
      continue;
    }
    const StoredFinding row = stored_finding(group.failure, group.count);
    keep({.key = row.key,
          .kind = row.kind,
          .level = row.level,
          .message = row.message,
          .replay = {},
          .index = first_index_[row.key],
          .times = group.count},
         group.execution, recorded(group.failure, group.explanation));
  }
  for (FoundMisuse& misuse : misuses_) {
    const StoredFinding row = stored_finding(misuse);
    keep({.key = row.key,
          .kind = row.kind,
          .level = row.level,
          .message = row.message,
          .replay = {},
          .index = misuse.note.first_seed,
          .times = misuse.note.count},
         misuse.execution, recorded(misuse));
  }
}

void ItemWork::keep(ItemFinding finding, const Execution& execution,
                    const RecordedFinding& recorded) {
  for (ItemFinding& known : result_.findings) {
    if (known.key != finding.key) continue;
    known.times += finding.times;
    return;
  }
  finding.replay = recording(execution, recorded);
  result_.findings.push_back(std::move(finding));
}

std::string ItemWork::recording(const Execution& execution, const RecordedFinding& recorded) const {
  ReplayFile file = make_recording(prepared_.program, execution, recorded);
  file.program = prepared_.recorded_program;
  file.directory = prepared_.recorded_directory;
  const std::vector<std::string> entries = merged_environment(prepared_.recorded_environment);
  std::vector<const char*> environment;
  environment.reserve(entries.size() + 1);
  for (const std::string& entry : entries) environment.push_back(entry.c_str());
  environment.push_back(nullptr);
  file.environment = recorded_environment(environment.data());
  const Result<std::string> bytes = serialize_replay(file);
  return bytes ? *bytes : std::string();
}

bool ItemWork::make_smallest() {
  const Result<ReplayFile> file = parse_replay(item_.replay, "the execution");
  if (!file) {
    result_.problem = file.error();
    return true;
  }
  const Execution before = recorded_execution(*file);
  Result<Execution> again = replay_strictly(worker_, before, running(nullptr), ReplayDetail::kFull);
  if (!again || again->kind != file->outcome) return !stopped();
  HuntFailure failure;
  failure.group.failure = describe(*again, symbols_);
  failure.group.count = 1;
  failure.group.execution = std::move(*again);
  failure.group.execution.log = before.log;
  const std::string key = failure.group.failure.group;
  HuntOptions options;
  options.timeout = std::chrono::milliseconds(item_.timeout_ms);
  options.stop = options_.stop;
  const Result<std::uint64_t> done = minimize_failure(worker_, options, symbols_, kSmallestSeconds,
                                                      Clock::time_point::max(), failure);
  if (stopped()) return false;
  if (!done || !failure.minimized) return true;
  const StoredFinding row = stored_finding(failure.failure, 1);
  keep({.key = key,
        .kind = row.kind,
        .level = row.level,
        .message = row.message,
        .replay = {},
        .index = 0,
        .times = 0},
       failure.smallest, recorded(failure.failure, failure.group.explanation));
  return true;
}

}  // namespace raddle
