#include "prevent/monitor/control.hpp"

#include <dlfcn.h>

#include "protocol/monitor_abi.h"

namespace raddle::monitor {
namespace {

struct Runtime {
  decltype(&raddle_monitor_execution) execution;
  decltype(&raddle_monitor_event) event;
  decltype(&raddle_monitor_changed) changed;
  decltype(&raddle_monitor_blocked) blocked;
  decltype(&raddle_monitor_when_stuck) when_stuck;
  decltype(&raddle_monitor_when_deadlocked) when_deadlocked;
  decltype(&raddle_monitor_helper) helper;
  decltype(&raddle_monitor_listen) listen;
  decltype(&raddle_monitor_met) met;
  decltype(&raddle_monitor_waits) waits;
};

template <class Function>
void find(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

Runtime g_runtime;

// When the program starts: a lookup later would be a step of one execution and not of the next.
__attribute__((constructor(101))) void find_runtime() {
  find(g_runtime.execution, "raddle_monitor_execution");
  find(g_runtime.event, "raddle_monitor_event");
  find(g_runtime.changed, "raddle_monitor_changed");
  find(g_runtime.blocked, "raddle_monitor_blocked");
  find(g_runtime.when_stuck, "raddle_monitor_when_stuck");
  find(g_runtime.when_deadlocked, "raddle_monitor_when_deadlocked");
  find(g_runtime.helper, "raddle_monitor_helper");
  find(g_runtime.listen, "raddle_monitor_listen");
  find(g_runtime.met, "raddle_monitor_met");
  find(g_runtime.waits, "raddle_monitor_waits");
}

}  // namespace

unsigned long execution_under_control() {
  return g_runtime.execution != nullptr ? g_runtime.execution() : 0;
}

void wait_under_control(int (*ready)(void* data), void* data, bool asks, const void* site) {
  g_runtime.event(ready, data, asks ? 1 : 0, reinterpret_cast<unsigned long>(site));
}

void changed_under_control() { g_runtime.changed(); }

bool blocked_under_control(const Thread& thread) { return g_runtime.blocked(thread.handle) != 0; }

void explain_under_control(const char* (*stuck)(const char** file, unsigned* line)) {
  g_runtime.when_stuck(stuck);
}

void name_waits_under_control(const char* (*wait)(unsigned long pthread)) {
  if (g_runtime.when_deadlocked != nullptr) g_runtime.when_deadlocked(wait);
}

void listen_to_waits(bool begin) {
  if (g_runtime.listen != nullptr) g_runtime.listen(begin ? 1 : 0);
}

void met_natively(const Thread& self) {
  if (g_runtime.met != nullptr) g_runtime.met(self.handle);
}

bool sees_waits() { return g_runtime.waits != nullptr; }

bool waits_natively(const Thread& thread) {
  return g_runtime.waits != nullptr && g_runtime.waits(thread.handle) != 0;
}

void keep_out_of_executions() {
  if (g_runtime.helper != nullptr) g_runtime.helper();
}

}  // namespace raddle::monitor
