// What the host asks of one execution. Written by the host into the shared region before the
// execution starts; read-only for the runtime.
#pragma once

#include <cstdint>

namespace raddle {

enum class CarrierKind : std::uint8_t { kFiber, kKernel };

// kSteady: virtual time advances a little with each decision, and jumps to the next deadline when
// nothing else can move. kAdversarial: a timed wait or sleep may also end at any decision, as on a
// machine that is slow at the worst moment. kHasty: the same for waits with less than
// kLongTimeout left; a machine that stands still for longer is rare.
enum class ClockKind : std::uint8_t { kSteady, kAdversarial, kHasty };
inline constexpr std::uint64_t kLongTimeout = 1'000'000'000;  // nanoseconds

// What the target streams to the host while it runs (protocol/stream.hpp).
enum class TraceLevel : std::uint8_t {
  kNone,
  kSync,    // synchronisation, threads, allocations: what an unmodified program shows
  kMemory,  // and whatever the compiled-in hooks see
};

// Which plain memory accesses of an instrumented program are decision points. Its atomic operations
// are, always. In an unmodified program what comes between two operations cannot be told apart;
// kEvery lets others run after an operation that lets them, too, and not only before the next one.
enum class DecideKind : std::uint8_t {
  kSync,   // none
  kRaces,  // those that the region's aims name
  kEvery,  // all of them
};

// What a strict replay is to do where its recording ends and the program does not.
enum class RecordedEnd : std::uint8_t {
  kByItself,      // that is a divergence
  kLivelock,      // the recorded execution had proved that nothing would change any more
  kCutOff,        // it was given up there: no verdict
  kPossibleHang,  // it was given up there, because nothing but sleeps happened
};

// Where the strategy `atom` takes atomic blocks from; bits of Plan::atomic_blocks.
inline constexpr std::uint8_t kBlocksAnnotated = 1;  // raddle::atomic, functions annotated so
inline constexpr std::uint8_t kBlocksLocks = 2;      // a region that holds a lock
inline constexpr std::uint8_t kBlocksFunctions = 4;  // units of work
// An invocation of a function that takes the same lock twice; needs no instrumentation.
inline constexpr std::uint8_t kBlocksFrames = 8;

struct Plan {
  char strategy[32];  // name in protocol/strategies.hpp
  std::uint64_t seed;
  std::uint32_t pct_depth;  // bug depth d of PCT; d-1 priority change points
  std::uint64_t pct_steps;  // expected length k of an execution, for PCT's change points
  CarrierKind carrier;
  ClockKind clock;
  TraceLevel trace;              // how the execution is watched, not what it does: never saved
  bool spurious_wakeups;         // condition waits may return without a signal
  bool detail;                   // record every thread's stack at each of its last steps
  std::uint64_t max_steps;       // 0: as many as the log holds
  std::uint64_t livelock_steps;  // this many idle operations in a row, by all threads: livelock
  std::uint64_t replay_steps;    // > 0: follow that many records of the replay log first
  bool replay_strict;            // check each record; a difference ends the execution as diverged
  RecordedEnd recorded_end;      // replay_strict: how the recording ended; never saved
  bool replay_turns;             // the replay log is a guide (strategy/guided.hpp), not steps
  // Exploration (strategy "systematic"); how the search goes, never saved.
  bool prefix_checked;   // as replay_strict, but the execution goes on after the last record
  bool enabled_log;      // write down who could move at each step (SharedRegion::enabled)
  std::uint64_t asleep;  // threads 0 to 63, as bits: not to be chosen after the prefix until an
                         // operation that depends on theirs was executed
  bool looks_on;         // the thread of the prefix's last record goes on while it only looks
                         // again (protocol/turns/looking_on.hpp)
  DecideKind decide;
  std::uint8_t atomic_blocks;    // atom: kBlocks... bits
  std::uint32_t pause_permille;  // atom: probability of a pause, in thousandths
  std::uint64_t max_pause;       // a strategy holds a thread back for this many steps at most
  std::uint8_t pattern;          // asset: 1 to 14, of host/analysis/atomset/patterns.hpp
  std::uint32_t aims;            // how many of the region's there are
  // For explorers that go by what threads see. An instruction is one decision point even if it
  // touches several fields, and neither heap nor stack addresses depend on the schedule.
  bool by_values;
  bool memory_unjudged;  // memory faults of instrumented programs pass, unless they crash
  // What stream sockets and the allocator may do; only if the user asks for it.
  bool short_transfers;      // reads, and writes that do not wait, may move less than they could
  bool failing_allocations;  // an allocation may find no memory
};

}  // namespace raddle
