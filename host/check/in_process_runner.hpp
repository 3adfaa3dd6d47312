// Executions of one function in this process, one after another: the in-process executor as the
// host side sees it. Owned and used by the thread that calls check(); a thread of its own watches
// for executions that compute for ever or block in the kernel.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/base/result.hpp"
#include "host/process/execution.hpp"
#include "host/process/host_region.hpp"
#include "host/process/stream/site_resolver.hpp"
#include "host/trace/event_sink.hpp"

namespace raddle {

struct Function {
  void (*call)(void*);
  void* data;
};

struct ExecutionLimits {  // of one execution
  std::uint64_t max_steps = 0;
  std::chrono::duration<double> timeout{};
};

struct RunnerOptions {
  Function function;
  ExecutionLimits limits;
  std::uint64_t enabled_capacity = 0;  // HostRegion's, for an exploration
  // Called when the process must die of what an execution did: in a signal handler, or on the
  // watching thread. Must not allocate.
  void (*dying)(SharedRegion* region) = nullptr;
};

class InProcessRunner {
 public:
  // The error is one line: another runner is open, or this machine cannot do it.
  static Result<std::unique_ptr<InProcessRunner>> open(const RunnerOptions& options);
  ~InProcessRunner();
  InProcessRunner(const InProcessRunner&) = delete;
  InProcessRunner& operator=(const InProcessRunner&) = delete;

  // One execution; how it ended. `replay` are choices to follow, as Plan says.
  OutcomeKind run(const Plan& plan, std::span<const StepRecord> replay = {});

  // Of the last execution, valid until the next.
  std::span<const StepRecord> log() const { return region_.log(); }
  HostRegion& region() { return region_; }
  const ExecutionLimits& limits() const { return options_.limits; }
  // Everything about it, for describe().
  Execution execution();
  // Threads that it left behind, never to run again.
  unsigned abandoned() const;
  // Sleeps and waits with a time-out, the most in one execution so far.
  std::uint64_t timed_waits() const { return timed_waits_; }
  std::uint64_t close_waits() const { return close_waits_; }

  // The last plan and its log once more, with every thread's steps, in a child of this process:
  // nothing that happens there is seen by the test or its framework. `this` is as it was.
  Execution again_in_child(const Execution& first);

  // One execution, recorded, in a child of this process; its events go to `sink`. Its log is here
  // afterwards.
  void record_in_child(const Plan& plan, EventSink& sink);

  // From now on plain accesses at these places are decision points, in executions whose plan says
  // DecideKind::kRaces.
  void decide_at(std::vector<AimSite> sites) { sites_ = std::move(sites); }
  // From now on plans say this of earlier executions as well.
  void guide_by(std::vector<AimSite> aims) { guide_ = std::move(aims); }

 private:
  class Watcher;

  InProcessRunner(const RunnerOptions& options, HostRegion region);
  Result<bool> begin();
  // Runs one execution in a child, and waits for it. `started` is called here as soon as it runs.
  void run_in_child(const Plan& plan, std::span<const StepRecord> replay,
                    const std::function<void()>& started);

  RunnerOptions options_;
  HostRegion region_;
  std::unique_ptr<Watcher> watcher_;
  bool begun_ = false;
  std::uint64_t timed_waits_ = 0;
  std::uint64_t close_waits_ = 0;
  std::vector<AimSite> sites_;
  std::vector<AimSite> guide_;
  std::unique_ptr<SiteResolver> resolver_;  // made when the first execution is recorded
};

}  // namespace raddle
