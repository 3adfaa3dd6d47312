// The in-process executor, as explorers see it.
#pragma once

#include "host/check/session.hpp"
#include "host/explore/executor.hpp"

namespace raddle {

class InProcessExecutor final : public Executor {
 public:
  // The session has room for who could move (SessionOptions::enabled_capacity); `plan` has the
  // options of the check.
  InProcessExecutor(Session& session, const Plan& plan);

  const Explored* execute(const ExecutionRequest& request) override;
  std::string_view error() const override { return {}; }

 private:
  Session& session_;
  Plan plan_;
  Explored explored_;
};

}  // namespace raddle
