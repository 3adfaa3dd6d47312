// Atomic blocks: turns events into begins and ends of blocks (detector.hpp), from the sources that
// the user chose:
//   annotated   block_enter/block_exit, and functions whose site says kSiteAtomic;
//   locks       from the outermost acquire of a lock to its outermost release;
//   functions   functions whose site says kSiteUnit, and unit_enter/unit_exit.
//
// Not a block, for the reasons that 000 gives in 5.4: the entry function of a thread, which would
// make the whole thread atomic; a region with a lock that begins before the entry function does, or
// spans it: taken first of all, and given back last of all (a `run` that is synchronized, in Java);
// and a block that waits on a condition of its own lock, which gives up its atomicity by design.
// The latter are known only later: then the block, already announced, is *abandoned*; one that
// spans the entry function when the thread ends, since a function that a loop of an inlined entry
// function calls looks like one until it is called again. "Its own lock" is the lock of a lock
// block, and for a function a lock that was acquired inside it. An annotated block is never
// abandoned: there the user said atomic, and a wait contradicts it.
//
// The blocks of one thread nest, but for those of locks that are not released in the reverse order:
// AtomicBlock::depth is the number of the thread's blocks that are open when it begins, and an end
// may come for one that is not the innermost (hand-over-hand locking). Blocks that are open when
// their thread or the trace ends get no end: nothing is known of their rest.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/options.hpp"

namespace raddle {

class Blocks {
 public:
  Blocks(const ExecutionState& state, BlockSources sources) : state_(state), sources_(sources) {}

  // After ExecutionState has seen the event, before the detectors do: ends and abandonments.
  // After the detectors have seen it: begins.
  // `changes` are valid until the next call.
  struct Change {
    enum class What : std::uint8_t { kBegin, kEnd, kAbandon } what;
    AtomicBlock block;
  };
  const std::vector<Change>& before(const Event& event);
  const std::vector<Change>& after(const Event& event);

 private:
  enum class Source : std::uint8_t { kAnnotated, kAtomicFunction, kLock, kFunction, kUnit };
  struct Open {
    Source source{};
    std::uint64_t key = 0;    // the lock; the stack's depth for functions
    std::uint64_t begin = 0;  // ExecutionState::events()
    bool first = false;       // a region: nothing was done in the entry function before
    AtomicBlock block;
  };
  // Of a thread, and of the outermost function in which it is: its entry function, unless the
  // compiler inlined that, which shows when the thread calls another one.
  struct Entry {
    bool entered = false;
    bool inlined = false;
    bool nothing_yet = false;          // in the function, but accesses
    std::optional<AtomicBlock> spans;  // a region that began first and was the last thing
    std::optional<AtomicBlock>
        spanned;  // of the function that was left, if it is the thread's last
  };
  std::optional<AtomicBlock> follow_entry(const Event& event);
  void begin_entry(const Event& event, Entry& entry, std::vector<Open>& blocks);
  std::vector<Open>& open(const Event& event);
  void close(std::vector<Open>& open, std::size_t at, Change::What what);
  void end_innermost(const Event& event, Source source, std::uint64_t key,
                     Change::What what = Change::What::kEnd);
  void begin(const Event& event, Source source, std::uint64_t key);
  void abandon(const Event& wait);

  const ExecutionState& state_;
  BlockSources sources_;
  std::vector<std::vector<Open>> open_;  // by ThreadIndex
  std::vector<Entry> entries_;           // by ThreadIndex
  std::vector<Change> changes_;
  std::uint64_t number_ = 0;
};

}  // namespace raddle
