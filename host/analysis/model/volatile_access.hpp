// A volatile access that the processor makes in one step: kernels and lock-free libraries that are
// older than C11 use it as a relaxed atomic operation. The detectors of races and locksets take it
// for one: a write gives on what an earlier fence saw, and no more, so `volatile` alone hands
// nothing over. A read takes what the write gave: it counts as consume, and consume as acquire
// (happens_before.hpp), because such code relies on the processor to keep a load behind the load of
// its address.
#pragma once

#include "host/analysis/model/execution_state.hpp"
#include "protocol/event.hpp"
#include "protocol/site.hpp"

namespace raddle {

inline bool is_volatile(const Event& event, const ExecutionState& state) {
  if (event.kind != EventKind::read && event.kind != EventKind::write) return false;
  return state.makes_volatile_access(event.site) && state.site(event.site).kind == event.kind;
}

// The atomic operation that a volatile access stands for.
inline Event as_relaxed(const Event& event) {
  Event atomic = event;
  const bool reads = event.kind == EventKind::read;
  atomic.kind = reads ? EventKind::atomic_load : EventKind::atomic_store;
  atomic.flags = static_cast<std::uint8_t>(reads ? MemoryOrder::kConsume : MemoryOrder::kRelaxed);
  return atomic;
}

}  // namespace raddle
