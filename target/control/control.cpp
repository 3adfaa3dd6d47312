#include "target/control/control.hpp"

#include <malloc.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "target/carrier/glibc.hpp"
#include "target/code/instrumentation.hpp"
#include "target/code/own_code.hpp"
#include "target/connection/control_pipe.hpp"
#include "target/instrumented/hooks.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/scheduler.hpp"
#include "target/signals/signal_actions.hpp"
#include "target/signals/signals.hpp"
#include "target/stream/stream.hpp"

namespace raddle {
namespace {

bool g_asked;  // by the host, through the environment
bool g_taken;

__attribute__((constructor)) void initialise() {
  look_up_often_used();  // first: looking up a name may itself call free()
  g_region = connect_to_host();
  g_asked = g_region != nullptr;
}

}  // namespace

void take_control() {
  if (!g_asked || g_taken) return;
  g_taken = true;
  if (missing_in_glibc() != nullptr)
    fatal("this glibc lacks what fibers need; `raddle doctor` says more");
  // One heap for all threads: fewer arenas to make in each execution, and the same addresses on
  // both carriers.
  mallopt(M_ARENA_MAX, 1);
  // All that is the same for every execution comes before the fork.
  learn_code_ranges();
  install_crash_handlers();
  install_sample_handler();
  adopt_actions();
  g_region->instrumented = find_hooks() ? 1 : 0;
  serve_executions(*g_region);
  start_scheduler(*g_region);
  start_hooks(g_stream, *g_region);
}

void lose_control() {
  g_active = false;
  g_in_runtime = 0;
  stop_stream();
  stop_hooks();
  forget_signals();
}

}  // namespace raddle
