// The in-process executor, as explorers see it.
#pragma once

#include "host/check/in_process_runner.hpp"
#include "host/explore/executor.hpp"

namespace raddle {

class InProcessExecutor final : public Executor {
 public:
  // The runner has room for who could move (RunnerOptions::enabled_capacity); `plan` has the
  // options of the check.
  InProcessExecutor(InProcessRunner& runner, const Plan& plan);

  const Explored* execute(const ExecutionRequest& request) override;
  std::string_view error() const override { return {}; }

  // From the next execution on: tell what the steps found (Explored::values).
  void show_values() { values_ = true; }

 private:
  InProcessRunner& runner_;
  Plan plan_;
  bool values_ = false;
  Explored explored_;
};

}  // namespace raddle
