// How an execution ended, as plain data: written by the runtime into the shared region, read,
// symbolised and printed by the host. Everything has a bound; what did not fit is counted.
#pragma once

#include <cstdint>

#include "protocol/choice_log.hpp"
#include "protocol/ids.hpp"
#include "protocol/ops.hpp"

namespace raddle {

enum class OutcomeKind : std::uint8_t {
  kNone,          // the runtime had nothing to say: the exit status decides (passed, or exit)
  kAssertion,     // assert() failed, or abort()
  kCrash,         // SIGSEGV and kin
  kException,     // uncaught C++ exception
  kExit,          // exit() with a status other than 0 (or than --ok-exit)
  kDeadlock,      // no thread can ever move, or some threads wait for each other in a cycle
  kLivelock,      // threads move, but only in idle operations
  kLeaked,        // raddle::check: the function returned while a thread of its own still ran
  kLimit,         // step or time limit
  kInconclusive,  // something could not be controlled; `message` names it
  kPossibleHang,  // threads wait without a time-out while others do nothing but sleep: no verdict
  kDiverged,      // a replay did not follow its recording
  kMemoryFault,   // memory that was freed, or is no block's, was touched; or a block freed twice
};

const char* outcome_text(OutcomeKind kind);  // "assertion", "crash", ..., "passed" for kNone

inline constexpr int kMaxFrames = 48;
inline constexpr int kMaxReportThreads = 512;
inline constexpr int kMaxReportObjects = 1024;
inline constexpr int kMaxLastSteps = 16;  // per thread, only with Plan::detail
inline constexpr int kMaxStepFrames = 12;
inline constexpr int kMaxMisuses = 16;

enum class ThreadState : std::uint8_t { kUnused, kRunning, kEnabled, kBlocked, kFinished };

struct Stack {
  std::uint16_t frames;
  std::uint64_t pc[kMaxFrames];  // innermost first; return addresses, except a signal's own pc
  bool first_is_exact;           // pc[0] is the faulting instruction, not a return address
  // Of the frame at pc[i]: its canonical frame address, the stack pointer before the call that made
  // it. 0 if not known. (_Unwind_GetCFA() of the frame after it.) What names objects on the stack.
  std::uint64_t cfa[kMaxFrames];
};

struct DetailedStep {
  std::uint64_t step;
  StepRecord record;
  std::uint16_t frames;
  std::uint64_t pc[kMaxStepFrames];
};

struct ThreadReport {
  ThreadId id;
  ThreadState state;
  OpKind op;        // pending operation
  bool timed;       // it waits with a deadline
  ObjectId object;  // what it waits for or is about to use
  ThreadId creator;
  char name[16];                // pthread_setname_np, or empty
  std::uint64_t start_routine;  // what pthread_create was given; 0 for main
  Stack stack;
  std::uint32_t last_steps;  // ring: entries [0, min(last_steps, kMaxLastSteps))
  DetailedStep last[kMaxLastSteps];
};

// An object. Those that some thread waits for or holds come first.
struct ObjectReport {
  ObjectId id;
  ObjectClass cls;
  std::uint64_t address;
  std::uint64_t first_site;  // code address of its first use
  std::uint16_t holders;     // how many threads hold it
  ThreadId holder[8];
  bool shared;           // they hold it for reading
  std::int64_t value;    // semaphore value, barrier arrivals, recursion depth
  std::uint32_t needed;  // arrivals that a barrier waits for; 0 for all others
  // The heap block that the object lies in; all 0 if it lies in none, or that is not known.
  std::uint64_t block;          // where it begins
  std::uint64_t block_bytes;    // as asked for
  std::uint64_t block_site;     // return address of the call that allocated it
  std::uint64_t block_ordinal;  // allocations by that call up to it, in this execution: 1 the first
};

// Use of an object that POSIX forbids; the execution goes on, with the error the real call returns.
struct Misuse {
  ThreadId thread;
  OpKind op;
  ObjectId object;
  ObjectClass cls;
  std::uint64_t site;
  std::uint64_t step;
  std::uint64_t address;  // of the object: an execution that passes lists no objects
  std::uint16_t frames;
  std::uint64_t pc[kMaxStepFrames];  // innermost first
  char text[96];
};

enum class MemoryFaultKind : std::uint8_t {
  kNone,
  kUseAfterFree,
  kBeforeBlock,
  kBehindBlock,
  kNoBlock,  // an access to the heap where no block ever was
  kDoubleFree,
  kNoSuchBlock,  // something is freed that does not begin a block
  kOverwritten,  // when the block is freed, what lies in front of it is not what was there
  kGoneLocal,    // of a thread's stack: its scope or its function has ended
};

struct MemoryFault {
  MemoryFaultKind kind;
  bool writes;
  ThreadId allocated_by;
  ThreadId freed_by;
  std::uint64_t bytes;  // of the access
  std::int64_t offset;  // of the first byte that is none of the block's, from its beginning
  std::uint64_t block_bytes;
  std::uint64_t allocated_at;  // code addresses; 0: not known, or not freed
  std::uint64_t freed_at;
};

struct Report {
  OutcomeKind kind;
  int signal;                // kCrash
  int exit_status;           // kExit
  ThreadId thread;           // who failed
  char message[512];         // assertion text, exception text, what could not be controlled, ...
  char exception_type[256];  // mangled type name, kException
  char file[256];            // assertion: where, as the compiler said
  std::uint32_t line;
  char function[256];
  std::uint64_t fault_address;  // kCrash; of a local that is gone: the first byte that is
  MemoryFault fault;            // kMemoryFault

  std::uint16_t cycle_length;  // kDeadlock: threads waiting for each other, 0 if there is no cycle
  ThreadId cycle[64];

  // kDiverged
  std::uint64_t diverged_step;
  StepRecord recorded;
  StepRecord actual;

  std::uint32_t threads;  // how many the execution had; the first kMaxReportThreads follow
  ThreadReport thread_table[kMaxReportThreads];
  std::uint32_t objects;
  ObjectReport object_table[kMaxReportObjects];
  std::uint32_t misuses;  // how many happened; the first kMaxMisuses follow
  Misuse misuse_table[kMaxMisuses];
};

}  // namespace raddle
