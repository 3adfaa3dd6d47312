#include "host/cli/running/gdb_names.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/base/unique_fd.hpp"
#include "host/cli/running/workers.hpp"
#include "host/process/outcome.hpp"
#include "host/process/strict_replay.hpp"
#include "host/report/results/replay_report.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {
namespace {

std::string place(const Where& where) {
  if (where.file.empty()) return {};
  const std::string name = where.file.substr(where.file.rfind('/') + 1);
  const std::string function = where.function.empty() ? "" : " in " + where.function;
  return fmt::format("{}:{}{}", name, where.line, function);
}

nlohmann::json json_of(const Timeline& timeline, const std::vector<StepRecord>& log) {
  nlohmann::json threads = nlohmann::json::object();
  nlohmann::json steps = nlohmann::json::object();
  for (const ExplainedThread& thread : timeline.threads)
    if (!thread.name.empty()) threads[std::to_string(raw(thread.id))] = thread.name;
  for (const TimelineEvent& event : timeline.events) {
    if (event.step >= log.size() || log[event.step].thread != event.thread ||
        !is_of_operation(event.kind, log[event.step].op))
      continue;
    const std::string step = std::to_string(event.step);
    if (!steps.contains(step))
      steps[step] = {{"object", event.object}, {"where", place(event.where)}};
  }
  return {{"threads", threads}, {"steps", steps}};
}

}  // namespace

bool is_of_operation(EventKind event, OpKind op) {
  switch (op) {
    case OpKind::mutex_lock:
    case OpKind::mutex_trylock:
    case OpKind::rwlock_read:
    case OpKind::rwlock_tryread:
    case OpKind::rwlock_write:
    case OpKind::rwlock_trywrite:
    case OpKind::spin_lock:
    case OpKind::spin_trylock:
      return event == EventKind::acquire;
    case OpKind::mutex_unlock:
    case OpKind::rwlock_unlock:
    case OpKind::spin_unlock:
      return event == EventKind::release;
    case OpKind::thread_create:
      return event == EventKind::fork;
    case OpKind::thread_join:
      return event == EventKind::join;
    case OpKind::cond_wait:
      return event == EventKind::wait;
    case OpKind::cond_wake:
      return event == EventKind::wake;
    case OpKind::cond_signal:
    case OpKind::cond_broadcast:
      return event == EventKind::notify;
    case OpKind::sem_post:
    case OpKind::futex_wake:
      return event == EventKind::signal;
    case OpKind::sem_wait:
    case OpKind::sem_trywait:
    case OpKind::futex_wait:
      return event == EventKind::await;
    case OpKind::atomic_load:
      return event == EventKind::atomic_load;
    case OpKind::atomic_store:
      return event == EventKind::atomic_store;
    case OpKind::atomic_update:
      return event == EventKind::atomic_update || event == EventKind::atomic_compare;
    case OpKind::memory_read:
      return event == EventKind::read;
    case OpKind::memory_write:
      return event == EventKind::write;
    case OpKind::memory_free:
      return event == EventKind::free;
    case OpKind::none:
    case OpKind::thread_begin:
    case OpKind::thread_end:
    case OpKind::process_exit:
    case OpKind::destroy:
    case OpKind::barrier_wait:
    case OpKind::once:
    case OpKind::sleep:
    case OpKind::yield:
    case OpKind::spin:
    case OpKind::read:
    case OpKind::write:
    case OpKind::accept:
    case OpKind::connect:
    case OpKind::poll:
    case OpKind::close:
    case OpKind::signal_wait:
    case OpKind::signal_send:
    case OpKind::child_wait:
    case OpKind::cancel:
    case OpKind::value_choice:
    case OpKind::atomic_again:
    case OpKind::fence:
    case OpKind::memory_again:
    case OpKind::go_on:
    case OpKind::monitor_event:
    case OpKind::init:
      return false;
  }
  return false;
}

std::string names_for_gdb(const ReplayFile& file, const PreparedProgram& prepared) {
  const UniqueFd input(open("/dev/null", O_RDONLY | O_CLOEXEC));  // standard input is gdb's
  Result<std::unique_ptr<Worker>> worker =
      Worker::start(worker_options(prepared, file, input.get()));
  if (!worker) return {};
  KeptTrace trace;
  RunOptions running;
  running.events = &trace;
  const Result<Execution> execution =
      replay_strictly(**worker, recorded_execution(file), running, ReplayDetail::kFull);
  if (!execution || !is_failing(execution->kind)) return {};
  Symbolizer symbols;
  const Failure failure = describe(*execution, symbols);
  if (!difference(file, *execution, failure).empty()) return {};
  return json_of(timeline_of(trace, failure, symbols), execution->log).dump();
}

}  // namespace raddle
