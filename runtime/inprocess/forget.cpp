// One line per part of the runtime that keeps something about the execution under way. The arena is
// rewound last: what pointed into it is gone by then.
#include "runtime/intercept/forget.hpp"
#include "runtime/base.hpp"
#include "runtime/inprocess/inprocess.hpp"
#include "runtime/intercept/signals.hpp"
#include "runtime/outcome/heap_blocks.hpp"
#include "runtime/outcome/outcome.hpp"
#include "runtime/sched/clock.hpp"
#include "runtime/sched/object.hpp"
#include "runtime/sched/outside.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/threads.hpp"

namespace raddle {

void forget_execution() {
  forget_schedule();
  forget_threads();
  forget_objects();
  forget_time();
  forget_outside();
  forget_clock_looks();
  forget_signals_of_execution();
  forget_rwlocks();
  forget_random();
  forget_descriptors();
  forget_thread_attributes();
  forget_heap();
  forget_exit();
  forget_samples();
  forget_crash();
  forget_report();
  rewind_arena();
}

}  // namespace raddle
