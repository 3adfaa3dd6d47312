#include "target/stream/instrumented.hpp"

#include <dlfcn.h>
#include <string.h>

#include "protocol/hooks_abi.h"
#include "target/sched/scheduler.hpp"
#include "target/stream/deciding.hpp"
#include "target/stream/retries.hpp"
#include "target/stream/rounds.hpp"
#include "target/stream/scopes.hpp"
#include "target/stream/stream.hpp"

namespace raddle {
namespace {

RaddleState* g_state;
bool g_tsan_modules;

OpKind op_of(EventKind kind) {
  switch (kind) {
    case EventKind::atomic_load:
      return OpKind::atomic_load;
    case EventKind::atomic_store:
      return OpKind::atomic_store;
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
      return OpKind::atomic_update;
    case EventKind::fence:
      return OpKind::fence;
    case EventKind::read:
    case EventKind::read_range:
      return OpKind::memory_read;
    default:  // sites of other kinds have no decision point of their own; a write may be anything
      return OpKind::memory_write;
  }
}

// A plain read that finds the same again, in the same place with the same registers and the same
// innermost variables: the thread waits there for somebody else. `frame` is that of a function that
// saved all registers which its caller may use.
bool waits_in_place(Thread& thread, std::uint64_t site, const void* address, std::uint16_t bytes,
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

// A decision point if the thread is in a loop that reads, and nothing else, until another one
// writes.
void watch_round(const RaddleSite* site, const void* address) {
  if (!controlled()) return;
  RuntimeScope scope;
  const std::uint64_t loop = waits_in_rounds(site, address);
  if (loop != 0) decide(OpKind::spin, nullptr, loop);
}

// Before what the site does.
void point(const RaddleSite* site, const void* address) {
  if (__builtin_expect(g_rounds_watched, 0)) {
    const bool wanted = is_point(site);
    watch_round(site, address);
    if (!wanted) return;
  }
  memory_point(static_cast<EventKind>(site->kind), address, site->size,
               reinterpret_cast<std::uint64_t>(site));
}

}  // namespace

void memory_point(EventKind kind, const void* address, std::uint16_t bytes, std::uint64_t site) {
  if (!controlled()) return;
  RuntimeScope scope;
  OpKind op = op_of(kind);
  if (address == nullptr) return decide(op, nullptr, site);
  if (g_stream != nullptr && is_atomic(kind))
    note_object(reinterpret_cast<std::uint64_t>(address), site);
  Object& object = object_at(ObjectClass::memory, address, site);
  const bool writes = op != OpKind::atomic_load && op != OpKind::memory_read;
  if (kind == EventKind::read) {
    __builtin_unwind_init();  // all registers that a caller may use are in this frame from here on
    if (waits_in_place(self(), site, address, bytes, __builtin_frame_address(0)))
      op = OpKind::memory_again;
  }
  if (!is_atomic(kind)) {
    settle_atomics(self(), op);
  } else if (tries_again(self(), object, bytes, site, writes)) {
    op = OpKind::atomic_again;
  }
  decide(op, &object, site, touched_bytes(reinterpret_cast<std::uint64_t>(address), bytes, writes));
}

void note_tsan_module() { g_tsan_modules = true; }

bool find_hooks() {
  if (g_state == nullptr)
    g_state = static_cast<RaddleState*>(dlsym(RTLD_DEFAULT, "__raddle_state"));
  return is_instrumented();
}

namespace {

// Where hooks write when nobody wants to know.
std::uint8_t g_scratch_bytes[4096];
std::uint64_t g_scratch_sites[RADDLE_MOST_SITES];
RaddleStream g_scratch;

void rewind_scratch() {
  g_scratch.cursor = g_scratch_bytes;
  constexpr unsigned kMany = 64;
  static unsigned times;
  if (++times % kMany == 0) many_events();
}

RaddleStream* scratch() {
  rewind_scratch();
  g_scratch.limit = g_scratch_bytes + sizeof g_scratch_bytes - RADDLE_CHUNK_SLACK;
  g_scratch.site_list = g_scratch_sites;
  g_scratch.sites = 0;
  return &g_scratch;
}

// Sites have ids of one stream. Those of an earlier execution in this process are forgotten.
void forget_ids() {
  static bool given;
  for (const RaddleModule* m = g_state->modules; m != nullptr && given; m = m->next) {
    for (RaddleSite* site = m->sites_begin; site < m->sites_end; ++site) {
      if (site->id != 0) site->id = 0;
    }
  }
  given = true;
}

}  // namespace

void start_hooks(RaddleStream* stream, const SharedRegion& region) {
  start_deciding(region, g_state);
  forget_rounds(g_state);
  if (g_state == nullptr) return;
  if (g_state->version != RADDLE_STATE_VERSION) {
    fatal(
        "the program was built by a raddle-cc of another version; build it again, or install "
        "Raddle's parts together");
  }
  const bool memory = stream != nullptr && region.plan.trace == TraceLevel::kMemory;
  const bool hooks = memory || needs_hooks(region);
  if (hooks) forget_ids();
  g_state->flush = memory ? flush_stream : rewind_scratch;
  g_state->point = point;
  g_state->scope = note_scope;
  g_state->watching = needs_scopes(region) ? 1 : 0;
  g_state->stream = memory ? stream : hooks ? scratch() : nullptr;
  g_state->control = 1;
  g_state->tracing = hooks ? 1 : 0;
}

void stop_hooks() {
  if (g_state == nullptr) return;
  forget_rounds(g_state);
  g_state->control = 0;
  g_state->tracing = 0;
  g_state->deciding = 0;
  g_state->watching = 0;
}

bool is_instrumented() { return g_state != nullptr || g_tsan_modules; }

RaddleSite* described_site(std::uint64_t address) {
  if (g_state == nullptr) return nullptr;
  auto* site = reinterpret_cast<RaddleSite*>(address);
  for (const RaddleModule* m = g_state->modules; m != nullptr; m = m->next) {
    if (site >= m->sites_begin && site < m->sites_end) return site;
  }
  return nullptr;
}

bool in_hooks(std::uint64_t code) {
  if (g_state == nullptr) return false;
  for (const RaddleModule* m = g_state->modules; m != nullptr; m = m->next) {
    if (code >= reinterpret_cast<std::uint64_t>(m->hooks_begin) &&
        code < reinterpret_cast<std::uint64_t>(m->hooks_end))
      return true;
  }
  return false;
}

std::uint64_t allocating_site() {
  return g_state != nullptr ? reinterpret_cast<std::uint64_t>(g_state->allocating) : 0;
}

}  // namespace raddle

using namespace raddle;

// An instrumented module was loaded while the program runs (dlopen), or before: hooks/ calls this
// from its constructor, if we are there.
RADDLE_EXPORT void __raddle_attach(RaddleState* state) {
  if (g_state != nullptr || !g_active) return;
  g_state = state;
  start_hooks(g_stream, *g_region);
}
