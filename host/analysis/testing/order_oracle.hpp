// Test helper: happens-before by its definition, as the transitive closure of an explicit set of
// edges over all pairs of events. For small executions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/event.hpp"

namespace raddle {

inline bool acquiring(const Event& e) {
  const MemoryOrder o = order_of(e);
  return o != MemoryOrder::kRelaxed && o != MemoryOrder::kRelease;
}
inline bool releasing(const Event& e) {
  const MemoryOrder o = order_of(e);
  return o == MemoryOrder::kRelease || o == MemoryOrder::kAcqRel || o == MemoryOrder::kSeqCst ||
         o == MemoryOrder::kBarrier;
}
inline bool fences(const Event& e) {
  return e.kind == EventKind::fence || (is_atomic(e.kind) && order_of(e) == MemoryOrder::kBarrier);
}
inline bool atomic_access(const Event& e) {
  return is_atomic(e.kind) && e.kind != EventKind::fence;
}
inline bool atomic_stores(const Event& e) {
  return e.kind == EventKind::atomic_store || e.kind == EventKind::atomic_update ||
         (e.kind == EventKind::atomic_compare && (e.flags & kSuccess) != 0);
}
inline bool atomic_loads(const Event& e) {
  return atomic_access(e) && e.kind != EventKind::atomic_store;
}
inline bool is_rmw(const Event& e) { return atomic_stores(e) && atomic_loads(e); }

class OrderOracle {
 public:
  // Without locks: what holds whoever gets a lock first.
  explicit OrderOracle(const std::vector<Event>& events, bool locks = true, bool atomics = true)
      : events_(events), locks_(locks), atomics_(atomics), n_(events.size()) {
    order_.assign(n_, std::vector<bool>(n_, false));
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t i = 0; i < j; ++i) order_[i][j] = edge(i, j);
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < n_ && order_[i][k]; ++j)
          if (order_[k][j]) order_[i][j] = true;
  }

  bool before(std::size_t i, std::size_t j) const { return order_[i][j]; }

 private:
  std::size_t memory_renewed(std::uint64_t address, std::size_t before) const {
    std::size_t last = 0;
    for (std::size_t i = 0; i < before; ++i) {
      const Event& e = events_[i];
      if ((e.kind == EventKind::allocate || e.kind == EventKind::free) && address >= e.object &&
          address < e.object + e.value)
        last = i;
    }
    return last;
  }

  // The store from which an atomic load at j reads a byte.
  std::ptrdiff_t reads_from(std::size_t j, std::uint64_t byte) const {
    const auto renewed = static_cast<std::ptrdiff_t>(memory_renewed(byte, j));
    for (auto i = static_cast<std::ptrdiff_t>(j) - 1; i >= renewed; --i) {
      const Event& store = events_[std::size_t(i)];
      if (atomic_stores(store) && byte >= store.object && byte - store.object < store.size)
        return i;
    }
    return -1;
  }

  // Back through the release sequence of a byte, from the store that a load of it reads.
  bool gives(std::size_t i, std::size_t load, std::uint64_t byte) const {
    const Event& a = events_[i];
    for (std::ptrdiff_t head = reads_from(load, byte); head >= 0;) {
      const std::size_t store = static_cast<std::size_t>(head);
      if (store == i && releasing(a)) return true;
      if (fences(a) && releasing(a) && i < store && events_[store].thread == a.thread) return true;
      if (!is_rmw(events_[store])) return false;
      head = reads_from(store, byte);
    }
    return false;
  }

  // i releases and j acquires something that carries the one to the other, possibly by fences.
  bool synchronizes(std::size_t i, std::size_t j) const {
    const Event& b = events_[j];
    // The loads through which j acquires: itself, or earlier ones of its thread before a fence.
    for (std::size_t load = 0; load <= j; ++load) {
      if (!atomic_loads(events_[load])) continue;
      const bool direct = load == j && acquiring(b);
      const bool fenced = load < j && fences(b) && acquiring(b) && events_[load].thread == b.thread;
      if (!direct && !fenced) continue;
      for (std::uint64_t byte = 0; byte < events_[load].size; ++byte)
        if (gives(i, load, events_[load].object + byte)) return true;
    }
    return false;
  }

  bool outermost(std::size_t i) const {
    return events_[i].kind == EventKind::acquire ? events_[i].value == 1 : events_[i].value == 0;
  }

  bool edge(std::size_t i, std::size_t j) const {
    const Event &a = events_[i], &b = events_[j];
    if (a.thread == b.thread) return true;
    if (a.kind == EventKind::fork && raw(b.thread) == a.value) return true;
    if (b.kind == EventKind::join && raw(a.thread) == b.value) return true;
    if (locks_ && a.kind == EventKind::release && b.kind == EventKind::acquire &&
        a.object == b.object && outermost(i) && outermost(j) &&
        !((a.flags & kShared) != 0 && (b.flags & kShared) != 0))
      return true;
    if (a.kind == EventKind::signal && b.kind == EventKind::await && a.object == b.object)
      return true;
    if (a.kind == EventKind::notify && b.kind == EventKind::wake && a.object == b.object &&
        b.value == 0)
      return true;
    return atomics_ && synchronizes(i, j);
  }

  const std::vector<Event>& events_;
  bool locks_, atomics_;
  std::size_t n_;
  std::vector<std::vector<bool>> order_;
};

}  // namespace raddle
