#include <string.h>

#include "protocol/event.hpp"
#include "target/code/instrumentation.hpp"
#include "target/state/execution.hpp"
#include "target/waiting/local_state.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {

bool g_hooks_watched;

namespace {

constexpr std::uint32_t kMostAccesses = 4096;  // then it is no loop, or a long one
constexpr std::uint32_t kRounds = 16;
// To look at the stack may take long, and a loop that counts is another one each time.
constexpr std::uint32_t kMostStacks = 256;

std::uint8_t g_deciding;  // what RaddleState::deciding is when nothing is watched
std::uint64_t g_step;
std::uint64_t g_chunk_at;  // step of the last chunk_is_full()
std::uint32_t g_accesses;
std::uint32_t g_rounds;
std::uint32_t g_stacks;
// The access that a round begins with.
const RaddleSite* g_site;
const void* g_address;
std::uint64_t g_value;
LocalState g_place;

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
  g_accesses = g_rounds = g_stacks = 0;
  g_site = nullptr;
  g_hooks_watched = true;
  g_hooks_state->deciding = 2;  // every access comes to the runtime
}

void chunk_is_full() {
  if (steps_so_far() == g_chunk_at) watch_hooks();
  g_chunk_at = steps_so_far();
}

bool decides_unwatched(const RaddleSite* site) {
  // An atomic operation asks for its decision itself, whatever `deciding` says. If that were left
  // out here, an execution would lose a step whenever a sample comes shortly before one; and the
  // busier the machine, the more samples.
  if (is_atomic(static_cast<EventKind>(site->kind))) return true;
  const std::uint8_t deciding = g_hooks_watched ? g_deciding : g_hooks_state->deciding;
  return deciding > 1 || (deciding != 0 && site->decides != 0);
}

std::uint64_t waiting_loop_at(const RaddleSite* site, const void* address) {
  if (steps_so_far() != g_step || !reads(*site) || ++g_accesses > kMostAccesses) {
    stop_watching();
    return 0;
  }
  if (g_site == nullptr) {
    g_site = site;
    g_address = address;
    return 0;
  }
  if (site != g_site || address != g_address) return 0;
  // Only now: if the address is bad, the first access has crashed, in the program and not here.
  std::uint64_t value = 0;
  memcpy(&value, address, site->size < sizeof(value) ? site->size : sizeof(value));
  const LocalState place = local_state(self());
  if (++g_stacks == 1) {
    g_value = value;
    g_place = place;
    return 0;
  }
  if (value != g_value || place.hash != g_place.hash || place.pc != g_place.pc) {
    if (g_stacks > kMostStacks) stop_watching();
    return 0;
  }
  if (++g_rounds < kRounds) return 0;
  stop_watching();
  return place.pc;
}

}  // namespace raddle
