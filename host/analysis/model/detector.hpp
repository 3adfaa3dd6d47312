// A detector looks at one execution, event by event, and says what could go wrong. It depends on
// trace/ alone, keeps no global state and needs no threads: a unit test feeds it a vector of
// events.
//
// All detectors of one pass share an ExecutionState (host/analysis/model/execution_state.hpp),
// which has seen the event before they do: who holds which locks, in which functions and blocks
// each thread is, what objects are called.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/model/finding.hpp"
#include "protocol/event.hpp"

namespace raddle {

class ExecutionState;

// An atomic block as one of the sources (annotated, locks, functions) defines it;
// host/analysis/model/blocks.hpp says which there are. Nested ones are announced too; a detector
// that wants one at a time takes those with `depth` 0, from their begin to the end with the same
// number.
struct AtomicBlock {
  ThreadId thread{};
  std::uint64_t number = 0;  // counts dynamic blocks
  std::uint32_t depth = 0;
  Event entered{};            // the event that began it
  SiteId function = kNoSite;  // in which that was, as ExecutionState::innermost()
};

// Static blocks that an execution entered: how many there were, and how many of them were atomic
// each time.
struct BlockCounts {
  std::uint64_t entered = 0;
  std::uint64_t atomic = 0;
};

// Kinds of events, as bits.
using EventKinds = std::uint64_t;
static_assert(kEventKinds <= 64);
constexpr EventKinds kinds_of(std::initializer_list<EventKind> kinds) {
  EventKinds bits = 0;
  for (const EventKind kind : kinds) bits |= EventKinds{1} << unsigned(kind);
  return bits;
}
constexpr bool contains(EventKinds kinds, EventKind kind) {
  return (kinds >> unsigned(kind) & 1) != 0;
}
// Of functions, annotated scopes and threads' lives: what orders nothing and touches no memory.
inline constexpr EventKinds kScopes =
    kinds_of({EventKind::none, EventKind::thread_begin, EventKind::thread_end, EventKind::wait,
              EventKind::enter, EventKind::exit, EventKind::block_enter, EventKind::block_exit,
              EventKind::unit_enter, EventKind::unit_exit, EventKind::user});

class Detector {
 public:
  virtual ~Detector() = default;
  // Events of these kinds mean nothing to it, so on_event() need not be called for them. What it
  // says must be the same if it is. Blocks are announced all the same.
  virtual EventKinds ignores() const { return 0; }
  // Whether it listens to on_block_begin() and its kin. To follow the blocks costs something, so a
  // pipeline does it only for those that do.
  virtual bool wants_blocks() const { return true; }
  // EventSink::define_object(): a global or static member, or whatever the program named.
  virtual void on_object(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
  // Events as in the trace, in order.
  virtual void on_event(const Event& event) = 0;
  // Announced after the on_event() of the event that begins the block, and before the on_event() of
  // the event that ends it; a lock's acquire and release are themselves outside the block.
  virtual void on_block_begin(const AtomicBlock&) {}
  virtual void on_block_end(const AtomicBlock&) {}
  // Instead of on_block_end(): the block turns out to be none, because it waits on a condition of
  // its own lock. Announced before the on_event() of the wait.
  virtual void on_block_abandoned(const AtomicBlock& block) { on_block_end(block); }
  // After the last event. Findings are complete after it.
  virtual void finish() {}
  virtual std::vector<Finding> take_findings() = 0;
  // After take_findings(), by who judges every block; else none.
  virtual std::optional<BlockCounts> block_counts() const { return std::nullopt; }
};

}  // namespace raddle
