#include "target/outcome/enabled_log.hpp"

#include <sys/syscall.h>

#include "target/outcome/outcome.hpp"
#include "target/snapshot/snapshot.hpp"
#include "target/state/execution.hpp"
#include "target/state/threads.hpp"
#include "target/state/value_log.hpp"

namespace raddle {
namespace {

bool is_same(const EnabledStack& stack, const Thread& thread) {
  if (stack.frames != thread.site_frames) return false;
  for (std::uint32_t i = 0; i < stack.frames; ++i) {
    if (stack.pc[i] != thread.site_pc[i]) return false;
  }
  return true;
}

// Where the thread is. There are few different places, and mostly the last ones come again.
std::uint32_t stack_index(const Thread& thread) {
  EnabledLog& log = g_region->enabled;
  EnabledStack* stacks = g_region->enabled_stacks();
  std::uint32_t hash = 0;
  for (std::uint32_t i = 0; i < thread.site_frames; ++i)
    hash = (hash ^ std::uint32_t(thread.site_pc[i])) * 0x01000193U;
  for (std::uint32_t i = log.stacks; i-- > 0;) {
    if (stacks[i].hash == hash && is_same(stacks[i], thread)) return i;
  }
  if (log.stacks == kMaxEnabledStacks) return kNoStack;
  EnabledStack& added = stacks[log.stacks];
  added.frames = thread.site_frames;
  added.hash = hash;
  for (std::uint32_t i = 0; i < added.frames; ++i) added.pc[i] = thread.site_pc[i];
  return log.stacks++;
}

void put(std::uint64_t index, const Pending* p) {
  g_region->enabled_operations()[index] = *p;
  if (g_values_wanted) log_object(*p);
  if (plan().detail) g_region->enabled_stack_of()[index] = stack_index(thread_of(p));
}

bool has_ended(const Thread& thread, bool announced) {
  if (thread.finished) return true;
  return &thread == g_current && !announced && thread.enabled_index >= 0;
}

}  // namespace

void log_enabled(std::uint64_t step, std::span<const Pending* const> enabled) {
  EnabledLog& log = g_region->enabled;
  if (log.redundant != 0) return;
  // Some room is kept for the end.
  if (log.used + enabled.size() + thread_count() > log.capacity) {
    end_at_limit(
        "the execution has more choices than an exploration remembers; make the test smaller");
  }
  g_region->enabled_first()[step] = std::uint32_t(log.used);
  for (const Pending* p : enabled) put(log.used++, p);
}

void unlog_enabled(std::uint64_t step) {
  EnabledLog& log = g_region->enabled;
  if (plan().enabled_log && log.redundant == 0) log.used = g_region->enabled_first()[step];
}

void log_end(bool announced) {
  EnabledLog& log = g_region->enabled;
  if (!plan().enabled_log || log.redundant != 0) return;
  settle_value();
  std::uint64_t steps = g_region->live.steps.load(std::memory_order_relaxed);
  log.at_end = log.enabled_at_end = 0;
  for (bool enabled : {true, false}) {
    for (std::uint32_t i = 0; i < thread_count() && log.used + log.at_end < log.capacity; ++i) {
      const Thread& thread = thread_by_id(ThreadId{std::uint16_t(i)});
      if (has_ended(thread, announced) || (thread.enabled_index >= 0) != enabled) continue;
      put(log.used + log.at_end++, &thread.pending);
      log.enabled_at_end += enabled ? 1 : 0;
    }
  }
  g_region->enabled_first()[steps] = std::uint32_t(log.used);
  g_region->enabled_first()[steps + 1] = std::uint32_t(log.used + log.at_end);
}

void end_as_redundant() {
  EnabledLog& log = g_region->enabled;
  std::uint64_t steps = g_region->live.steps.load(std::memory_order_relaxed);
  log.used = g_region->enabled_first()[steps];  // who could move is the group at the end
  log_end(true);
  log.redundant = std::uint32_t(steps) + 1;
  if (g_in_process) return;
  go_back_instead_of_ending(0);
  raw_syscall(SYS_exit_group, 0);
  __builtin_unreachable();
}

}  // namespace raddle
