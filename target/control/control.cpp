#include "target/control/control.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <string_view>

#include "protocol/launchers.hpp"
#include "target/carrier/glibc.hpp"
#include "target/code/instrumentation.hpp"
#include "target/code/own_code.hpp"
#include "target/connection/control_pipe.hpp"
#include "target/control/counter.hpp"
#include "target/heap/guarded_heap.hpp"
#include "target/instrumented/hooks.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/scheduler.hpp"
#include "target/signals/signal_actions.hpp"
#include "target/signals/signals.hpp"
#include "target/snapshot/snapshot.hpp"
#include "target/stream/stream.hpp"

namespace raddle {
namespace {

bool g_asked;  // by the host, through the environment
bool g_taken;
long g_launcher;  // process id, if it is one

bool is_launcher_image() {
  char path[4096];
  const long length =
      raw_syscall(SYS_readlinkat, AT_FDCWD, as_arg("/proc/self/exe"), as_arg(path), sizeof(path));
  if (length <= 0) return false;
  long begin = length;
  while (begin > 0 && path[begin - 1] != '/') --begin;
  return is_launcher({path + begin, std::size_t(length - begin)});
}

// What the program allocates before it is under control is judged, too.
void prepare_heap() {
  learn_code_ranges();
  if (find_hooks() && g_hooks_state != nullptr) g_heap_early = g_guarded_heap.map();
}

__attribute__((constructor)) void initialise() {
  look_up_often_used();  // first: looking up a name may itself call free()
  g_region = connect_to_host();
  g_asked = g_region != nullptr;
  if (!g_asked) return;
  if (!is_launcher_image()) {
    prepare_heap();
    learn_counter_reads();
    trap_counter_early();
    return;
  }
  g_asked = false;
  g_launcher = raw_syscall(SYS_getpid);
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
  untrap_counter();
  learn_code_ranges();
  install_crash_handlers();
  install_sample_handler();
  adopt_actions();
  learn_counter_reads();
  g_region->instrumented = find_hooks() ? 1 : 0;
  if (g_hooks_state != nullptr) g_guarded_heap.map();
  g_heap_early = false;
  serve_executions(*g_region);
  trap_counter();
  take_snapshot(*g_region);
  start_scheduler(*g_region);
  start_hooks(g_stream, *g_region);
}

bool passes_control() { return g_launcher != 0 && raw_syscall(SYS_getpid) == g_launcher; }

void lose_control() {
  g_active = false;
  g_in_runtime = 0;
  stop_stream();
  stop_hooks();
  untrap_counter();
  forget_signals();
}

}  // namespace raddle
