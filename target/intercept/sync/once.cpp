// pthread_once and C11's call_once. The flag in the program's memory is the truth: 2 means done, as
// in glibc, so that inlined checks and code that ran before control agree with ours.
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <unwind.h>

#include "target/code/own_code.hpp"
#include "target/sched/scheduler.hpp"
#include "target/stream/stream.hpp"

namespace {

void end_attempt(bool done);

}  // namespace

// Personality routine of call_initialiser: called when an exception or a cancellation unwinds
// through it. Written by hand because the compiler's would need the C++ library, or libgcc's own in
// a second copy that does not know the state of the program's unwinder.
extern "C" __attribute__((visibility("hidden"), used)) _Unwind_Reason_Code raddle_once_personality(
    int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*, _Unwind_Context*) {
  if ((actions & _UA_CLEANUP_PHASE) != 0) end_attempt(false);
  return _URC_CONTINUE_UNWIND;
}

namespace {

using namespace raddle;

__attribute__((noinline)) void call_initialiser(void (*initialiser)()) {
  asm volatile(".cfi_personality 0x1b, raddle_once_personality");
  initialiser();
  asm volatile("");  // not a tail call: this frame must be there
}

constexpr int kDone = 2;
constexpr int kRunning = 1;

bool may_proceed(Thread& t) {
  const Object& object = *reinterpret_cast<Object*>(t.wait_data);
  return object.owner == nullptr;
}

// An initialiser under way, innermost first per thread.
struct Attempt {
  int* flag;
  Object* object;
  std::uint64_t site;
  Attempt* outer;
};

// The initialiser came back, or (not `done`) threw or was cancelled: then the next caller tries
// again.
void end_attempt(bool done) {
  g_in_runtime = 1;
  auto* attempt = static_cast<Attempt*>(self().once_attempts);
  self().once_attempts = attempt->outer;
  // Where threads go by values, what ends the attempt is a step of its own.
  if (done && plan().by_values)
    decide(OpKind::atomic_store, attempt->object, attempt->site,
           touched_bytes(reinterpret_cast<std::uint64_t>(attempt->flag), sizeof(int), true));
  note(EventKind::signal, 0, attempt->flag);  // a failed attempt comes before the next one too
  __atomic_store_n(attempt->flag, done ? kDone : 0, __ATOMIC_RELEASE);
  attempt->object->owner = nullptr;
  refresh(*attempt->object);
  RuntimeScope::leave();
}

int once(int* flag, void (*initialiser)(), std::uint64_t site) {
  if (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == kDone && !exploring()) {
    note(EventKind::await, site, flag);
    return 0;
  }
  g_in_runtime = 1;
  // Where one process has many executions, what a library of the language initialises when it is
  // first used must not make one execution differ from the next: nothing in it is a step.
  if (g_in_process && is_runtime_library(site)) {
    int error = RADDLE_REAL(pthread_once)(flag, initialiser);
    RuntimeScope::leave();
    return error;
  }
  Object& object = object_at(ObjectClass::once, flag, site);
  wait({.op = OpKind::once,
        .object = &object,
        .ready = may_proceed,
        .data = reinterpret_cast<std::int64_t>(&object),
        .site = site,
        .extra = touched_bytes(reinterpret_cast<std::uint64_t>(flag), sizeof *flag, true)});
  note(EventKind::await, site, flag);
  if (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == kDone) {
    RuntimeScope::leave();
    return 0;
  }
  object.owner = &self();
  *flag = kRunning;
  refresh(object);
  Attempt attempt{flag, &object, site, static_cast<Attempt*>(self().once_attempts)};
  self().once_attempts = &attempt;
  RuntimeScope::leave();
  call_initialiser(initialiser);
  end_attempt(true);
  return 0;
}

}  // namespace

RADDLE_EXPORT int pthread_once(pthread_once_t* flag, void (*initialiser)()) {
  if (!controlled()) return RADDLE_REAL(pthread_once)(flag, initialiser);
  return once(flag, initialiser, RADDLE_SITE);
}

RADDLE_EXPORT int __pthread_once(pthread_once_t* flag, void (*initialiser)()) {
  if (!controlled()) return RADDLE_REAL(pthread_once)(flag, initialiser);
  return once(flag, initialiser, RADDLE_SITE);
}

RADDLE_EXPORT void call_once(once_flag* flag, void (*initialiser)()) {
  if (!controlled()) return RADDLE_REAL(call_once)(flag, initialiser);
  once(reinterpret_cast<int*>(flag), initialiser, RADDLE_SITE);
}
