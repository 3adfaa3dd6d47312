#include "host/explore/causal/explore_causally.hpp"

#include <algorithm>

#include "host/explore/causal/causal_search.hpp"

namespace raddle {
namespace {

using Clock = std::chrono::steady_clock;

class Exploration {
 public:
  Exploration(const ExploreOptions& options, const causal::Rules& rules)
      : options_(options), search_(rules) {}

  // Null: go on.
  std::optional<ExploreEnd> end_before() const {
    if (options_.stop != nullptr && options_.stop->load()) return ExploreEnd::kStopped;
    if (options_.limit > 0 && search_.counts().executions >= options_.limit)
      return ExploreEnd::kLimit;
    if (options_.time.count() > 0 && Clock::now() - begin_ >= options_.time)
      return ExploreEnd::kTime;
    return std::nullopt;
  }

  void count(const Explored& execution) {
    for (const StepRecord& record : execution.log)
      threads_ = std::max(threads_, std::uint32_t{raw(record.thread)} + 1);
  }

  SearchCounts counts() const {
    SearchCounts counts;
    counts.executions = search_.counts().executions;
    counts.redundant = search_.counts().redundant;
    counts.failing = search_.counts().failing;
    counts.unfinished = search_.counts().unfinished;
    counts.steps = search_.counts().steps;
    counts.threads = threads_;
    return counts;
  }

  ExploreResult result(ExploreEnd end) const {
    ExploreResult result;
    result.end = end;
    result.counts = counts();
    result.complete = end == ExploreEnd::kExhausted && search_.complete();
    result.explored = result.complete ? 1 : 0;
    result.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    result.causal = CausalCoverage{search_.counts().queries, search_.counts().unknown,
                                   search_.problem(), search_.counts().cut_short};
    return result;
  }

  CausalSearch& search() { return search_; }

 private:
  const ExploreOptions& options_;
  const Clock::time_point begin_ = Clock::now();
  CausalSearch search_;
  std::uint32_t threads_ = 0;
};

}  // namespace

Result<ExploreResult> explore_causally(Executor& executor, const ExploreOptions& options,
                                       const causal::Rules& rules, const ExploreEvents& events) {
  Exploration exploration(options, rules);
  CausalSearch& search = exploration.search();
  CausalWork work;
  for (;;) {
    if (const auto end = exploration.end_before()) return exploration.result(*end);
    if (!search.next(work)) return exploration.result(ExploreEnd::kExhausted);
    const Explored* execution = executor.execute(work.request());
    if (execution == nullptr) return Error{std::string(executor.error())};
    const bool stopped = options.stop != nullptr && options.stop->load();
    if (stopped && execution->outcome == OutcomeKind::kInconclusive)
      return exploration.result(ExploreEnd::kStopped);
    exploration.count(*execution);
    const bool failing = execution->failing;
    search.done(work, *execution);
    if (events.on_execution) events.on_execution(0, *execution, search.counts().executions);
    if (failing && !options.keep_going) return exploration.result(ExploreEnd::kFailure);
    if (events.on_progress) {
      const ExploreResult now = exploration.result(ExploreEnd::kExhausted);
      events.on_progress({now.counts, 0, now.seconds, 0, 0});
    }
  }
}

}  // namespace raddle
