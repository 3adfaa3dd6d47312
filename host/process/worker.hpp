// Runs executions one after another. The target itself, started once and stopped at main(), forks a
// process for each; or, with `restore`, that process is put back after its execution and runs the
// next one (target/snapshot/). The commands use one Worker (run, replay) or several (fuzz,
// one thread each). A Worker is used by one thread at a time.
//
// An execution can do what it likes to itself: be killed, fork, close all descriptors, print
// without end, ignore signals. Whatever it leaves behind in its process group is killed when it
// ends, and the fork server is started again if the execution took it along.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/process/capture.hpp"
#include "host/process/execution.hpp"
#include "host/process/host_region.hpp"
#include "host/process/launch.hpp"
#include "host/process/restoring.hpp"
#include "host/process/stream/site_resolver.hpp"
#include "host/process/watch.hpp"
#include "host/symbols/maps.hpp"
#include "host/trace/event_sink.hpp"
#include "host/trace/stream_sink.hpp"

namespace raddle {

inline constexpr std::uint64_t kDefaultMaxSteps = 20'000'000;
// 16 bytes a step, twice: the most that --max-steps may ask for.
inline constexpr std::uint64_t kMaxMaxSteps = 1'000'000'000;

struct WorkerOptions {
  Command command;
  std::string library;  // libraddle.so
  std::uint64_t max_steps = kDefaultMaxSteps;
  Streams streams = Streams::kCaptured;
  int input = -1;                      // kCaptured: standard input of each execution; -1: /dev/null
  StreamKinds kinds;                   // kCaptured: of the output, as recorded
  std::vector<int> ok_exit;            // exit statuses that count as passed, besides 0
  std::uint64_t enabled_capacity = 0;  // operations of the enabled log, for plans that ask for it
  bool restore = false;                // many executions are to come
  // With restore: an explored one may go on from the middle of the last, at points that are at
  // least so many steps apart (0: it may not), with so many pages' contents.
  std::uint32_t point_gap = kPointGap;
  std::uint32_t point_pages = kMostPointPages;
};

struct RunOptions {
  Clock::duration timeout{};  // zero: none
  // An execution that is under way then is cut off, and one that begins later has kLeastLeft: of
  // many in a row none outlives a budget.
  Clock::time_point until = Clock::time_point::max();
  bool keep_log = false;                       // also for a passed execution
  AimList aims;                                // what the plan names
  const std::atomic<bool>* stop = nullptr;     // set: end the execution now, as inconclusive
  std::atomic<int>* forward_signal = nullptr;  // not 0: send this signal to the program, once
  // If the plan traces, one of these gets what the program does while it runs, on another thread:
  // as events (not begin() and end()), or the stream as it is.
  EventSink* events = nullptr;
  StreamSink* stream = nullptr;
};

inline constexpr std::chrono::milliseconds kLeastLeft{50};

// The user wants to end, or time is over: more executions would be of no use.
inline bool is_over(const RunOptions& options) {
  return (options.stop != nullptr && options.stop->load()) || Clock::now() >= options.until;
}

class Worker {
 public:
  // Starts the fork server. The error is one line, and what the program printed if it ended early.
  static Result<std::unique_ptr<Worker>> start(WorkerOptions options);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // The program was built by raddle-cc, or with -fsanitize=thread for Raddle.
  bool instrumented() { return region_.shared().instrumented != 0; }

  // /proc/PID/maps of the fork server; the same modules are at the same places in executions.
  std::string maps() const;

  // What all executions so far did out of control.
  const OutOfControl& out_of_control() const { return out_of_control_; }

  const RestoredExecutions& restored() const { return restored_; }
  std::uint64_t runs() const { return runs_; }  // executions, those to compare with included

  // What the last execution left there, until the next one.
  SharedRegion& shared() { return region_.shared(); }

  // One execution. The plan's replay_steps and aims are set here. An error means that no
  // execution could be started; everything that happens to an execution is in its outcome.
  Result<Execution> run(const Plan& plan, std::span<const StepRecord> replay,
                        const RunOptions& options);

 private:
  enum class Progress { kGoOn, kEnded, kServerGone };
  struct Current;    // the execution under way
  struct Listening;  // to its events

  Worker(WorkerOptions options, HostRegion region);
  Result<Execution> run_once(const Plan& plan, std::span<const StepRecord> replay,
                             const RunOptions& options, bool restore);
  bool may_restore(const RunOptions& options) const;
  int ending_status(int process_status);
  Result<bool> start_server();
  void stop_server();
  StreamKinds stream_kinds() const;
  std::string early_end(const std::string& what);
  bool starts_launcher() const;
  std::string became_nothing() const;
  Progress wait_for_end(Current& current);
  void learn_pid(Current& current);
  Progress read_messages(Current& current);
  Progress tick(Current& current, Clock::time_point now);
  void end_if_stalled(Current& current, Clock::time_point now);
  void drain(bool all);
  void collect_report(Current& current);
  std::unique_ptr<Listening> listen(const Plan& plan, const RunOptions& options);
  Execution finish(Current& current, Progress progress);

  WorkerOptions options_;
  HostRegion region_;
  Server server_;
  bool bind_now_ = true;  // until the program turns out not to start that way
  Capture out_;
  Capture err_;
  OutOfControl out_of_control_;
  RestoredExecutions restored_;
  std::uint64_t runs_ = 0;
  std::string image_;                       // what a launcher became
  std::unique_ptr<SiteResolver> resolver_;  // made when the first execution is traced
  AimList aims_;                            // of the last execution
  std::vector<AimSite> placed_;             // the same as addresses
  std::vector<LoadedObject> loaded_;        // in the fork server; empty: not asked for yet
};

// Several of the same program; each is used by one thread at a time.
using Workers = std::vector<std::unique_ptr<Worker>>;
Result<Workers> start_workers(const WorkerOptions& options, std::uint32_t count);

// What all of their executions did out of control.
OutOfControl out_of_control_by(const Workers& workers);

}  // namespace raddle
