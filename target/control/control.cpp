#include "target/control/control.hpp"

#include <malloc.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "target/base/own_code.hpp"
#include "target/carrier/glibc.hpp"
#include "target/control/control_pipe.hpp"
#include "target/intercept/cancel.hpp"
#include "target/intercept/process.hpp"
#include "target/intercept/signal_actions.hpp"
#include "target/intercept/signals.hpp"
#include "target/intercept/thread.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/scheduler.hpp"
#include "target/stream/instrumented.hpp"
#include "target/stream/stream.hpp"

namespace raddle {
namespace {

bool g_asked;  // by the host, through the environment
bool g_taken;

using Main = int (*)(int, char**, char**);
Main g_main;

struct MainCall {
  int argc;
  char** argv;
  char** envp;
  int status;
  bool returned;
};

void* call_main(void* data) {
  auto& call = *static_cast<MainCall*>(data);
  call.status = g_main(call.argc, call.argv, call.envp);
  call.returned = true;
  return nullptr;
}

int controlled_main(int argc, char** argv, char** envp) {
  take_control();
  if (!g_active) return g_main(argc, argv, envp);
  Thread& main = self();
  MainCall call{argc, argv, envp, 0, false};
  run_thread_body(main, call_main, &call);
  // In a forked child this is the copy of that thread, and no longer controlled.
  if (call.returned || !g_active) {
    process_exits(call.status);
    return call.status;
  }
  end_thread(main);
  // Kernel carrier: the main thread has ended, but its kernel thread is the process.
  for (;;) raw_syscall(SYS_pause);
}

__attribute__((constructor)) void initialise() {
  look_up_often_used();  // first: looking up a name may itself call free()
  g_asked = connect_to_host();
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
  serve_executions();
  start_scheduler(*g_region);
}

void lose_control() {
  g_active = false;
  g_in_runtime = 0;
  stop_stream();
  forget_signals();
}

}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT int __libc_start_main(Main main, int argc, char** argv, void (*init)(),
                                    void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  auto real = reinterpret_cast<Start>(next_symbol("__libc_start_main"));
  g_main = main;
  return real(controlled_main, argc, argv, init, fini, rtld_fini, stack_end);
}
