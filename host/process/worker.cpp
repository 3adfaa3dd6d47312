#include "host/process/worker.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>

#include "host/base/printable.hpp"
#include "host/base/proc_file.hpp"
#include "host/process/aim_places.hpp"
#include "host/process/outcome.hpp"
#include "host/process/output_channel.hpp"
#include "host/process/stream/stream_definitions.hpp"
#include "host/process/stream/stream_pump.hpp"
#include "host/trace/stream_decoder.hpp"
#include "protocol/launchers.hpp"

namespace raddle {
namespace {

constexpr std::chrono::seconds kReadyLimit{60};
// After SIGKILL the fork server reports the end at once, unless it is broken itself.
constexpr std::chrono::seconds kKillLimit{5};
// A program that was asked to end has this long to do so.
constexpr std::chrono::seconds kEndLimit{1};
// So long may an execution without a time limit compute and make no step. Threads that spin are
// preempted all the same; that is no progress.
constexpr std::chrono::seconds kProgressLimit{60};
// Between two looks: then the host itself was stopped.
constexpr std::chrono::seconds kNobodyLooked{1};
constexpr std::size_t kDrainStep = 4 << 20;
constexpr std::size_t kLogMargin = 64;

std::string link_target(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t length = readlink(path.c_str(), target, sizeof target);
  return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : "";
}

// Sleeps until one of the server's pipes has something, for a tick at most.
void wait_for_input(const Server& server, bool out_open, bool err_open) {
  pollfd fds[] = {{server.status.get(), POLLIN, 0},
                  {out_open ? server.out.get() : -1, POLLIN, 0},
                  {err_open ? server.err.get() : -1, POLLIN, 0}};
  poll(fds, std::size(fds), static_cast<int>(kTick.count()));
}

}  // namespace

struct Worker::Current {
  const RunOptions& options;
  Execution execution;
  Watch watch;
  Clock::time_point begin = Clock::now();
  Clock::time_point last_tick = begin;
  std::optional<Clock::time_point> killed;
  std::optional<Clock::time_point> asked_to_end;
  pid_t pid = 0;
  bool interrupted = false;
  Clock::time_point last_progress = begin;
  std::size_t seen_steps = 0;  // looked at for progress
  Clock::time_point last_look = begin;
  bool stalled = false;
  bool restored = false;  // its process goes on
};

namespace {

// Of the steps after the first `seen`, one is more than the preemption of a thread that spins.
bool made_progress(std::span<const StepRecord> log, std::size_t seen) {
  return std::any_of(log.begin() + std::ptrdiff_t(std::min(seen, log.size())), log.end(),
                     [](const StepRecord& step) { return step.op != OpKind::spin; });
}

}  // namespace

struct Worker::Listening {
  std::optional<StreamDecoder> decoder;
  StreamDefinitions definitions;
  StreamPump pump;

  Listening(SiteResolver& resolver, EventStream& events, const RunOptions& options)
      : definitions(resolver, events, sink(options)), pump(events, definitions, sink(options)) {}

  StreamSink& sink(const RunOptions& options) {
    if (options.stream != nullptr) return *options.stream;
    return decoder ? *decoder : decoder.emplace(*options.events);
  }
};

Worker::Worker(WorkerOptions options, HostRegion region)
    : options_(std::move(options)), region_(std::move(region)) {}

Worker::~Worker() { stop_server(); }

Result<std::unique_ptr<Worker>> Worker::start(WorkerOptions options) {
  const std::uint64_t capacity = options.max_steps + kLogMargin;
  Result<HostRegion> region = HostRegion::create(capacity, capacity, options.enabled_capacity);
  if (!region) return Error{region.error()};
  std::unique_ptr<Worker> worker(new Worker(std::move(options), std::move(*region)));
  Result<bool> started = worker->start_server();
  if (!started) return Error{started.error()};
  return worker;
}

Result<Workers> start_workers(const WorkerOptions& options, std::uint32_t count) {
  Workers workers;
  workers.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Result<std::unique_ptr<Worker>> worker = Worker::start(options);
    if (!worker) return Error{worker.error()};
    workers.push_back(std::move(*worker));
  }
  return workers;
}

OutOfControl out_of_control_by(const Workers& workers) {
  OutOfControl out_of_control;
  for (const auto& worker : workers) out_of_control.add(worker->out_of_control());
  return out_of_control;
}

void Worker::stop_server() {
  if (server_.pid <= 0) return;
  kill(server_.pid, SIGKILL);
  if (options_.streams == Streams::kCaptured) kill(-server_.pid, SIGKILL);
  while (waitpid(server_.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  server_ = Server{};
}

// Why the target did not become a fork server; ends it.
std::string Worker::early_end(const std::string& what) {
  drain(true);
  std::string text = fmt::format("{} {}", options_.command.program, what);
  if (std::string printed = err_.text(); !printed.empty()) {
    while (printed.ends_with('\n')) printed.pop_back();
    text += fmt::format("; it printed:\n{}", printed);
  }
  stop_server();
  return text;
}

StreamKinds Worker::stream_kinds() const {
  if (options_.streams == Streams::kCaptured) {
    const bool given = options_.input >= 0;
    return {given ? stream_kind_of(options_.input) : StreamKind::kNull, options_.kinds.output,
            options_.kinds.error};
  }
  return {stream_kind_of(STDIN_FILENO), stream_kind_of(STDOUT_FILENO),
          stream_kind_of(STDERR_FILENO)};
}

bool Worker::starts_launcher() const {
  const std::string& program = options_.command.program;
  return is_launcher(std::string_view(program).substr(program.rfind('/') + 1));
}

// What did not come about before the process ended.
std::string Worker::became_nothing() const {
  if (!starts_launcher()) return "before main() was under control";
  std::string text = "without becoming a program that can be controlled (exec)";
  const OutOfControl started = out_of_control_in(region_.uncontrolled());
  if (started.commands.empty()) return text;
  return text + fmt::format("; it started `{}', which can be: give that to raddle",
                            printable(started.commands.front()));
}

// Exit status of the dynamic loader when it cannot find a library or a symbol.
constexpr int kLoaderFailed = 127;

Result<bool> Worker::start_server() {
  const LaunchOptions launching{.library = options_.library,
                                .region_path = region_.path(),
                                .streams = options_.streams,
                                .input = options_.input,
                                .kinds = options_.kinds,
                                .bind_now = bind_now_};
  Result<Server> server = launch(options_.command, launching);
  if (!server) return Error{server.error()};
  server_ = std::move(*server);
  loaded_.clear();
  out_.clear();
  err_.clear();
  const Clock::time_point limit = Clock::now() + kReadyLimit;
  while (Clock::now() < limit) {
    wait_for_input(server_, true, true);
    drain(false);
    ServerMessage message{};
    const ssize_t n = read(server_.status.get(), &message, sizeof message);
    if (n == sizeof message && message.kind == ServerMessage::kReady) {
      if (starts_launcher()) image_ = link_target(fmt::format("/proc/{}/exe", server_.pid));
      return true;
    }
    if (n == 0) {
      int status = 0;
      waitpid(server_.pid, &status, 0);
      server_.pid = -1;
      if (bind_now_ && WIFEXITED(status) && WEXITSTATUS(status) == kLoaderFailed) {
        bind_now_ = false;
        return start_server();
      }
      return Error{
          early_end(fmt::format("ended {} ({})", became_nothing(), wait_status_text(status)))};
    }
  }
  return Error{early_end("did not reach main() within 60 s")};
}

std::string Worker::maps() const {
  return server_.pid > 0 ? read_proc_file(fmt::format("/proc/{}/maps", server_.pid)) : "";
}

void Worker::drain(bool all) {
  const std::size_t limit = all ? SIZE_MAX : kDrainStep;
  if (server_.out && !out_.drain(server_.out.get(), limit)) server_.out.reset();
  if (server_.err && !err_.drain(server_.err.get(), limit)) server_.err.reset();
}

namespace {

RunOptions within_time(const RunOptions& options) {
  RunOptions limited = options;
  if (options.until == Clock::time_point::max()) return limited;
  const Clock::duration left = std::max<Clock::duration>(kLeastLeft, options.until - Clock::now());
  if (limited.timeout == Clock::duration{} || left < limited.timeout) limited.timeout = left;
  return limited;
}

}  // namespace

Result<Execution> Worker::run(const Plan& plan, std::span<const StepRecord> replay,
                              const RunOptions& options) {
  Result<Execution> execution = run_once(plan, replay, within_time(options), may_restore(options));
  if (!execution || !restored_.is_time_to_compare()) return execution;
  // Where the clock ended it, two of the same plan need not end alike; and such a one takes long.
  if (execution->kind == OutcomeKind::kLimit || execution->ended_by_host) return execution;
  // Who listens to its events has heard them: they cannot be taken back.
  if (options.events != nullptr || options.stream != nullptr) return execution;
  const Course course = course_of(*execution, region_.shared());
  Result<Execution> forked = run_once(plan, replay, within_time(options), false);
  if (!forked) return forked;
  const Course of_forked = course_of(*forked, region_.shared());
  if (course != of_forked) {
    Result<Execution> again = run_once(plan, replay, within_time(options), false);
    if (!again) return again;
    restored_.differs(course_of(*again, region_.shared()) != of_forked);
    out_of_control_.forked_because = restored_.why_not();
  }
  // The one that is right, and whose traces are in the region: callers look there.
  return forked;
}

// A program that shares our standard streams is executed once.
bool Worker::may_restore(const RunOptions& options) const {
  return options_.restore && restored_.why_not().empty() &&
         options_.streams == Streams::kCaptured && options.forward_signal == nullptr;
}

Result<Execution> Worker::run_once(const Plan& plan, std::span<const StepRecord> replay,
                                   const RunOptions& options, bool restore) {
  ++runs_;
  // Twice: a server that ended between two executions is started again, without a word.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (server_.pid <= 0) {
      Result<bool> started = start_server();
      if (!started) return Error{started.error()};
    }
    if (aims_ != options.aims) {
      if (loaded_.empty()) loaded_ = parse_maps(maps());
      placed_ = place_aims(options.aims, loaded_);
      aims_ = options.aims;
    }
    Result<bool> prepared = region_.prepare(plan, replay, placed_);
    if (!prepared) return Error{prepared.error()};
    region_.shared().restoring = Restoring{.wanted = restore ? 1U : 0U,
                                           .point_gap = restore ? options_.point_gap : 0U,
                                           .point_pages = options_.point_pages};
    drain(false);
    out_.clear();
    err_.clear();

    Current current{options, Execution{}, Watch(region_.live(), options.timeout)};
    current.execution.plan = region_.plan();
    current.execution.aims = options.aims;
    current.execution.streams = stream_kinds();
    current.execution.image = image_;
    const std::unique_ptr<Listening> listening = listen(plan, options);
    Progress progress = Progress::kServerGone;
    if (write(server_.command.get(), &kRunCommand, 1) == 1) progress = wait_for_end(current);
    if (listening) {
      listening->pump.finish();
      current.execution.traced = region_.shared().events().stream.events;
      if (listening->decoder && listening->decoder->problem() != nullptr)
        current.execution.trace_problem = listening->decoder->problem();
    }
    if (progress != Progress::kServerGone || current.pid > 0) return finish(current, progress);
    stop_server();
  }
  return Error{fmt::format("{}: the fork server ends before it runs an execution",
                           options_.command.program)};
}

std::unique_ptr<Worker::Listening> Worker::listen(const Plan& plan, const RunOptions& options) {
  if (plan.trace == TraceLevel::kNone) return nullptr;
  if (options.events == nullptr && options.stream == nullptr) return nullptr;
  if (!resolver_) {
    // The execution's own maps, while it lives, know what it loaded with dlopen.
    resolver_ = std::make_unique<SiteResolver>([this] {
      const pid_t pid = region_.live().pid.load(std::memory_order_relaxed);
      std::string maps;
      if (pid > 0) maps = read_proc_file(fmt::format("/proc/{}/maps", pid));
      return maps.empty() ? read_proc_file(fmt::format("/proc/{}/maps", server_.pid)) : maps;
    });
  }
  return std::make_unique<Listening>(*resolver_, region_.shared().events(), options);
}

Worker::Progress Worker::wait_for_end(Current& current) {
  for (;;) {
    wait_for_input(server_, bool(server_.out), bool(server_.err));
    drain(false);
    if (const Progress progress = read_messages(current); progress != Progress::kGoOn) {
      return progress;
    }
    const Clock::time_point now = Clock::now();
    if (now - current.last_tick < kTick) continue;
    current.last_tick = now;
    if (const Progress progress = tick(current, now); progress != Progress::kGoOn) return progress;
  }
}

void Worker::learn_pid(Current& current) {
  if (current.pid > 0) return;
  current.pid = region_.live().pid.load(std::memory_order_relaxed);
  if (current.pid > 0) current.watch.started(current.pid);
}

// A process that ends while it is put back ends for reasons of our own.
int Worker::ending_status(int process_status) {
  const Restoring& restoring = region_.shared().restoring;
  return restoring.ended != 0 ? restoring.wait_status : process_status;
}

Worker::Progress Worker::read_messages(Current& current) {
  ServerMessage messages[4];
  const ssize_t n = read(server_.status.get(), messages, sizeof messages);
  learn_pid(current);
  if (n == 0) return Progress::kServerGone;
  for (std::size_t i = 0; n > 0 && i < static_cast<std::size_t>(n) / sizeof messages[0]; ++i) {
    switch (messages[i].kind) {
      case ServerMessage::kReady:
        break;
      case ServerMessage::kReportReady:
        collect_report(current);
        break;
      case ServerMessage::kRestored:
      case ServerMessage::kEnded:
        if (messages[i].pid != current.pid) break;
        current.execution.wait_status = ending_status(messages[i].status);
        current.restored = messages[i].kind == ServerMessage::kRestored;
        return Progress::kEnded;
    }
  }
  return Progress::kGoOn;
}

Worker::Progress Worker::tick(Current& current, Clock::time_point now) {
  collect_report(current);
  if (waitpid(server_.pid, nullptr, WNOHANG) == server_.pid) {
    server_.pid = -1;
    return Progress::kServerGone;
  }
  if (current.killed && now - *current.killed > kKillLimit) return Progress::kServerGone;
  // Somebody killed the process that had just read the command.
  if (current.pid == 0 && now - current.begin > kReadyLimit) return Progress::kServerGone;
  const RunOptions& options = current.options;
  if (options.forward_signal != nullptr && current.pid > 0) {
    if (const int sig = options.forward_signal->exchange(0)) {
      if (sig > 0) kill(current.pid, sig);
      if (!current.asked_to_end) current.asked_to_end = now;
    }
  }
  current.interrupted |= options.stop != nullptr && options.stop->load();
  current.interrupted |= current.asked_to_end && now - *current.asked_to_end >= kEndLimit;
  if (options.timeout == Clock::duration{}) end_if_stalled(current, now);
  if (current.watch.tick(now) || current.interrupted) {
    if (!current.killed) current.killed = now;
    current.watch.kill_process(options_.streams == Streams::kCaptured);
  }
  return Progress::kGoOn;
}

// Asks the runtime to end the execution, and kills it if it does not.
void Worker::end_if_stalled(Current& current, Clock::time_point now) {
  const std::span<const StepRecord> log = region_.log();
  const bool waits = region_.live().state.load(std::memory_order_relaxed) != RunState::kRunning;
  if (waits || made_progress(log, current.seen_steps)) current.last_progress = now;
  current.seen_steps = log.size();
  if (now - current.last_look > kNobodyLooked) current.last_progress = now;
  current.last_look = now;
  if (now - current.last_progress < kProgressLimit) return;
  current.stalled = true;
  region_.live().give_up.store(static_cast<std::uint32_t>(GiveUp::kTimeLimit),
                               std::memory_order_release);
  if (now - current.last_progress >= kProgressLimit + kGrace) {
    if (!current.killed) current.killed = now;
    current.watch.kill_process(options_.streams == Streams::kCaptured);
  }
}

void Worker::collect_report(Current& current) {
  if (region_.live().state.load(std::memory_order_acquire) != RunState::kReporting) return;
  if (region_.live().acknowledged.load(std::memory_order_relaxed) != 0) return;
  // An execution may report twice: an assertion, then the SIGABRT by which it ends. The first says
  // why; only what happens after exit() was called says more than that.
  const std::unique_ptr<Report>& first = current.execution.report;
  if (first == nullptr || first->kind == OutcomeKind::kExit) {
    current.execution.report = region_.copy_report();
  }
  if (current.pid > 0 && current.execution.maps.empty()) {
    current.execution.maps = read_proc_file(fmt::format("/proc/{}/maps", current.pid));
  }
  region_.acknowledge();
  // After exit() the program's own handlers run, for as long as they like.
  if (current.execution.report->kind != OutcomeKind::kExit) current.watch.reported(Clock::now());
}

Execution Worker::finish(Current& current, Progress progress) {
  Execution& execution = current.execution;
  execution.seconds = std::chrono::duration<double>(Clock::now() - current.begin).count();
  collect_report(current);
  restored_.note(region_.shared().restoring, current.restored, current.killed.has_value());
  out_of_control_.forked_because = restored_.why_not();
  const bool leaves_group = options_.streams == Streams::kCaptured && !current.restored;
  if (leaves_group && current.pid > 0) kill(-current.pid, SIGKILL);
  drain(false);
  out_.add(take_contents(server_.out_file));
  err_.add(take_contents(server_.err_file));
  execution.out = out_.text();
  execution.err = err_.text();
  execution.ended_by_host = current.killed.has_value();
  execution.steps = region_.log().size();
  execution.switches = region_.live().switches;
  execution.preemptions = region_.live().preemptions;
  execution.threads = region_.live().threads;
  execution.log_hash = log_hash(region_.log());
  if (current.restored) execution.went_on_at = region_.shared().restoring.went_on_at;
  execution.realised = region_.shared().realised;
  execution.circumstances = region_.shared().circumstances;
  execution.out_of_control = out_of_control_in(region_.shared().uncontrolled);
  out_of_control_.add(execution.out_of_control);

  // Also what nobody read in time: the target does not wait for ever for a host that is kept
  // waiting.
  const bool reported = region_.reported() != OutcomeKind::kNone || region_.has_misuse();
  if (execution.report == nullptr && reported) execution.report = region_.copy_report();
  decide_outcome(execution, {.server_gone = progress == Progress::kServerGone,
                             .interrupted = current.interrupted,
                             .gave_up = current.watch.gave_up(),
                             .blocked_in = current.watch.blocked_in(),
                             .timeout = current.options.timeout,
                             .ok_exit = options_.ok_exit});
  if (current.stalled) {
    set_outcome(execution, OutcomeKind::kLimit,
                fmt::format("no progress for {} s: the program computed, and came to no decision "
                            "point; --timeout T is the limit instead",
                            kProgressLimit.count()));
  }
  // The same modules are at the same places in the fork server; only what the execution itself
  // loaded is missing there.
  const bool named = execution.report != nullptr || execution.plan.trace != TraceLevel::kNone;
  if (named && execution.maps.empty() && server_.pid > 0) {
    execution.maps = read_proc_file(fmt::format("/proc/{}/maps", server_.pid));
  }
  if (execution.kind != OutcomeKind::kNone || current.options.keep_log) {
    const std::span<const StepRecord> log = region_.log();
    execution.log.assign(log.begin(), log.end());
  }
  if (progress == Progress::kServerGone) {
    current.watch.kill_process(options_.streams == Streams::kCaptured);
    stop_server();
    server_ = Server{};
  }
  return std::move(execution);
}

}  // namespace raddle
