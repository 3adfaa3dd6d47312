// Kernel threads: every program thread is one, and waits on a futex of its own until it gets the
// token. Slower to switch, but a debugger shows ordinary threads and sanitizers need no help.
//
// A thread that has ended still runs glibc's own clean-up, which returns memory to the heap. The
// next thread starts only when the kernel has cleared the ended one's thread id, so that this
// happens at the same point of every execution. A new thread may have things to do before its entry
// (AddressSanitizer's are many): its creator goes on when it is there. What a thread does before
// and after its time is the libraries' own, and not scheduled.
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "target/base/counter_trap.hpp"
#include "target/carrier/carrier.hpp"
#include "target/carrier/crash_stack.hpp"
#include "target/carrier/glibc.hpp"
#include "target/carrier/signal_mask.hpp"
#include "target/carrier/stack_size.hpp"
#include "target/state/foreign_threads.hpp"

namespace raddle {
namespace {

void futex_wait(const void* word, std::uint32_t value, bool shared) {
  raw_syscall(SYS_futex, as_arg(word), shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, value, 0);
}

class KernelCarrier final : public Carrier {
 public:
  void adopt_main(Thread& main) override { main.kernel_tid = int(raw_syscall(SYS_gettid)); }

  int create(Thread& thread, const pthread_attr_t* attributes) override {
    // Always joinable for us: detaching is a matter of our own book-keeping, and a handle must not
    // be given to another thread before the program has let go of it.
    pthread_attr_t mine;
    if (int error = copy_attributes(mine, attributes)) return error;
    thread.crash_stack = make_crash_stack();
    block_all_signals();  // the new thread must not take any before it has the token
    expect_unscheduled(true);
    int error = RADDLE_REAL(pthread_create)(&thread.handle, &mine, entry, &thread);
    while (error == 0 && __atomic_load_n(&thread.arrived, __ATOMIC_ACQUIRE) == 0)
      futex_wait(&thread.arrived, 0, false);
    expect_unscheduled(false);
    restore_signals();
    pthread_attr_destroy(&mine);
    thread.thread_pointer = reinterpret_cast<void*>(thread.handle);
    // glibc puts struct pthread at the far end of the stack.
    thread.stack_size = stack_request(attributes).size;
    thread.stack_low = reinterpret_cast<std::uintptr_t>(thread.thread_pointer) - thread.stack_size;
    return error;
  }

  void switch_to(Thread& from, Thread& to) override {
    block_all_signals();  // a parked thread takes no signals: one thread runs at a time, handlers
                          // too
    give(to);
    park(from);
  }

  void leave_to(Thread& from, Thread& to) override {
    block_all_signals();
    // The main thread's kernel thread stays: it is the process.
    if (from.pending.thread != kMainThread) {
      ended_ = &from;
      expect_unscheduled(true);
    }
    give(to);
  }

  void release(Thread& thread) override {
    RADDLE_REAL(pthread_join)(thread.handle, nullptr);
    thread.handle = 0;
  }

 private:
  static int copy_attributes(pthread_attr_t& to, const pthread_attr_t* from) {
    pthread_attr_init(&to);
    if (from == nullptr) return 0;
    std::size_t size = 0;
    void* address = nullptr;
    std::size_t guard = 0;
    pthread_attr_getguardsize(from, &guard);
    pthread_attr_setguardsize(&to, guard);
    pthread_attr_getstack(from, &address, &size);
    if (address != nullptr && reinterpret_cast<std::uintptr_t>(address) + size > size) {
      return pthread_attr_setstack(&to, address, size);
    }
    pthread_attr_getstacksize(from, &size);
    return pthread_attr_setstacksize(&to, size);
  }

  static void* entry(void* argument) {
    auto& thread = *static_cast<Thread*>(argument);
    thread.kernel_tid = int(raw_syscall(SYS_gettid));
    install_crash_stack(thread.crash_stack);
    __atomic_store_n(&thread.arrived, 1, __ATOMIC_RELEASE);
    raw_syscall(SYS_futex, as_arg(&thread.arrived), FUTEX_WAKE_PRIVATE, 1);
    static_cast<KernelCarrier&>(kernel_carrier()).park(thread);
    renew_counter_trap();  // what came before was not scheduled
    thread_main(thread);
    return thread.result;
  }

  void give(Thread& to) {
    __atomic_store_n(&to.go, 1, __ATOMIC_RELEASE);
    raw_syscall(SYS_futex, as_arg(&to.go), FUTEX_WAKE_PRIVATE, 1);
  }

  void park(Thread& thread) {
    while (__atomic_load_n(&thread.go, __ATOMIC_ACQUIRE) == 0) futex_wait(&thread.go, 0, false);
    __atomic_store_n(&thread.go, 0, __ATOMIC_RELAXED);
    g_region->live.kernel_tid.store(thread.kernel_tid, std::memory_order_relaxed);
    wait_until_gone();
    follow_counter_trap();
    restore_signals();
  }

  // The kernel clears the thread id in struct pthread, and wakes its futex, when the thread is
  // gone.
  void wait_until_gone() {
    if (ended_ == nullptr) return;
    Thread& thread = *ended_;
    ended_ = nullptr;
    auto* tid = reinterpret_cast<std::uint32_t*>(static_cast<char*>(thread.thread_pointer) +
                                                 glibc_threads().tid_offset);
    while (std::uint32_t value = __atomic_load_n(tid, __ATOMIC_ACQUIRE))
      futex_wait(tid, value, true);
    expect_unscheduled(false);
    if (thread.detached) release(thread);
  }

  Thread* ended_ = nullptr;
};

constinit KernelCarrier g_kernel;

}  // namespace

Carrier& kernel_carrier() { return g_kernel; }

}  // namespace raddle
