// The beginning of an execution, as its plan says.
#include <sys/syscall.h>

#include "target/base/forgetting.hpp"
#include "target/carrier/carrier.hpp"
#include "target/code/instrumentation.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/debugger.hpp"
#include "target/sched/decision_state.hpp"
#include "target/sched/enabled.hpp"
#include "target/sched/replaying.hpp"
#include "target/sched/scheduler.hpp"
#include "target/snapshot/snapshot.hpp"
#include "target/state/attention.hpp"
#include "target/state/heap_blocks.hpp"
#include "target/state/separate_heaps.hpp"
#include "target/state/value_log.hpp"
#include "target/strategy/guided.hpp"
#include "target/strategy/replay.hpp"
#include "target/strategy/table.hpp"
#include "target/stream/stream.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {

bool g_others_first;

RADDLE_FORGOTTEN Strategy* g_strategy;
RADDLE_FORGOTTEN Random* g_random;
RADDLE_FORGOTTEN std::uint64_t g_steps;
std::uint64_t g_max_steps;
bool g_fibers;
RADDLE_FORGOTTEN bool g_outside_changed;
bool g_time_stands_still;
std::uint64_t g_next_point = ~std::uint64_t{0};

namespace {

ReplayMode replay_mode(const Plan& plan) {
  if (plan.replay_strict) return ReplayMode::kStrict;
  return plan.prefix_checked ? ReplayMode::kPrefix : ReplayMode::kLoose;
}

}  // namespace

bool exploring() { return g_time_stands_still || plan().by_values; }

void prepare_scheduler(SharedRegion& region) {
  g_region = &region;
  start_value_log();
  start_separate_heaps(region.plan.by_values);
  report_fatal_errors();
  const Plan& p = region.plan;
  g_max_steps =
      p.max_steps == 0 || p.max_steps > region.log_capacity ? region.log_capacity : p.max_steps;

  const StrategyEntry* entry = find_strategy(p.strategy);
  if (entry == nullptr) fatal("the plan names a strategy that this runtime does not have");
  g_strategy = make_strategy(*entry, p, arena_allocate);
  start_idleness();
  g_others_first = p.decide == DecideKind::kEvery && !is_instrumented();
  g_attention.places = (p.atomic_blocks & kBlocksFrames) != 0 || p.aims > 0;
  if (p.aims > kMaxAims) fatal("the plan names more aims than the region holds");
  g_strategy->brief({region.aims, p.aims}, region.realised);
  if (p.replay_steps > region.replay_capacity) fatal("the replay log is longer than its region");
  if (p.replay_turns) {
    g_strategy = make_guided({region.replay_log(), p.replay_steps}, arena_allocate);
  } else if (p.replay_steps > 0 || takes_points()) {
    g_replay = new (arena_allocate(sizeof(Replay)))
        Replay({region.replay_log(), p.replay_steps}, replay_mode(p), *g_strategy);
    g_strategy = g_replay;
    show_replay(region);
  }
  g_random = g_strategy->as_random();
  g_time_stands_still = entry->time_stands_still && !p.replay_turns;
  g_attention.extra_work = g_replay != nullptr || p.enabled_log || p.detail || g_time_stands_still;
  if (takes_points()) g_next_point = next_point(0);
  g_locks_matter = true;
  g_fibers = p.carrier == CarrierKind::kFiber;
  use_carrier(p.carrier);
}

void go_on_for_plan() {
  const Plan& p = plan();
  g_replay->go_on_with({g_region->replay_log(), p.replay_steps}, g_steps, p);
  show_replay(*g_region);
  g_next_point = next_point(g_steps);
}

void start_main(Thread& main) {
  g_current = &main;
  g_region->live.state.store(RunState::kRunning, std::memory_order_release);
  expect_thread(main);
  evaluate(main);
  if (plan().detail) watch_heap();
  start_stream(*g_region);
  g_active = true;
}

void start_scheduler(SharedRegion& region) {
  prepare_scheduler(region);
  Thread& main = add_thread(nullptr);
  main.begun = true;
  main.mask = initial_mask();
  main.handle = reinterpret_cast<pthread_t>(thread_pointer());
  main.thread_pointer = thread_pointer();
  carrier().adopt_main(main);
  region.live.pid.store(std::int32_t(raw_syscall(SYS_getpid)), std::memory_order_relaxed);
  region.live.kernel_tid.store(std::int32_t(raw_syscall(SYS_gettid)), std::memory_order_relaxed);
  start_main(main);
  note(EventKind::thread_begin, 0, std::uint64_t{0});
}

}  // namespace raddle
