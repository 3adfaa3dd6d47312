// flockfile and kin: recursive locks of streams. Only who uses these sees them; a stream's lock
// inside one call of libc is never held across a decision.
#include <stdio.h>

#include "target/sched/scheduler.hpp"

namespace {

using namespace raddle;

bool is_free(Thread& t) { return t.waits_for == nullptr || t.waits_for->owner == nullptr; }

void take(Object& object) {
  object.owner = &self();
  object.depth = 1;
  refresh(object);
}

}  // namespace

RADDLE_EXPORT void flockfile(FILE* stream) noexcept {
  if (!controlled()) return RADDLE_REAL(flockfile)(stream);
  RuntimeScope scope;
  Object& object = object_at(ObjectClass::mutex, stream, RADDLE_SITE);
  if (object.owner == &self()) {
    ++object.depth;
    return;
  }
  wait({.op = OpKind::mutex_lock, .object = &object, .ready = is_free, .site = RADDLE_SITE});
  take(object);
}

RADDLE_EXPORT int ftrylockfile(FILE* stream) noexcept {
  if (!controlled()) return RADDLE_REAL(ftrylockfile)(stream);
  RuntimeScope scope;
  Object& object = object_at(ObjectClass::mutex, stream, RADDLE_SITE);
  decide(OpKind::mutex_trylock, &object, RADDLE_SITE);
  if (object.owner == &self()) {
    ++object.depth;
    return 0;
  }
  if (object.owner != nullptr) return 1;
  take(object);
  return 0;
}

RADDLE_EXPORT void funlockfile(FILE* stream) noexcept {
  if (!controlled()) return RADDLE_REAL(funlockfile)(stream);
  RuntimeScope scope;
  Object& object = object_at(ObjectClass::mutex, stream, RADDLE_SITE);
  if (object.owner != &self() || --object.depth > 0) return;
  ++object.depth;
  decide(OpKind::mutex_unlock, &object, RADDLE_SITE);
  object.depth = 0;
  object.owner = nullptr;
  refresh(object);
}
