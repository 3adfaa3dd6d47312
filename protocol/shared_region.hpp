// The memory that host and target share, one region per worker:
//
//   SharedRegion | choice log (log_capacity records) | replay log (replay_capacity records)
//   | EventStream
//   | enabled log (enabled_capacity operations; where those of each step begin)
//
// The host creates it as a memfd, writes the plan (and the replay log), and names it to the target
// in the environment variable kRegionVariable as a path. The target writes the rest. It is sparse:
// pages that no execution touched cost nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "protocol/aim.hpp"
#include "protocol/choice_log.hpp"
#include "protocol/circumstances.hpp"
#include "protocol/enabled_stack.hpp"
#include "protocol/pending.hpp"
#include "protocol/plan.hpp"
#include "protocol/report.hpp"
#include "protocol/stream.hpp"
#include "protocol/uncontrolled.hpp"

namespace raddle {

inline constexpr std::uint64_t kRegionMagic = 0x314e474552444152ULL;  // "RADREGN1"
inline constexpr std::uint32_t kRegionVersion = 10;

inline constexpr char kRegionVariable[] = "RADDLE_REGION";  // path of the region
inline constexpr char kControlVariable[] =
    "RADDLE_CONTROL";  // "IN,OUT": descriptors of the fork server
inline constexpr char kPreloadVariable[] = "RADDLE_LD_PRELOAD";  // the user's own LD_PRELOAD

// Set when the host added LD_BIND_NOW: symbols are bound before the fork, not in every execution.
inline constexpr char kBindNowVariable[] = "RADDLE_BIND_NOW";

// The host samples a stuck execution with this signal; the target reserves it.
inline constexpr int kSampleSignal = 63;

enum class RunState : std::uint32_t {
  kStarting,   // not yet in control
  kRunning,    // a program thread runs
  kWaiting,    // no thread is enabled: the runtime waits in the kernel for the outside world
  kReporting,  // the report is complete; the target waits for `acknowledged`
  kReplaced,   // the process has become another program (exec), which is not controlled
};

struct Live {
  std::atomic<std::uint64_t> steps;  // decisions so far = valid records of the choice log
  std::atomic<RunState> state;
  std::atomic<std::int32_t> pid;            // of the execution, 0 before it starts
  std::atomic<std::int32_t> kernel_tid;     // of the kernel thread that runs program code now
  std::atomic<std::uint32_t> acknowledged;  // futex; the host sets 1 when it has read the report
  std::atomic<std::uint32_t> give_up;  // host asks the next sample to end the execution: GiveUp
  std::atomic<std::uint64_t> switches;
  std::atomic<std::uint64_t> preemptions;  // of these, away from a thread that could have gone on
  std::atomic<std::uint32_t> threads;      // ever created, main included
};

enum class GiveUp : std::uint32_t { kNo, kTimeLimit, kBlockedInKernel };

// Protocol of the fork server, over two pipes. Host -> target: one byte kRunCommand per execution.
// Target -> host: one ServerMessage when it is ready, then per execution: report ready (from the
// execution itself, when it has something to report), ended. That it has started shows in live.pid;
// a message would wake the host once more in every execution.
inline constexpr char kRunCommand = 'r';
struct ServerMessage {
  // kRestored: the execution ended, and its process is put back and waits for the next command.
  enum Kind : std::int32_t { kReady = 1, kReportReady = 2, kEnded = 3, kRestored = 4 } kind;
  std::int32_t pid;
  std::int32_t status;  // as from waitpid; kEnded and kRestored only
};

enum class RestoringBy : std::uint32_t { kNothing, kWrittenPages, kCopy };

// Between two points, in steps: less would not pay for one (target/snapshot/points.hpp).
inline constexpr std::uint32_t kPointGap = 96;
inline constexpr std::uint32_t kMostPointPages = 16384;  // 64 MiB

// Whether a process runs one execution after another (target/snapshot/).
struct Restoring {
  std::uint32_t wanted;       // by the host, for the next execution
  std::uint32_t point_gap;    // by the host: it may go on from the middle of the last one, where
                              // points are at least so many steps apart; 0: it may not
  std::uint32_t point_pages;  // by the host: contents of so many pages are kept for points
  std::uint32_t unused;
  std::uint64_t went_on_at;  // by the target: the step at which it did; 0: at main()
  std::uint32_t ended;       // by the target: the execution is over, its process is being put back
  std::int32_t wait_status;  // of that execution, whatever becomes of the process now
  std::uint32_t fork_asked;  // by a process that is put back, of the server
  RestoringBy by;            // by the target: how it learns what an execution wrote
  char declined[112];        // why the process cannot be put back; empty: it can, or nobody asked
};

// Written by the target when the plan asks for it: who could move at each step.
struct EnabledLog {
  std::uint64_t capacity;  // by the host: operations that fit; 0: no such log
  std::uint64_t used;      // operations of all steps
  std::uint32_t at_end;  // operations of the group behind the last step: threads that had not ended
  std::uint32_t enabled_at_end;  // the first so many of these could move
  std::uint32_t stacks;          // different stacks, with Plan::detail
  std::uint32_t redundant;       // the execution ended because all that could move were asleep
};

// What the host may know a name for, when it is first used: a lock or the like, by its address and,
// if that is on a stack, by the frame that it lies in; or, with `cfa` 0, the address that stands
// for a thread in its thread_begin, by the outermost functions that it runs.
inline constexpr std::uint32_t kNewObjectFrames = 8;
struct NewObject {
  std::uint64_t address;
  std::uint64_t cfa;  // canonical frame address of pc[0]
  std::uint32_t frames;
  std::uint64_t pc[kNewObjectFrames];  // return addresses, outermost first
};

// All of the event stream. The target initialises it when an execution that is traced begins.
struct EventStream {
  RaddleStream stream;
  std::uint64_t sites[RADDLE_MOST_SITES];
  NewObject objects[RADDLE_MOST_OBJECTS];
  std::uint8_t ring[RADDLE_RING_CHUNKS * RADDLE_CHUNK_BYTES];
  std::uint8_t behind[RADDLE_CHUNK_SLACK];  // never written: a reader may look beyond a record
};

struct SharedRegion {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t header_size;  // sizeof(SharedRegion): a runtime of another build is noticed
  std::uint64_t log_capacity;
  std::uint64_t replay_capacity;
  std::uint32_t instrumented;  // by the target: its code has hooks
  Plan plan;
  Live live;
  Restoring restoring;
  EnabledLog enabled;
  Realised realised;
  Circumstances circumstances;
  Uncontrolled uncontrolled;
  Report report;
  AimSite aims[kMaxAims];  // plan.aims of them

  StepRecord* log() { return reinterpret_cast<StepRecord*>(this + 1); }
  StepRecord* replay_log() { return log() + log_capacity; }
  EventStream& events() { return *reinterpret_cast<EventStream*>(replay_log() + replay_capacity); }
  Pending* enabled_operations() { return reinterpret_cast<Pending*>(&events() + 1); }
  EnabledStack* enabled_stacks() {
    return reinterpret_cast<EnabledStack*>(enabled_operations() + enabled.capacity);
  }
  // Of each step: the index of its first operation. log_capacity + 2 of them.
  std::uint32_t* enabled_first() {
    return reinterpret_cast<std::uint32_t*>(enabled_stacks() + kMaxEnabledStacks);
  }
  // Of each operation, with Plan::detail: the index of its stack, or kNoStack.
  std::uint32_t* enabled_stack_of() { return enabled_first() + log_capacity + 2; }
  static std::size_t bytes(std::uint64_t log_capacity, std::uint64_t replay_capacity,
                           std::uint64_t enabled_capacity) {
    std::size_t enabled_bytes = 0;
    if (enabled_capacity > 0) {
      enabled_bytes = enabled_capacity * (sizeof(Pending) + sizeof(std::uint32_t)) +
                      kMaxEnabledStacks * sizeof(EnabledStack) +
                      (log_capacity + 2) * sizeof(std::uint32_t);
    }
    return sizeof(SharedRegion) + (log_capacity + replay_capacity) * sizeof(StepRecord) +
           sizeof(EventStream) + enabled_bytes;
  }
};

}  // namespace raddle
