#include "host/explore/causal/explore_causally.hpp"

#include <algorithm>

#include "host/explore/causal/causal_search.hpp"
#include "host/explore/limits.hpp"

namespace raddle {
namespace {

class Exploration {
 public:
  Exploration(const ExploreOptions& options, const causal::Rules& rules)
      : limits_(options), search_(rules) {}

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
    result.seconds = limits_.seconds();
    result.causal = CausalCoverage{search_.counts().queries, search_.counts().unknown,
                                   search_.problem(), search_.counts().cut_short};
    return result;
  }

  CausalSearch& search() { return search_; }
  const ExploreLimits& limits() const { return limits_; }

 private:
  ExploreLimits limits_;
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
    if (const auto end = exploration.limits().reached(search.counts().executions))
      return exploration.result(*end);
    if (!search.next(work)) return exploration.result(ExploreEnd::kExhausted);
    const Explored* execution = executor.execute(work.request());
    if (execution == nullptr) return Error{std::string(executor.error())};
    if (exploration.limits().stopped() && execution->outcome == OutcomeKind::kInconclusive)
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
