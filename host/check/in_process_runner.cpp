#include "host/check/in_process_runner.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "host/base/proc_file.hpp"
#include "host/process/outcome.hpp"
#include "host/process/stream/stream_definitions.hpp"
#include "host/process/stream/stream_pump.hpp"
#include "host/process/strict_replay.hpp"
#include "host/process/watch.hpp"
#include "host/trace/stream_decoder.hpp"
#include "protocol/inprocess_abi.h"

namespace raddle {
namespace {

constexpr std::uint64_t kLogMargin = 64;
// Beyond the time limit of an execution, for the child that runs it once more.
constexpr std::chrono::seconds kChildMargin{5};

}  // namespace

// Looks at the execution under way every few milliseconds, as the host does with a process: see
// host/process/watch.hpp.
class InProcessRunner::Watcher {
 public:
  Watcher(const RunnerOptions& options, SharedRegion& region)
      : options_(options), region_(region), thread_([this] { watch(); }) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return started_; });
  }

  ~Watcher() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  // Odd while an execution is under way.
  void execution_begins() { next_epoch(); }
  void execution_ends() { next_epoch(); }

  // Of the execution that ended last, if it was given up.
  std::string blocked_in() {
    const std::lock_guard lock(mutex_);
    return blocked_in_;
  }

 private:
  // Nobody else writes it.
  void next_epoch() {
    epoch_.store(epoch_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  void watch() {
    raddle_session_helper();
    std::unique_lock lock(mutex_);
    started_ = true;
    changed_.notify_all();
    std::uint64_t seen = 0;
    std::unique_ptr<Watch> execution;
    while (!changed_.wait_for(lock, kTick, [&] { return over_; })) {
      const std::uint64_t epoch = epoch_.load(std::memory_order_relaxed);
      if (epoch != seen) {
        seen = epoch;
        execution.reset();
        if (epoch % 2 == 0) continue;
        const auto timeout = std::chrono::duration_cast<Clock::duration>(options_.limits.timeout);
        execution = std::make_unique<Watch>(region_.live, timeout);
        execution->started(getpid());
        blocked_in_.clear();
      }
      if (execution == nullptr) continue;
      const bool kill = execution->tick(Clock::now());
      blocked_in_ = execution->blocked_in();
      if (kill && epoch_.load(std::memory_order_relaxed) == epoch) die();
    }
  }

  // The execution does not react: it is somewhere where it cannot be interrupted.
  [[noreturn]] void die() {
    if (options_.dying != nullptr) options_.dying(&region_);
    _exit(3);
  }

  const RunnerOptions& options_;
  SharedRegion& region_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  bool over_ = false;
  std::string blocked_in_;
  std::atomic<std::uint64_t> epoch_{0};
  std::thread thread_;
};

InProcessRunner::InProcessRunner(const RunnerOptions& options, HostRegion region)
    : options_(options), region_(std::move(region)) {}

Result<std::unique_ptr<InProcessRunner>> InProcessRunner::open(const RunnerOptions& options) {
  const std::uint64_t capacity = options.limits.max_steps + kLogMargin;
  Result<HostRegion> region = HostRegion::create(capacity, capacity, options.enabled_capacity);
  if (!region) return Error{region.error()};
  std::unique_ptr<InProcessRunner> runner(new InProcessRunner(options, std::move(*region)));
  if (Result<bool> begun = runner->begin(); !begun) return Error{begun.error()};
  return runner;
}

Result<bool> InProcessRunner::begin() {
  watcher_ = std::make_unique<Watcher>(options_, region_.shared());
  if (const char* reason = raddle_session_begin(options_.dying)) return Error{reason};
  begun_ = true;
  return true;
}

InProcessRunner::~InProcessRunner() {
  if (begun_) raddle_session_end();
}

OutcomeKind InProcessRunner::run(const Plan& plan, std::span<const StepRecord> replay) {
  const std::size_t most = region_.shared().replay_capacity;
  std::span<const AimSite> sites;
  if (plan.decide == DecideKind::kRaces) sites = sites_;
  std::vector<AimSite> both;
  if (!guide_.empty()) {
    both.assign(sites.begin(), sites.end());
    const std::size_t room = kMaxAims - both.size();
    both.insert(both.end(), guide_.begin(),
                guide_.begin() + static_cast<std::ptrdiff_t>(std::min(room, guide_.size())));
    sites = both;
  }
  const Result<bool> prepared =
      region_.prepare(plan, replay.first(std::min(replay.size(), most)), sites);
  if (!prepared) return OutcomeKind::kInconclusive;
  watcher_->execution_begins();
  raddle_session_run(&region_.shared(), options_.function.call, options_.function.data);
  watcher_->execution_ends();
  const Uncontrolled& waits = region_.shared().uncontrolled;
  timed_waits_ = std::max<std::uint64_t>(timed_waits_, waits.timed_waits);
  close_waits_ = std::max<std::uint64_t>(close_waits_, waits.close_waits);
  return region_.reported();
}

unsigned InProcessRunner::abandoned() const { return raddle_session_abandoned(); }

Execution InProcessRunner::execution() {
  Execution execution;
  execution.plan = region_.plan();
  execution.kind = region_.reported();
  execution.log.assign(region_.log().begin(), region_.log().end());
  execution.steps = execution.log.size();
  execution.switches = region_.live().switches;
  execution.threads = region_.live().threads;
  execution.log_hash = log_hash(execution.log);
  execution.maps = read_proc_file("/proc/self/maps");
  if (execution.kind != OutcomeKind::kNone || region_.has_misuse()) {
    execution.report = region_.copy_report();
    if (const std::string in = watcher_->blocked_in(); !in.empty()) {
      set_outcome(execution, execution.kind,
                  std::string(execution.report->message) + " (blocked in " + in + ")");
    }
  }
  return execution;
}

void InProcessRunner::run_in_child(const Plan& plan, std::span<const StepRecord> replay,
                                   const std::function<void()>& started) {
  const pid_t pid = fork();
  if (pid == 0) {
    const int null = ::open("/dev/null", O_RDWR);
    if (null >= 0) {
      dup2(null, 1);
      dup2(null, 2);
    }
    options_.dying = nullptr;
    // The watching thread is not here; the process is another one.
    raddle_session_end();
    [[maybe_unused]] Watcher* of_parent = watcher_.release();
    if (begin()) run(plan, replay);
    _exit(0);
  }
  if (started) started();
  const auto limit = Clock::now() +
                     std::chrono::duration_cast<Clock::duration>(options_.limits.timeout) +
                     kChildMargin;
  while (pid > 0 && waitpid(pid, nullptr, WNOHANG) == 0) {
    if (Clock::now() > limit) kill(pid, SIGKILL);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

Execution InProcessRunner::again_in_child(const Execution& first) {
  const std::vector<StepRecord>& steps = first.log;
  run_in_child(strict_replay_of(first.plan, first.kind, ReplayDetail::kFull), steps, {});
  return execution();
}

void InProcessRunner::record_in_child(const Plan& plan, EventSink& sink) {
  if (!resolver_)
    resolver_ = std::make_unique<SiteResolver>([] { return read_proc_file("/proc/self/maps"); });
  // Nothing of the execution before: the reader may look before the child does.
  if (!region_.prepare(plan, {}, {})) return;
  EventStream& events = region_.shared().events();
  StreamDecoder decoder(sink);
  StreamDefinitions definitions(*resolver_, events, decoder);
  std::optional<StreamPump> pump;
  run_in_child(plan, {}, [&] { pump.emplace(events, definitions, decoder); });
  pump->finish();
}

}  // namespace raddle
