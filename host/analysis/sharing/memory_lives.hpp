// Memory as lives: the bytes that one life has are those of which it is asked together whether
// several threads touch them. A life ends when its memory is allocated or freed, or when a local
// variable comes to lie there. What was told of no such thing, a global variable or the rest of a
// stack, has one life for the whole execution.
//
// A life has a whole block, variable or named global of up to kMostWhole bytes: an object is
// shared as a whole, as atomic sets and locks that lie in it want it. In larger ones, and in memory
// of which nothing was told, it has a cell: bytes that are accessed together, at most 8
// (shadow/shadow_map.hpp). If a cell is split later, both parts have the same life.
//
// Numbers depend on the events alone: a second pass over the same events gets the same ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "host/analysis/shadow/shadow_map.hpp"
#include "host/base/word_map.hpp"
#include "protocol/event.hpp"

namespace raddle {

using LifeNumber = std::uint32_t;
// Freed memory, until it is allocated again. Also what all lives are when there are too many.
inline constexpr LifeNumber kFreedLife = 0;

class MemoryLives {
 public:
  static constexpr std::uint64_t kMostWhole = 4096;

  MemoryLives() : shadow_(*this) {}

  enum class Touch : std::uint8_t {
    kByThread,
    kByOthers,  // who frees a block does not say that this part is of it: better not rely on it
  };
  // Calls visit(LifeNumber, Touch) for each life that the event touches, if it is an access, an
  // atomic operation, one of a lock or its kin, or a free; a number may come more than once. Then
  // ends and begins lives.
  template <class Visit>
  void on_event(const Event& event, Visit&& visit);
  // A global variable, or what the program named.
  void on_object(std::uint64_t address, std::uint64_t bytes);

  // For the shadow map. 0: no life so far.
  using Cell = LifeNumber;
  static Cell clone(Cell cell) { return cell; }
  static void drop(Cell) {}

 private:
  enum class RegionKind : std::uint8_t { kWhole, kCells, kFreed };
  struct Region {
    std::uint64_t end = 0;
    RegionKind kind{};
    LifeNumber life = 0;  // of a whole one; 0: not touched so far
  };

  void renew(std::uint64_t address, std::uint64_t bytes);
  void put(std::uint64_t address, std::uint64_t bytes, RegionKind kind);
  void clear_regions(std::uint64_t address, std::uint64_t bytes);
  LifeNumber begin_in(std::uint64_t address, std::uint64_t bytes);
  template <class Visit>
  void touch(std::uint64_t address, std::uint64_t bytes, Visit&& visit);
  static std::uint64_t touched_bytes(const Event& event);

  ShadowMap<Cell, MemoryLives> shadow_;
  std::map<std::uint64_t, Region> regions_;  // by their first address; disjoint
  WordMap<std::uint64_t> blocks_;            // that are allocated, and their bytes
  LifeNumber last_ = 0;
};

template <class Visit>
void MemoryLives::touch(std::uint64_t address, std::uint64_t bytes, Visit&& visit) {
  shadow_.access(address, bytes, [&](Cell& cell, std::uint64_t at, unsigned size) {
    if (cell == 0) cell = begin_in(at, size) + 1;
    visit(cell - 1, Touch::kByThread);
  });
}

template <class Visit>
void MemoryLives::on_event(const Event& event, Visit&& visit) {
  if (const std::uint64_t bytes = touched_bytes(event); bytes != 0)
    touch(event.object, bytes, visit);
  switch (event.kind) {
    case EventKind::free: {
      const std::uint64_t* allocated = blocks_.find(event.object);
      const std::uint64_t known = allocated == nullptr ? 0 : *allocated;
      const auto freed = [&](const Cell& cell, std::uint64_t, unsigned) {
        if (cell != 0) visit(cell - 1, Touch::kByThread);
      };
      shadow_.each(event.object, event.value, freed);
      if (known > event.value) {
        const auto unsure = [&](const Cell& cell, std::uint64_t, unsigned) {
          if (cell != 0) visit(cell - 1, Touch::kByOthers);
        };
        shadow_.each(event.object + event.value, known - event.value, unsure);
        clear_regions(event.object, known);
      }
      blocks_.erase(event.object);
      renew(event.object, event.value);
      return put(event.object, std::max(known, event.value), RegionKind::kFreed);
    }
    case EventKind::allocate:
      blocks_[event.object] = event.value;
      [[fallthrough]];
    case EventKind::local:
      renew(event.object, event.value);
      return put(event.object, event.value,
                 event.value <= kMostWhole ? RegionKind::kWhole : RegionKind::kCells);
    case EventKind::none:
    case EventKind::decision:
    case EventKind::thread_begin:
    case EventKind::thread_end:
    case EventKind::fork:
    case EventKind::join:
    case EventKind::acquire:
    case EventKind::release:
    case EventKind::wait:
    case EventKind::wake:
    case EventKind::notify:
    case EventKind::signal:
    case EventKind::await:
    case EventKind::read:
    case EventKind::write:
    case EventKind::read_range:
    case EventKind::write_range:
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
    case EventKind::fence:
    case EventKind::enter:
    case EventKind::exit:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::user:
    case EventKind::destroy:
      return;
  }
}

}  // namespace raddle
