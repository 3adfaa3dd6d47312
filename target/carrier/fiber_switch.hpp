// The switch between two fibers, inline: every return of a function that was entered on the other
// fiber is mispredicted by the processor, so each call level costs more than the switch's own
// instructions.
#pragma once

#include <asm/prctl.h>
#include <sys/syscall.h>

#include <boost/context/detail/fcontext.hpp>

#include "target/base/base.hpp"
#include "target/state/thread.hpp"

namespace raddle {

extern bool g_have_wrfsbase;
extern Thread* g_ended_fiber;  // a detached one, whose stack is to be released
void release_ended_fiber();

inline void set_thread_pointer(void* pointer) {
  if (__builtin_expect(g_have_wrfsbase, 1)) {
    asm volatile("wrfsbase %0" : : "r"(pointer) : "memory");
  } else {
    raw_syscall(SYS_arch_prctl, ARCH_SET_FS, as_arg(pointer));
  }
}

inline void switch_fiber(Thread& from, Thread& to) {
  set_thread_pointer(to.thread_pointer);
  auto transfer = boost::context::detail::jump_fcontext(to.context, &from);
  static_cast<Thread*>(transfer.data)->context = transfer.fctx;
  if (__builtin_expect(g_ended_fiber != nullptr, 0)) release_ended_fiber();
}

}  // namespace raddle
