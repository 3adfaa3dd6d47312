// Barriers. The model is in the Object: `value` threads have arrived in this round, `value2` rounds
// are over, `depth` threads are still inside the call, `flags` is how many a round waits for. A
// wait is two steps for all but the last to arrive.
#include <errno.h>
#include <pthread.h>

#include "protocol/semaphore_flags.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/scheduler.hpp"
#include "target/state/barrier_memory.hpp"
#include "target/stream/stream.hpp"

namespace {

using namespace raddle;

Object& model_of(Thread& t) { return *reinterpret_cast<Object*>(t.wait_data); }
bool round_is_over(Thread& t) { return model_of(t).value2 != t.wait_data2; }
bool everybody_left(Thread& t) { return model_of(t).depth == 0; }

int arrive(pthread_barrier_t* barrier, std::uint64_t site) {
  Object& object = object_at(ObjectClass::barrier, barrier, site);
  decide(OpKind::barrier_wait, &object, site);
  note(EventKind::signal, site, barrier, barrier_count(barrier), kBarrierCount);
  std::int64_t round = object.value2;
  ++object.depth;
  object.flags = barrier_count(barrier);
  bool last = ++object.value >= std::int64_t(object.flags);
  if (last) {
    object.value = 0;
    ++object.value2;
    refresh(object);
  } else {
    wait({.op = OpKind::barrier_wait,
          .object = &object,
          .ready = round_is_over,
          .data = reinterpret_cast<std::int64_t>(&object),
          .data2 = round,
          .site = site,
          .extra = kPassesBarrier});
  }
  note(EventKind::await, site, barrier, 0, kBarrierCount);
  // Somebody may be waiting to destroy it. It is 0 already if its memory was freed under our feet.
  if (object.depth > 0 && --object.depth == 0) refresh(object);
  return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

}  // namespace

RADDLE_EXPORT int pthread_barrier_init(pthread_barrier_t* __restrict barrier,
                                       const pthread_barrierattr_t* __restrict attributes,
                                       unsigned count) noexcept {
  if (!controlled()) return RADDLE_REAL(pthread_barrier_init)(barrier, attributes, count);
  RuntimeScope scope;
  Object* object = decide_lifetime(OpKind::init, ObjectClass::barrier, barrier, RADDLE_SITE);
  int error = RADDLE_REAL(pthread_barrier_init)(barrier, attributes, count);
  if (error == 0 && object != nullptr) forget_object(*object);
  return error;
}

RADDLE_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  if (!controlled()) return RADDLE_REAL(pthread_barrier_wait)(barrier);
  RuntimeScope scope;
  return arrive(barrier, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  if (!controlled()) return RADDLE_REAL(pthread_barrier_destroy)(barrier);
  RuntimeScope scope;
  Object* object = decide_lifetime(OpKind::destroy, ObjectClass::barrier, barrier, RADDLE_SITE);
  if (object == nullptr) return 0;
  if (object->value > 0) {
    report_misuse(OpKind::destroy, *object, RADDLE_SITE,
                  "destroys a barrier that a thread waits at");
  }
  // As glibc: the call returns when everybody has left.
  if (object->depth > 0) {
    wait({.op = OpKind::barrier_wait,
          .object = object,
          .ready = everybody_left,
          .data = reinterpret_cast<std::int64_t>(object),
          .site = RADDLE_SITE,
          .extra = kDestroysBarrier});
  }
  forget_object(*object);
  note(EventKind::destroy, RADDLE_SITE, barrier);
  return 0;
}
