// The guards of function-local static variables, only to tell the event stream of the order that
// they make: the program's inlined fast path is an atomic load of the guard, and what it reads from
// is a store inside the C++ library, which has no hooks. Waiting is futex.cpp's business. In an
// exploration it is also a decision who gets there first.
#include "target/sched/scheduler.hpp"
#include "target/stream/recorded.hpp"
#include "target/stream/stream.hpp"

using namespace raddle;

namespace {

using Guard = unsigned char;  // its first byte says whether the variable is there

void note_guard(EventKind kind, MemoryOrder order, const void* guard, std::uint64_t read,
                std::uint64_t written, std::uint64_t site) {
  if (!recorded()) return;
  const auto address = reinterpret_cast<std::uint64_t>(guard);
  note_object(address, site);
  put_event(kind, std::uint8_t(order), code_site(site), address, read, sizeof(Guard), written);
}

}  // namespace

RADDLE_EXPORT int __cxa_guard_acquire(void* guard) {
  using Acquire = int (*)(void*);
  static Acquire real;
  if (__builtin_expect(real == nullptr, 0))
    real = reinterpret_cast<Acquire>(next_symbol("__cxa_guard_acquire"));
  if (controlled() && exploring()) {
    RuntimeScope scope;
    decide(OpKind::once, &object_at(ObjectClass::once, guard, RADDLE_SITE), RADDLE_SITE);
  }
  const int mine = real(guard);
  if (mine == 0)
    note_guard(EventKind::atomic_load, MemoryOrder::kAcquire, guard, 1, 0, RADDLE_SITE);
  return mine;
}

RADDLE_EXPORT void __cxa_guard_release(void* guard) {
  using Release = void (*)(void*);
  static Release real;
  if (__builtin_expect(real == nullptr, 0))
    real = reinterpret_cast<Release>(next_symbol("__cxa_guard_release"));
  // Before it: the real one may wake others, which is a decision.
  note_guard(EventKind::atomic_store, MemoryOrder::kRelease, guard, 0, 1, RADDLE_SITE);
  real(guard);
}
