#include "runtime/sched/enabled_log.hpp"

#include <sys/syscall.h>

#include "runtime/inprocess/inprocess.hpp"
#include "runtime/outcome/outcome.hpp"
#include "runtime/sched/scheduler.hpp"

namespace raddle {
namespace {

bool has_ended(const Thread& thread, bool announced) {
  if (thread.finished) return true;
  return &thread == g_current && !announced && thread.enabled_index >= 0;
}

}  // namespace

void log_enabled(std::uint64_t step, std::span<const Pending* const> enabled) {
  EnabledLog& log = g_region->enabled;
  // Some room is kept for the end.
  if (log.used + enabled.size() + thread_count() > log.capacity) {
    end_at_limit(
        "the execution has more choices than an exploration remembers; make the test smaller");
  }
  g_region->enabled_first()[step] = std::uint32_t(log.used);
  Pending* out = g_region->enabled_operations() + log.used;
  for (const Pending* p : enabled) *out++ = *p;
  log.used += enabled.size();
}

void log_end(bool announced) {
  if (!plan().enabled_log) return;
  EnabledLog& log = g_region->enabled;
  std::uint64_t steps = g_region->live.steps.load(std::memory_order_relaxed);
  Pending* out = g_region->enabled_operations() + log.used;
  Pending* end = g_region->enabled_operations() + log.capacity;
  log.at_end = log.enabled_at_end = 0;
  for (bool enabled : {true, false}) {
    for (std::uint32_t i = 0; i < thread_count() && out < end; ++i) {
      const Thread& thread = thread_by_id(ThreadId{std::uint16_t(i)});
      if (has_ended(thread, announced) || (thread.enabled_index >= 0) != enabled) continue;
      *out++ = thread.pending;
      ++log.at_end;
      log.enabled_at_end += enabled ? 1 : 0;
    }
  }
  g_region->enabled_first()[steps] = std::uint32_t(log.used);
  g_region->enabled_first()[steps + 1] = std::uint32_t(log.used + log.at_end);
}

void end_as_redundant() {
  log_end(true);
  g_region->enabled.redundant = 1;
  return_home();
  raw_syscall(SYS_exit_group, 0);
  __builtin_unreachable();
}

}  // namespace raddle
