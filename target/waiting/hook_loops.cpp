#include <string.h>
#include <unwind.h>

#include "protocol/event.hpp"
#include "target/code/instrumentation.hpp"
#include "target/code/own_code.hpp"
#include "target/state/execution.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {

bool g_hooks_watched;

namespace {

constexpr std::uint32_t kMostAccesses = 4096;  // then it is no loop, or a long one
constexpr std::uint32_t kRounds = 16;
constexpr std::uint64_t kStackWords = 64;

struct LoopPlace {
  std::uint64_t pc;
  std::uint64_t hash;
  const Thread* thread;
};

std::uint8_t g_deciding;  // what RaddleState::deciding is when nothing is watched
std::uint64_t g_step;
std::uint64_t g_chunk_at;  // step of the last chunk_is_full()
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

void stop_watching() {
  g_hooks_watched = false;
  g_hooks_state->deciding = g_deciding;
}

bool reads(const RaddleSite& site) {
  const auto kind = static_cast<EventKind>(site.kind);
  return kind == EventKind::read || kind == EventKind::read_range;
}

}  // namespace

void reset_hook_watch() {
  g_hooks_watched = false;
  g_chunk_at = ~std::uint64_t{0};
}

void watch_hooks() {
  if (g_hooks_state == nullptr || g_hooks_state->tracing == 0 || g_hooks_watched) return;
  g_deciding = g_hooks_state->deciding;
  g_step = steps_so_far();
  g_accesses = g_rounds = 0;
  g_site = nullptr;
  g_hooks_watched = true;
  g_hooks_state->deciding = 2;  // every access comes to the runtime
}

void chunk_is_full() {
  if (steps_so_far() == g_chunk_at) watch_hooks();
  g_chunk_at = steps_so_far();
}

bool decides_unwatched(const RaddleSite* site) {
  const std::uint8_t deciding = g_hooks_watched ? g_deciding : g_hooks_state->deciding;
  return deciding > 1 || (deciding != 0 && site->decides != 0);
}

std::uint64_t waiting_loop_at(const RaddleSite* site, const void* address) {
  if (steps_so_far() != g_step || !reads(*site) || ++g_accesses > kMostAccesses) {
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

bool reads_again(Thread& thread, std::uint64_t site, const void* address, std::uint16_t bytes,
                 const void* frame) {
  std::uint64_t value = 0;
  memcpy(&value, address, bytes < sizeof(value) ? bytes : sizeof(value));
  bool same =
      thread.read_site == site && thread.read_address == address && thread.read_value == value;
  thread.read_site = site;
  thread.read_address = address;
  thread.read_value = value;
  constexpr std::size_t kSavedBelow = 5 * sizeof(std::uint64_t);  // rbx, r12 to r15
  constexpr std::size_t kWords = 64;
  const char* at = static_cast<const char*>(frame) - kSavedBelow;
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (std::size_t i = 0; i < kWords; ++i) {
    std::uint64_t word;
    memcpy(&word, at + i * sizeof(word), sizeof(word));
    hash = (hash ^ word) * 0x100000001b3ULL;
    hash ^= hash >> 29;
  }
  same = same && thread.place_hash == hash;
  thread.place_hash = hash;
  return same;
}

}  // namespace raddle
