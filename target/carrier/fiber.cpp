// Fibers: every program thread is a stack and a TLS block of its own, all on the main kernel
// thread.
//
// A fiber is a complete thread to glibc: its TLS block lies at the top of its stack exactly as
// glibc's pthread_create lays it out, made by the loader's own _dl_allocate_tls, with a struct
// pthread in it. So pthread_self, errno, thread_local, pthread_getspecific, pthread_exit and its
// unwinding work unchanged. Switching is: set the FS base to the other block, then swap stacks
// (fiber_switch.hpp). No code between the two may touch TLS; libraddle.so has no stack protector
// and no thread_local for that reason.
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "target/carrier/carrier.hpp"
#include "target/carrier/fiber_stacks.hpp"
#include "target/carrier/fiber_switch.hpp"
#include "target/carrier/fresh_tls.hpp"
#include "target/carrier/glibc.hpp"
#include "target/carrier/stack_size.hpp"
#include "target/state/execution.hpp"
#include "target/state/quiet_heap.hpp"

namespace raddle {
namespace {

constexpr unsigned long kHwcap2Fsgsbase = 2;  // the kernel allows wrfsbase in user code
constexpr std::size_t kPage = 4096;
constexpr std::size_t kReserve =
    16 * 1024;  // the runtime's own frames, beyond what the program asked for

// Runs on the new fiber's stack. Nothing comes after the call, here and on the whole way to
// leave_to(), so that each becomes a jump: a call that never returns would leave its entry in the
// processor's stack of return addresses, and the threads that go on would return to wrong
// predictions.
void fiber_entry() { thread_main(*g_current); }

// The stack of a fiber that was never switched to: entered as if by a call from nowhere, with the
// floating-point control of its creator.
void* new_context(std::uintptr_t stack_top) {
  auto* return_address = reinterpret_cast<void**>(stack_top) - 1;
  *return_address = nullptr;
  auto* frame = reinterpret_cast<ParkedFrame*>(return_address) - 1;
  frame->frame_pointer = nullptr;
  frame->resume = fiber_entry;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(frame->vector_control), "=m"(frame->x87_control));
  return frame;
}

class FiberCarrier final : public Carrier {
 public:
  void adopt_main(Thread&) override {
    g_have_wrfsbase = (getauxval(AT_HWCAP2) & kHwcap2Fsgsbase) != 0;
  }

  int create(Thread& thread, const pthread_attr_t* attributes) override {
    const GlibcThreads& glibc = glibc_threads();
    StackRequest request = stack_request(attributes);
    char* memory = static_cast<char*>(request.given);
    std::size_t size = request.size;
    bool has_tls = false;
    if (memory == nullptr) {
      size = (request.size + request.guard + kReserve + kPage - 1) & ~(kPage - 1);
      memory = stacks_.take(size, request.guard, has_tls);
      if (memory == nullptr) return EAGAIN;
      thread.stack_memory = memory;
      thread.stack_memory_size = size;
    }
    auto top = reinterpret_cast<std::uintptr_t>(memory) + size;
    auto block = (top - glibc.thread_size) & ~(glibc.tls_align - 1);
    void* pointer = reinterpret_cast<void*>(block);
    if (has_tls) {
      renew_thread_block(pointer);
    } else {
      memset(pointer, 0, glibc.thread_size);
      if (glibc.allocate_tls(pointer) == nullptr) return EAGAIN;
    }
    initialise_thread_block(pointer);
    thread.thread_pointer = pointer;
    thread.handle = reinterpret_cast<pthread_t>(pointer);
    thread.stack_low =
        reinterpret_cast<std::uintptr_t>(memory) + (request.given != nullptr ? 0 : request.guard);
    thread.stack_size = top - thread.stack_low;
    thread.guard_size = request.given != nullptr ? 0 : request.guard;
    std::uintptr_t stack_top = (block - glibc.tls_size) & ~std::uintptr_t{63};
    thread.context = new_context(stack_top);
    return 0;
  }

  void switch_to(Thread& from, Thread& to) override { switch_fiber(from, to); }

  void leave_to(Thread& from, Thread& to) override {
    if (from.detached) g_ended_fiber = &from;
    switch_fiber(from, to);
    fatal("internal error: a thread that has ended goes on");
  }

  void release(Thread& thread) override {
    // In one process with many executions a thread's block stays with its stack. An execution of
    // its own leaves blocks to the allocator, so that the heap is the same on both carriers.
    auto* memory = static_cast<char*>(thread.stack_memory);
    FiberStacks::Stack* stack = memory != nullptr ? stacks_.kept(memory) : nullptr;
    const bool keep = g_in_process && stack != nullptr;
    if (keep) {
      empty_thread_block(thread.thread_pointer);
    } else {
      glibc_threads().deallocate_tls(thread.thread_pointer, false);
    }
    if (memory != nullptr) stacks_.give_back(stack, memory, thread.stack_memory_size, keep);
    thread.stack_memory = nullptr;
    thread.handle = 0;
  }

 private:
  FiberStacks stacks_;
};

constinit FiberCarrier g_fibers;

}  // namespace

bool g_have_wrfsbase;
Thread* g_ended_fiber;

Carrier& fiber_carrier() { return g_fibers; }

// A detached thread cannot release the stack it ran on; whoever runs next does.
void release_ended_fiber() {
  Thread& thread = *g_ended_fiber;
  g_ended_fiber = nullptr;
  QuietHeap quiet;  // as for a thread that is joined, and as with kernel threads
  g_fibers.release(thread);
}

}  // namespace raddle
