// Events of monitors that are linked into the program (prevent/). A thread that a monitor holds is
// not enabled, so a schedule of a unit test is a constraint: only executions that it allows are
// run. Without control the runtime tells monitors what it knows of waits. For the detectors each
// event comes after those before it, as it does natively, where the monitors have a lock.
#include <string.h>

#include <charconv>

#include "protocol/monitor_abi.h"
#include "target/base/forgetting.hpp"
#include "target/intercept/sync/native_waits.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/deadlock.hpp"
#include "target/sched/scheduler.hpp"
#include "target/stream/stream.hpp"

namespace {

using namespace raddle;

// All events act on one object: their order is what monitors look at.
const char g_address = 0;
unsigned long g_executions;
RADDLE_FORGOTTEN bool g_counted;
RADDLE_FORGOTTEN std::uint32_t g_asking;
RADDLE_FORGOTTEN RaddleMonitorStuck g_stuck;
RADDLE_FORGOTTEN RaddleMonitorWait g_wait;

Object& events() { return object_at(ObjectClass::events, &g_address, 0); }

bool may_pass(Thread& t) {
  const auto ready = reinterpret_cast<int (*)(void*)>(t.wait_data);
  return ready(reinterpret_cast<void*>(t.wait_data2)) != 0;
}

bool at_event(const Thread& t) { return !t.finished && t.pending.op == OpKind::monitor_event; }

bool is_lock(const Object& object) {
  return object.cls == ObjectClass::mutex || object.cls == ObjectClass::rwlock ||
         object.cls == ObjectClass::spinlock || object.cls == ObjectClass::once;
}

// The adversarial clock lets a time-out come at once; the thread waits all the same.
bool waits(const Thread& t) {
  return t.enabled_index < 0 ||
         (t.pending.outcome == StepOutcome::kTimeout && t.deadline != kNoDeadline && !t.timed_out);
}

bool is_blocked(const Thread& start) {
  const Thread* t = &start;
  for (std::uint32_t hops = 0; hops <= thread_count(); ++hops) {
    if (t->finished || !waits(*t) || t->pending.op == OpKind::sleep || at_event(*t)) return false;
    if (t->waits_for == nullptr || !is_lock(*t->waits_for)) return true;
    const Thread* owner = waits_for_thread(*t);
    if (owner == nullptr || at_event(*owner)) return true;
    t = owner;
  }
  return true;  // a cycle of locks
}

// What the threads at events wait for, in lines. Those that find no room are left out.
bool write_waits(char* text, std::size_t size) {
  std::size_t used = 0;
  text[0] = 0;
  bool any = false;
  for (std::uint32_t i = 0; i < thread_count(); ++i) {
    const Thread& thread = thread_by_id(ThreadId{std::uint16_t(i)});
    if (!at_event(thread)) continue;
    any = true;
    const char* wait = g_wait(thread.handle);
    char number[16];
    const auto digits = std::size_t(std::to_chars(number, number + sizeof(number), i).ptr - number);
    const std::size_t length = wait != nullptr ? strlen(wait) : 0;
    if (length == 0 || used + digits + length + 3 > size) continue;
    memcpy(text + used, number, digits);
    used += digits;
    text[used++] = ' ';
    memcpy(text + used, wait, length);
    used += length;
    text[used++] = '\n';
    text[used] = 0;
  }
  return any;
}

void end_if_held() {
  if (g_stuck == nullptr && g_wait != nullptr) {
    char waits[sizeof(Report::message)];
    if (write_waits(waits, sizeof(waits))) end_in_deadlock(waits);
  }
  if (g_stuck == nullptr) return;
  for (std::uint32_t i = 0; i < thread_count(); ++i) {
    Thread& thread = thread_by_id(ThreadId{std::uint16_t(i)});
    if (!at_event(thread)) continue;
    const char* file = "";
    unsigned line = 0;
    const char* text = g_stuck(&file, &line);
    Report& report = g_region->report;
    copy_text(report.file, sizeof(report.file), file);
    report.function[0] = 0;
    report.line = line;
    end_with(OutcomeKind::kAssertion, thread, text);
  }
}

}  // namespace

RADDLE_EXPORT unsigned long raddle_monitor_execution(void) {
  if (!controlled()) return 0;
  if (!g_counted) ++g_executions;
  g_counted = true;
  return g_executions;
}

RADDLE_EXPORT void raddle_monitor_event(int (*ready)(void*), void* data, int asks,
                                        unsigned long site) {
  RuntimeScope scope;
  Object& object = events();
  if (asks != 0 && g_asking++ == 0) evaluate_always(&object);
  wait({.op = OpKind::monitor_event,
        .object = &object,
        .ready = may_pass,
        .data = reinterpret_cast<std::int64_t>(ready),
        .data2 = reinterpret_cast<std::int64_t>(data),
        .site = site,
        .extra = asks != 0 ? kAsksAll : 0});
  if (asks != 0 && --g_asking == 0) evaluate_always(nullptr);
  note(EventKind::await, site, &g_address);
}

RADDLE_EXPORT void raddle_monitor_changed(void) {
  RuntimeScope scope;
  refresh(events());
  note(EventKind::signal, RADDLE_SITE, &g_address);
}

RADDLE_EXPORT int raddle_monitor_blocked(unsigned long handle) {
  const Thread* thread = find_thread(handle);
  return thread != nullptr && is_blocked(*thread) ? 1 : 0;
}

RADDLE_EXPORT void raddle_monitor_when_stuck(RaddleMonitorStuck stuck) {
  g_stuck = stuck;
  g_before_deadlock = end_if_held;
}

RADDLE_EXPORT void raddle_monitor_when_deadlocked(RaddleMonitorWait wait) {
  g_wait = wait;
  g_before_deadlock = end_if_held;
}

RADDLE_EXPORT void raddle_monitor_listen(int begin) { listen_to_native_waits(begin != 0); }

RADDLE_EXPORT void raddle_monitor_met(unsigned long handle) {
  forget_native_wait(reinterpret_cast<const void*>(handle));
}

RADDLE_EXPORT int raddle_monitor_waits(unsigned long handle) {
  return waits_natively(reinterpret_cast<const void*>(handle)) ? 1 : 0;
}

RADDLE_EXPORT void raddle_monitor_helper(void) { set_monitors_thread(thread_pointer()); }
