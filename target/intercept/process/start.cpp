// __libc_start_main: the program's main() runs as the main thread of an execution.
#include <stdlib.h>
#include <sys/syscall.h>

#include "target/control/control.hpp"
#include "target/intercept/cancel/cancel.hpp"
#include "target/intercept/process/process.hpp"
#include "target/intercept/threads/thread.hpp"

namespace {

using namespace raddle;

using Main = int (*)(int, char**, char**);
Main g_main;
void (*g_last_handler)();  // the loader's: destructors of libraries

// glibc registers this before anything else can be registered, so it runs last.
void run_last_handler() {
  if (g_last_handler != nullptr) g_last_handler();
  process_ends();
}

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

// What main() finds in variables that it has not initialised is what ran before it left on the
// stack: the loader, and the runtime, whose part depends on the plan. It must not decide anything,
// so main() finds zeroes. Only what is not zero is written, or every execution would have these
// pages of its own.
[[gnu::noinline]] void clear_stack(std::size_t bytes) {
  auto* words = static_cast<volatile std::uint64_t*>(__builtin_alloca(bytes));
  for (std::size_t i = 0; i < bytes / sizeof(*words); ++i)
    if (words[i] != 0) words[i] = 0;
}

int controlled_main(int argc, char** argv, char** envp) {
  constexpr std::size_t kByLoader = 64 << 10, kByRuntime = 8 << 10;  // several times what they use
  clear_stack(kByLoader);  // for all executions that start from here
  take_control();
  if (!g_active) return g_main(argc, argv, envp);
  clear_stack(kByRuntime);
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

}  // namespace

RADDLE_EXPORT int __libc_start_main(Main main, int argc, char** argv, void (*init)(),
                                    void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  auto real = reinterpret_cast<Start>(next_symbol("__libc_start_main"));
  g_main = main;
  g_last_handler = rtld_fini;
  at_quick_exit(process_ends);
  return real(controlled_main, argc, argv, init, fini, run_last_handler, stack_end);
}
