// An executor for the explorers: executes the interpreter's program in this process.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/check/executor.hpp"
#include "host/explore/process_executor.hpp"
#include "host/explore/testing/paper_search.hpp"
#include "tests/real_executions/interpreter.hpp"

namespace raddle::real {

constexpr std::uint64_t kMaxSteps = 10'000;

class RealExecutor final : public Executor {
 public:
  RealExecutor(InProcessRunner& runner, std::size_t threads)
      : inner_(runner, plan()), runner_(runner), threads_(threads) {
    inner_.show_values();
    runner.run(plan());  // what a process initialises once is initialised here
  }

  const Explored* execute(const ExecutionRequest& request) override {
    explored_ = *inner_.execute(request);
    group_ = failure();
    if (explored_.outcome == OutcomeKind::kDeadlock) group_ = deadlock();
    if (group_.empty() && explored_.failing) group_ = std::string(explored_.group);
    explored_.group = group_;
    return &explored_;
  }
  std::string_view error() const override { return ""; }

  static Plan plan() {
    Plan plan{};
    std::string("systematic").copy(plan.strategy, sizeof plan.strategy - 1);
    plan.max_steps = kMaxSteps;
    plan.livelock_steps = kMaxSteps;
    return plan;
  }

 private:
  // Names a deadlock by the places where its threads wait. A cycle of locks ends an execution at
  // once, so the places of threads outside the cycle mean nothing.
  std::string deadlock() {
    std::vector<std::uint64_t> places;
    const Report& report = runner_.region().shared().report;
    for (std::uint32_t i = 0; i < report.cycle_length; ++i)
      places.push_back(place_of(raw(report.cycle[i])));
    if (places.empty()) {
      for (std::size_t t = 0; t < threads_; ++t) places.push_back(place_of(t));
    }
    std::sort(places.begin(), places.end());
    std::string text = "deadlock";
    for (const std::uint64_t place : places) {
      if (place != 0) text += " " + std::to_string(place);
    }
    return text;
  }

  InProcessExecutor inner_;
  InProcessRunner& runner_;
  std::size_t threads_;
  Explored explored_;
  std::string group_;
};

// Explores all executions of a program. Failing ones leave their threads behind: use a process of
// its own for many of them.
inline paper::Reached explore_really(const paper::Program& program, const SearchOptions& options,
                                     paper::ClassOf classify = nullptr,
                                     const paper::SearchLimits& limits = {~std::uint64_t{0}}) {
  prepare(program);
  Result<std::unique_ptr<InProcessRunner>> runner = InProcessRunner::open(
      {{interpret, nullptr}, {kMaxSteps, std::chrono::seconds(30)}, kEnabledCapacity});
  if (!runner) throw std::runtime_error(runner.error());
  RealExecutor executor(**runner, program.threads.size());
  return paper::explore_with(executor, final_state, options, classify, limits);
}

inline paper::Reached explore_really(const paper::Program& program, SearchOrder order,
                                     paper::ClassOf classify = nullptr,
                                     const paper::SearchLimits& limits = {~std::uint64_t{0}}) {
  SearchOptions options;
  options.order = order;
  return explore_really(program, options, classify, limits);
}

}  // namespace raddle::real
