// The choice log: one record per step, in the order of execution. It is what replay follows and
// checks, and what "the same execution" means: two executions are the same when their logs are
// equal in everything but `site` (a code address, kept for reports).
#pragma once

#include <cstdint>
#include <span>

#include "protocol/ids.hpp"
#include "protocol/ops.hpp"

namespace raddle {

struct StepRecord {
  ThreadId thread;       // who was chosen; for a value choice, on whose behalf
  OpKind op;             // what it then executed
  std::uint8_t outcome;  // StepOutcome, or the value for OpKind::value_choice
  ObjectId object;       // on what; for a value choice, how many values there were
  std::uint64_t site;    // return address of the intercepted call, 0 if unknown
};
static_assert(sizeof(StepRecord) == 16);

// Why a thread that had been waiting could move. Part of the execution's identity.
enum class StepOutcome : std::uint8_t { kReady, kTimeout, kInterrupted, kCancelled };

constexpr bool same_step(const StepRecord& a, const StepRecord& b) {
  return a.thread == b.thread && a.op == b.op && a.outcome == b.outcome && a.object == b.object;
}

// FNV-1a over everything that makes the execution what it is.
std::uint64_t log_hash(std::span<const StepRecord> log);

}  // namespace raddle
