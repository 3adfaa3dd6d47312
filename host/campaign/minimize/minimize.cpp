#include "host/campaign/minimize/minimize.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "host/process/outcome.hpp"
#include "host/process/strict_replay.hpp"

namespace raddle {
namespace {

// A guided execution may take another way to the failure; one that takes much longer is of no use.
std::uint64_t most_steps(const Plan& plan, std::size_t recorded) {
  const std::uint64_t enough = 4 * std::uint64_t{recorded} + 50'000;
  return plan.max_steps == 0 ? enough : std::min(plan.max_steps, enough);
}

class Minimizer {
 public:
  Minimizer(Worker& worker, const Execution& first, Criterion& keep, const MinimizeOptions& options)
      : worker_(worker), first_(first), keep_(keep), options_(options) {}

  Result<Minimized> run() {
    Result<Execution> again = replay(first_);
    if (!again) return Error{again.error()};
    result_.gone = differs(*again, first_.log_hash);
    if (!result_.gone.empty()) return std::move(result_);
    result_.before = cost_of(*again);
    result_.execution = std::move(*again);
    patience_ = std::max<Clock::duration>(
        std::chrono::seconds(1),
        10 * std::chrono::duration_cast<Clock::duration>(
                 std::chrono::duration<double>(result_.execution.seconds)));
    ShrinkControl control;
    control.attempt = [this](const Schedule& schedule) { return attempt(schedule); };
    control.accept = [this](const Attempted&) { return verified(); };
    control.over = [this] { return over(); };
    const Shrunk shrunk = shrink({schedule_of(first_.log), result_.before}, control);
    if (error_) return Error{*error_};
    result_.after = shrunk.best.cost;
    result_.end = shrunk.complete ? MinimizeEnd::kComplete
                  : stopped()     ? MinimizeEnd::kInterrupted
                                  : MinimizeEnd::kTime;
    result_.seconds = elapsed();
    return std::move(result_);
  }

 private:
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  bool over() const { return error_ || stopped() || Clock::now() - begin_ >= options_.time; }
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  // For one more execution, which counts.
  RunOptions next_running() {
    ++result_.executions;
    RunOptions running;
    running.keep_log = true;
    running.aims = first_.aims;
    running.stop = options_.stop;
    running.timeout = options_.timeout;
    running.until = options_.until;
    if (patience_ != Clock::duration{} &&
        (running.timeout == Clock::duration{} || patience_ < running.timeout)) {
      running.timeout = patience_;
    }
    running.events = keep_.listen();
    return running;
  }

  Result<Execution> replay(const Execution& execution) {
    return replay_strictly(worker_, execution, next_running(), ReplayDetail::kFull);
  }

  std::optional<Attempted> attempt(const Schedule& schedule) {
    Plan plan = first_.plan;
    plan.replay_strict = false;
    plan.replay_turns = true;
    plan.detail = false;
    plan.max_steps = most_steps(plan, first_.log.size());
    const RunOptions running = next_running();
    plan.trace = running.events != nullptr ? TraceLevel::kMemory : TraceLevel::kNone;
    Result<Execution> execution = worker_.run(plan, guide_of(schedule), running);
    if (!execution) {
      error_ = execution.error();
      return std::nullopt;
    }
    if (!keep_.has(*execution)) return std::nullopt;
    Attempted attempted{schedule_of(execution->log), cost_of(*execution)};
    attempted_ = std::move(*execution);
    attempted_.plan = first_.plan;
    return attempted;
  }

  // What the last attempt did replays to the letter.
  bool verified() {
    Result<Execution> again = replay(attempted_);
    if (!again) {
      error_ = again.error();
      return false;
    }
    if (!differs(*again, attempted_.log_hash).empty()) return false;
    result_.execution = std::move(*again);
    if (options_.better) options_.better(result_.execution, cost_of(result_.execution));
    return true;
  }

  // Why this is not the execution, or has not the finding; empty if all is well.
  std::string differs(const Execution& execution, std::uint64_t hash) {
    if (execution.kind == OutcomeKind::kDiverged) return "the replay diverged";
    if (execution.kind == OutcomeKind::kInconclusive && stopped()) return "interrupted";
    if (!keep_.has(execution)) {
      return execution.kind == OutcomeKind::kNone
                 ? "the same choices pass now"
                 : std::string("the same choices end otherwise now: ") +
                       outcome_text(execution.kind);
    }
    if (execution.log_hash != hash) return "the choice logs differ";
    return {};
  }

  Worker& worker_;
  const Execution& first_;
  Criterion& keep_;
  const MinimizeOptions& options_;
  const Clock::time_point begin_ = Clock::now();
  Clock::duration patience_{};  // with one execution
  Minimized result_;
  Execution attempted_;
  std::optional<std::string> error_;
};

}  // namespace

bool FailureCriterion::has(const Execution& execution) {
  return execution.kind == kind_ && describe(execution, symbols_).group == group_;
}

ScheduleCost cost_of(const Execution& execution) {
  return {execution.preemptions, execution.switches, execution.steps};
}

Result<Minimized> minimize(Worker& worker, const Execution& first, Criterion& keep,
                           const MinimizeOptions& options) {
  return Minimizer(worker, first, keep, options).run();
}

}  // namespace raddle
