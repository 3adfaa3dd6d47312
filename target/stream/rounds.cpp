#include "target/stream/rounds.hpp"

#include <string.h>
#include <unwind.h>

#include "protocol/event.hpp"
#include "target/base/own_code.hpp"
#include "target/sched/scheduler.hpp"
#include "target/stream/instrumented.hpp"

namespace raddle {

bool g_rounds_watched;

namespace {

constexpr std::uint32_t kMostAccesses = 4096;  // then it is no loop, or a long one
constexpr std::uint32_t kRounds = 16;
constexpr std::uint64_t kStackWords = 64;

struct LoopPlace {
  std::uint64_t pc;
  std::uint64_t hash;
  const Thread* thread;
};

RaddleState* g_state;
std::uint8_t g_deciding;  // what RaddleState::deciding is when nothing is watched
std::uint64_t g_step;
std::uint64_t g_written_at;  // step of the last many_events()
std::uint32_t g_accesses;
std::uint32_t g_rounds;
// The access that a round begins with.
const RaddleSite* g_site;
const void* g_address;
std::uint64_t g_value;
LoopPlace g_place;

void mix(std::uint64_t& hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x100000001b3ULL;
  hash ^= hash >> 29;
}

// The innermost function that is neither ours nor a hook.
_Unwind_Reason_Code look(_Unwind_Context* context, void* data) {
  auto& place = *static_cast<LoopPlace*>(data);
  const std::uint64_t pc = _Unwind_GetIP(context);
  if (is_own_code(pc) || in_hooks(pc)) return _URC_NO_REASON;
  place.pc = pc;
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (int reg : {3, 6, 12, 13, 14, 15})
    mix(hash, _Unwind_GetGR(context, reg));  // rbx, rbp, r12-15
  // The unwinder is one frame ahead: what it calls this frame's CFA is where this frame begins.
  std::uint64_t at = _Unwind_GetCFA(context);
  mix(hash, at);
  std::uint64_t end = at + kStackWords * sizeof(std::uint64_t);
  const Thread& thread = *place.thread;
  const std::uint64_t top = thread.stack_low + thread.stack_size;
  if (thread.stack_low != 0 && end > top) end = top;
  for (; at + sizeof(std::uint64_t) <= end; at += sizeof(std::uint64_t)) {
    std::uint64_t word;
    memcpy(&word, reinterpret_cast<const void*>(at), sizeof(word));
    mix(hash, word);
  }
  place.hash = hash;
  return _URC_END_OF_STACK;
}

LoopPlace place_of(const Thread& thread) {
  LoopPlace place{0, 0, &thread};
  _Unwind_Backtrace(look, &place);
  return place;
}

std::uint64_t steps() { return g_region->live.steps.load(std::memory_order_relaxed); }

void stop_watching() {
  g_rounds_watched = false;
  g_state->deciding = g_deciding;
}

bool reads(const RaddleSite& site) {
  const auto kind = static_cast<EventKind>(site.kind);
  return kind == EventKind::read || kind == EventKind::read_range;
}

}  // namespace

void forget_rounds(RaddleState* state) {
  g_state = state;
  g_rounds_watched = false;
  g_written_at = ~std::uint64_t{0};
}

void watch_rounds() {
  if (g_state == nullptr || g_state->tracing == 0 || g_rounds_watched) return;
  g_deciding = g_state->deciding;
  g_step = steps();
  g_accesses = g_rounds = 0;
  g_site = nullptr;
  g_rounds_watched = true;
  g_state->deciding = 2;  // every access comes to the runtime
}

void many_events() {
  if (steps() == g_written_at) watch_rounds();
  g_written_at = steps();
}

bool is_point(const RaddleSite* site) {
  const std::uint8_t deciding = g_rounds_watched ? g_deciding : g_state->deciding;
  return deciding > 1 || (deciding != 0 && site->decides != 0);
}

std::uint64_t waits_in_rounds(const RaddleSite* site, const void* address) {
  if (steps() != g_step || !reads(*site) || ++g_accesses > kMostAccesses) {
    stop_watching();
    return 0;
  }
  std::uint64_t value = 0;
  memcpy(&value, address, site->size < sizeof(value) ? site->size : sizeof(value));
  if (g_site == nullptr) {
    g_site = site;
    g_address = address;
    g_value = value;
    g_place = place_of(self());
    return 0;
  }
  if (site != g_site || address != g_address || value != g_value) return 0;
  const LoopPlace place = place_of(self());
  if (place.hash != g_place.hash || place.pc != g_place.pc) return 0;
  if (++g_rounds < kRounds) return 0;
  stop_watching();
  return place.pc;
}

}  // namespace raddle
