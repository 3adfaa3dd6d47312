#include "target/sched/deadlock.hpp"

#include "target/outcome/outcome.hpp"
#include "target/state/execution.hpp"
#include "target/state/threads.hpp"

namespace raddle {
namespace {

bool is_lock_wait(const Thread& t) {
  if (t.enabled_index >= 0 || t.finished || t.waits_for == nullptr || t.deadline != kNoDeadline)
    return false;
  switch (t.waits_for->cls) {
    case ObjectClass::mutex:
    case ObjectClass::rwlock:
    case ObjectClass::spinlock:
    case ObjectClass::once:
      return true;
    case ObjectClass::thread:  // a join can be cancelled
    case ObjectClass::none:
    case ObjectClass::cond:
    case ObjectClass::semaphore:
    case ObjectClass::barrier:
    case ObjectClass::futex:
    case ObjectClass::descriptor:
    case ObjectClass::memory:
    case ObjectClass::events:
      return false;
  }
  return false;
}

// Follows the waits from `start`; the cycle it runs into, if any, goes to the report.
bool find_cycle(Thread& start, Report& report) {
  Thread* slow = &start;
  Thread* fast = &start;
  do {
    slow = waits_for_thread(*slow);
    fast = waits_for_thread(*fast);
    if (fast != nullptr) fast = waits_for_thread(*fast);
    if (fast == nullptr) return false;
  } while (slow != fast);
  Thread* t = slow;
  std::uint16_t length = 0;
  do {
    if (length < sizeof(report.cycle) / sizeof(report.cycle[0]))
      report.cycle[length++] = t->pending.thread;
    t = waits_for_thread(*t);
  } while (t != slow);
  report.cycle_length = length;
  return true;
}

}  // namespace

Thread* waits_for_thread(const Thread& t) {
  if (t.enabled_index >= 0 || t.finished || t.waits_for == nullptr) return nullptr;
  const Object& object = *t.waits_for;
  if (object.owner != nullptr) return object.owner;
  // A writer that waits for readers: any of them blocks it; one shows the cycle.
  for (Hold* hold = object.holds; hold != nullptr; hold = hold->next) {
    if (hold->thread != &t || object.holds->next == nullptr) return hold->thread;
  }
  return nullptr;
}

void end_if_cycle(Thread& thread) {
  Thread* t = &thread;
  for (std::uint32_t hops = 0; hops <= thread_count(); ++hops) {
    if (!is_lock_wait(*t)) return;
    // Several readers, or readers and no owner: more than one thread could resolve it.
    if (t->waits_for->owner == nullptr &&
        (t->waits_for->holds == nullptr || t->waits_for->holds->next != nullptr)) {
      return;
    }
    t = waits_for_thread(*t);
    if (t == nullptr) return;
    if (t == &thread) end_in_deadlock();
  }
}

void end_in_deadlock(const char* waits) {
  Report& report = g_region->report;
  report.cycle_length = 0;
  for (std::uint32_t i = 0; i < thread_count(); ++i) {
    Thread& thread = thread_by_id(ThreadId{std::uint16_t(i)});
    if (!thread.finished && find_cycle(thread, report)) break;
  }
  Thread& who = report.cycle_length > 0 ? thread_by_id(report.cycle[0]) : self();
  end_with(OutcomeKind::kDeadlock, who, waits);
}

}  // namespace raddle
