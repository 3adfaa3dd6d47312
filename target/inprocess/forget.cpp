// One line per part of the runtime that keeps something about the execution under way. The arena is
// rewound last: what pointed into it is gone by then.
#include "target/intercept/forget.hpp"
#include "target/base/base.hpp"
#include "target/inprocess/inprocess.hpp"
#include "target/intercept/signals.hpp"
#include "target/outcome/heap_blocks.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/clock.hpp"
#include "target/sched/object.hpp"
#include "target/sched/outside.hpp"
#include "target/sched/scheduler.hpp"
#include "target/sched/threads.hpp"

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
