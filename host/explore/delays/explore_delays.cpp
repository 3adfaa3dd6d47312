#include "host/explore/delays/explore_delays.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "host/explore/limits.hpp"

namespace raddle {
namespace {

bool is_event(const Pending& p) { return p.op == OpKind::monitor_event; }

// The first step that is not the one that was asked for; none if the execution followed.
std::optional<ExploreDivergence> divergence(std::span<const StepRecord> prefix,
                                            const Explored& execution) {
  if (execution.outcome == OutcomeKind::kDiverged)
    return ExploreDivergence{execution.diverged_step, execution.recorded, execution.actual};
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    StepRecord actual{kNoThread, OpKind::none, 0, kNoObject, 0};
    if (i < execution.log.size()) actual = execution.log[i];
    if (actual.thread != prefix[i].thread || actual.op != prefix[i].op ||
        actual.outcome != prefix[i].outcome)
      return ExploreDivergence{i, prefix[i], actual};
  }
  return std::nullopt;
}

class Exploration {
 public:
  explicit Exploration(const ExploreOptions& options) : limits_(options) {}

  void count(const Explored& execution) {
    ++counts_.executions;
    counts_.steps += execution.log.size();
    for (const StepRecord& record : execution.log)
      counts_.threads = std::max(counts_.threads, std::uint32_t{raw(record.thread)} + 1);
    if (execution.failing) {
      ++counts_.failing;
    } else if (execution.outcome != OutcomeKind::kNone) {
      ++counts_.unfinished;
    }
  }

  DelayedExploration result(ExploreEnd end, const EventGame& game) const {
    DelayedExploration out;
    out.result.end = end;
    out.result.counts = counts_;
    // A "no" needs no more than the executions that show it.
    out.result.complete = end == ExploreEnd::kExhausted && counts_.unfinished == 0 &&
                          game.prospect() == Prospect::kGood;
    out.result.explored = out.result.complete ? 1 : 0;
    out.result.seconds = limits_.seconds();
    out.delays.prospect = game.prospect();
    out.delays.least = out.result.complete;
    out.delays.saw_events = game.saw_events();
    out.delays.states = game.states();
    out.delays.events = game.events();
    if (game.prospect() == Prospect::kGood) out.delays.held = held_events(game.offers());
    return out;
  }

  const ExploreLimits& limits() const { return limits_; }
  const SearchCounts& counts() const { return counts_; }

 private:
  ExploreLimits limits_;
  SearchCounts counts_;
};

}  // namespace

Result<DelayedExploration> explore_delays(Executor& executor, const ExploreOptions& options,
                                          const ExploreEvents& events) {
  Exploration exploration(options);
  EventGame game(is_event);
  std::vector<StepRecord> prefix;
  while (game.next(prefix)) {
    if (const auto end = exploration.limits().reached(exploration.counts().executions))
      return exploration.result(*end, game);
    const Explored* execution = executor.execute({.prefix = prefix, .loose = true});
    if (execution == nullptr) return Error{std::string(executor.error())};
    if (exploration.limits().stopped() && execution->outcome == OutcomeKind::kInconclusive)
      return exploration.result(ExploreEnd::kStopped, game);
    if (const auto diverged = divergence(prefix, *execution)) {
      DelayedExploration out = exploration.result(ExploreEnd::kDiverged, game);
      out.result.divergence = *diverged;
      return out;
    }
    exploration.count(*execution);
    game.done(*execution);
    if (events.on_execution) events.on_execution(0, *execution, exploration.counts().executions);
    if (events.on_progress)
      events.on_progress({exploration.counts(), 0, exploration.limits().seconds(), 0, 0});
  }
  return exploration.result(ExploreEnd::kExhausted, game);
}

}  // namespace raddle
