// Places in the program that an execution's plan names: accesses that are to be decision points,
// the steps of a candidate that a strategy is to bring about, and what a strategy is to know of
// earlier executions. The host writes them into the
// shared region beside the plan; they are as much a part of what determines the execution.
#pragma once

#include <cstdint>

#include "protocol/ids.hpp"

namespace raddle {

enum class AimRole : std::uint8_t {
  // The plain access at the site is a decision point. Together with the same role at other sites:
  // the accesses that race.
  kDecides,
  // A step of the candidate: of its thread `thread` (0, 1, ...), in position `order` of the
  // pattern.
  // race: the two accesses, in any order. deadlock: the acquisition with which thread `thread`
  // closes the cycle. asset: the pattern's accesses. lifetime: the use (0) and the free (1). An
  // access is a decision point too.
  kStep,
  // lifetime: the acquisition before which thread `thread` waits, instead of at its step.
  // asset: the site of an operation on a lock that both threads of the candidate hold at their
  // steps. A release: of thread `thread`, after its step `order`; only from there on has the other
  // thread its chance. An acquisition: before its step `order`; only here can it be held back
  // without keeping the other thread from what it is to do first.
  kWindow,
  // surw: an operation at this site is one of the selected events. Without any: every operation is.
  kSelected,
  // surw: how many selected events a thread has, as in ThreadWork below, instead of a site.
  kWork,
  // rff: a constraint, the one with number `thread`. What the site reads or takes (kReads) is to
  // be (`location` 1) or not to be (`location` 0) what the other site wrote or released (kSees;
  // site 0: what was there at the beginning). kRival: a site that would put something else there.
  kReads,
  kSees,
  kRival,
};
inline constexpr int kAimRoles = 8;

// AimRole::kWork: what a thread that `parent` creates is expected to do. By number of the thread,
// from 0 in the order of creation; the main thread is its own parent.
struct ThreadWork {
  std::uint16_t thread = 0;
  std::uint16_t parent = 0;
  std::uint32_t events = 0;
};
constexpr std::uint64_t packed(const ThreadWork& work) {
  return std::uint64_t{work.thread} << 48 | std::uint64_t{work.parent} << 32 | work.events;
}
constexpr ThreadWork unpacked_work(std::uint64_t site) {
  return {static_cast<std::uint16_t>(site >> 48), static_cast<std::uint16_t>(site >> 32),
          static_cast<std::uint32_t>(site)};
}

// In the shared region.
struct AimSite {
  std::uint64_t site;     // as in Pending::site: a RaddleSite's address, or a return address
  std::uint64_t context;  // as in Place::context; 0: any
  AimRole role;
  std::uint8_t thread;
  std::uint8_t order;
  // asset. Of a step: 0 or 1, which of the pattern's two locations it accesses. Of a window:
  // kWindowRelease or kWindowAcquire.
  std::uint8_t location;
};
inline constexpr std::uint8_t kWindowRelease = 0;
inline constexpr std::uint8_t kWindowAcquire = 1;

inline constexpr std::uint32_t kMaxAims = 8192;

// The calling context of a function that was called from `caller`: Place::context
// (target/strategy/strategy.hpp), and what a candidate's steps are matched by besides their site. A
// function of where in their pages two addresses lie (of the RaddleSite where the function is
// entered, and the return address, 0 if inlined), so that runtime and host come to the same number
// in every execution of the same build: a random layout moves modules by whole pages.
// Event::context is another hash, of names.
constexpr std::uint64_t entered_context(std::uint64_t caller, std::uint64_t function,
                                        std::uint64_t call) {
  constexpr std::uint64_t kInPage = 0xfff;
  std::uint64_t hash = (caller + 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
  hash = (hash ^ (hash >> 29) ^ (function & kInPage)) * 0x94d049bb133111ebULL;
  hash = (hash ^ (hash >> 32) ^ (call & kInPage)) * 0xff51afd7ed558ccdULL;
  hash ^= hash >> 33;
  return hash != 0 ? hash : 1;
}

// What a strategy that confirms says of its own execution. It is a hint where to look: whether the
// candidate is confirmed is decided by the detector, on the trace
// (host/campaign/confirm/confirm.hpp).
inline constexpr std::uint32_t kMaxRealised = 8;
struct Realised {
  std::uint64_t pauses;               // how often it held a thread back
  std::uint64_t warnings;             // atom: acquisitions that make a violation possible
  std::uint64_t count;                // how often the pattern came about
  std::uint32_t used;                 // of `steps`
  std::uint64_t steps[kMaxRealised];  // of the choice log: those of the first time, in order
};

}  // namespace raddle
