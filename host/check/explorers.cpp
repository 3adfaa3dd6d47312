// The strategies that execute all there is: explore/ over the in-process executor.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <filesystem>

#include "host/base/proc_file.hpp"
#include "host/check/executor.hpp"
#include "host/check/explain.hpp"
#include "host/check/trials.hpp"
#include "host/explore/causal/explore_causally.hpp"
#include "host/explore/explore.hpp"
#include "host/report/words/causal_words.hpp"
#include "host/report/words/unseen_words.hpp"
#include "host/symbols/images/library_calls.hpp"
#include "host/symbols/images/unseen_code.hpp"
#include "protocol/inprocess_abi.h"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

// Not an order in which schedules are gone through: goes by what threads see.
constexpr char kCausal[] = "causal";

ExploreOptions explore_options(const Options& asked, const std::atomic<bool>& stop) {
  ExploreOptions options;
  if (const SearchOrderEntry* entry = find_search_order(asked.strategy))
    options.search.order = entry->order;
  if (options.search.order == SearchOrder::kIcb) options.search.bound = asked.bound;
  options.limit = asked.executions;
  options.time = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(asked.seconds));
  options.stop = &stop;
  return options;
}

void append(std::string& text, const std::string& more) {
  if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
}

// In words. The code of this process does not change often, but may.
std::string unseen_in_process(bool by_values) {
  std::error_code none;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::string maps = read_proc_file("/proc/self/maps");
  const std::vector<UnseenCode> unseen = unseen_code(maps, program);
  std::string text = unseen_text(unseen);
  if (by_values && !is_unmodified(unseen)) {
    const std::vector<std::string> calls = library_calls(maps, program);
    if (!calls.empty()) append(text, library_calls_text(calls));
  }
  if (is_unmodified(unseen)) {
    text = fmt::format("plain and atomic accesses of {}: build it with raddle-c++{}",
                       std::filesystem::path(program).filename().string(),
                       text.empty() ? "" : "; " + text);
  }
  return text;
}

// An execution in which each plain access is a step must not have more of them.
constexpr std::size_t kMostSteps = 20'000;
constexpr char kOtherAccesses[] =
    "races that the first executions did not show: plain accesses that raced there are decision "
    "points, others are not (\"dpor\" and Options::every_access decide at all of them)";

// dpor makes every plain access a decision point, if there are not too many: that costs steps and
// no executions, since accesses that are ordered, or do not conflict, are never reversed. Then
// nothing depends on which races were seen.
void decide_everywhere(InProcessRunner& runner, const Options& asked, Plan& plan) {
  const SearchOrderEntry* entry = find_search_order(asked.strategy);
  if (entry == nullptr || entry->order != SearchOrder::kDpor) return;
  if (plan.decide == DecideKind::kEvery || raddle_session_instrumented() == 0) return;
  Plan everywhere = plan;
  everywhere.decide = DecideKind::kEvery;
  const OutcomeKind outcome = runner.run(everywhere);
  if (outcome != OutcomeKind::kLimit && runner.log().size() <= kMostSteps)
    plan.decide = DecideKind::kEvery;
}

}  // namespace

bool is_explorer(std::string_view strategy) {
  return strategy == kCausal || find_search_order(strategy) != nullptr;
}

std::string explorer_names() {
  std::string text;
  for (const SearchOrderEntry& entry : search_orders()) text += fmt::format("{}, ", entry.name);
  return text + kCausal;
}

TrialResult try_all(InProcessRunner& runner, const TrialOptions& options) {
  TrialResult result;
  Plan plan = plan_of(options.asked);
  const bool by_values = options.asked.strategy == std::string_view(kCausal);
  set_strategy(plan, kExploringStrategy);
  if (by_values) plan.decide = DecideKind::kEvery;
  if (!prepare_for_races(runner, options, plan, result)) return result;
  plan.by_values = by_values;
  decide_everywhere(runner, options.asked, plan);
  const auto facts = [&](std::uint64_t number) {
    return FailureFacts{replay_string(runner.region().plan(), true, options.identity, runner.log()),
                        options.arguments,
                        fmt::format("execution {}, {}", number, options.asked.strategy)};
  };
  // One that does not count: what is initialised once in a process is initialised then.
  if (runner.run(plan) != OutcomeKind::kNone) {
    result.coverage.executions = 1;
    result.failure = explain_failure(runner, facts(1));
    return result;
  }
  InProcessExecutor executor(runner, plan);
  if (by_values) executor.show_values();
  Executor* const executors[] = {&executor};
  std::atomic<bool> stop = false;
  ExploreEvents events;
  events.on_execution = [&](std::size_t, const Explored& explored, std::uint64_t number) {
    if (explored.outcome == OutcomeKind::kNone || !result.failure.empty()) return;
    stop = true;
    result.failure = explored.outcome == OutcomeKind::kDiverged
                         ? explain_divergence(runner, facts(number))
                         : explain_failure(runner, facts(number));
  };
  events.on_progress = [](const ExploreProgress&) {};
  const ExploreOptions asked = explore_options(options.asked, stop);
  causal::Rules rules;
  rules.cycles_end = true;
  const Result<ExploreResult> explored = by_values
                                             ? explore_causally(executor, asked, rules, events)
                                             : explore(executors, asked, events);
  if (!explored) {
    result.failure = explored.error();
    return result;
  }
  result.coverage.executions = explored->counts.executions;
  result.unseen = unseen_in_process(by_values);
  if (explored->causal) {
    append(result.unseen, problem_text(explored->causal->problem));
    result.coverage.queries = explored->causal->queries;
    result.coverage.unknown = explored->causal->unknown;
  }
  if (plan.decide == DecideKind::kRaces) append(result.unseen, kOtherAccesses);
  add_timing(runner, result);
  result.coverage.exhausted = explored->complete && result.failure.empty();
  result.coverage.complete = result.coverage.exhausted && result.unseen.empty();
  result.coverage.seconds = explored->seconds;
  result.coverage.queued = explored->queued;
  result.coverage.queue_bytes = explored->queue_bytes;
  result.coverage.passed = result.failure.empty();
  return result;
}

}  // namespace raddle
