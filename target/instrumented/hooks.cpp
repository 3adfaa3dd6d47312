#include "target/instrumented/hooks.hpp"

#include "protocol/hooks_abi.h"
#include "target/code/instrumentation.hpp"
#include "target/heap/gone_locals.hpp"
#include "target/heap/guarded_heap.hpp"
#include "target/heap/quarantine.hpp"
#include "target/instrumented/deciding.hpp"
#include "target/instrumented/memory_faults.hpp"
#include "target/instrumented/scopes.hpp"
#include "target/sched/decision_state.hpp"
#include "target/sched/scheduler.hpp"
#include "target/stream/stream.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {
namespace {

OpKind op_of(EventKind kind) {
  if (kind == EventKind::atomic_load) return OpKind::atomic_load;
  if (kind == EventKind::atomic_store) return OpKind::atomic_store;
  if (kind == EventKind::atomic_update || kind == EventKind::atomic_compare)
    return OpKind::atomic_update;
  if (kind == EventKind::fence) return OpKind::fence;
  if (kind == EventKind::read || kind == EventKind::read_range) return OpKind::memory_read;
  return OpKind::memory_write;  // or a site of another kind, which may be anything
}

// A decision point if the thread is in a loop that reads, and nothing else, until another one
// writes.
void watch_access(const RaddleSite* site, const void* address) {
  if (!controlled()) return;
  RuntimeScope scope;
  const std::uint64_t loop = waiting_loop_at(site, address);
  if (loop != 0) decide(OpKind::spin, nullptr, loop);
}

// Before what the site does.
void point(const RaddleSite* site, const void* address) {
  if (__builtin_expect(g_hooks_watched, 0)) {
    const bool wanted = decides_unwatched(site);
    watch_access(site, address);
    if (!wanted) return;
  }
  const auto kind = static_cast<EventKind>(site->kind);
  const bool is_range = kind == EventKind::read_range || kind == EventKind::write_range;
  std::uint64_t bytes = is_range ? g_hooks_state->range : site->size;
  if (plan().by_values && site->span != RADDLE_SPAN_ALONE) {
    if (site->span == RADDLE_SPAN_REST) return;
    if (site->span != RADDLE_SPAN_OTHERS) bytes = site->span;
  }
  memory_point(kind, address, bytes, reinterpret_cast<std::uint64_t>(site));
}

}  // namespace

void memory_point(EventKind kind, const void* address, std::uint64_t bytes, std::uint64_t site) {
  if (!controlled()) return;
  RuntimeScope scope;
  OpKind op = op_of(kind);
  if (address == nullptr) return decide(op, nullptr, site);
  if (g_stream != nullptr && is_atomic(kind))
    note_object(reinterpret_cast<std::uint64_t>(address), site);
  Object& object = object_at(ObjectClass::memory, address, site);
  const bool writes = op != OpKind::atomic_load && op != OpKind::memory_read;
  const Access access{object, static_cast<std::uint16_t>(bytes), site, is_atomic(kind), writes};
  if (access.atomic) {
    if (tries_again(self(), access)) op = OpKind::atomic_again;
  } else if ((kind == EventKind::read || kind == EventKind::write) && bytes <= kMostCompared) {
    if (tries_again(self(), access) && !writes) op = OpKind::memory_again;
  } else {
    settle_looks(self(), op);
    if (writes) end_idleness();  // many bytes: nobody compares them
  }
  decide(op, &object, site, touched_bytes(reinterpret_cast<std::uint64_t>(address), bytes, writes));
  if (!access.atomic || !g_heap_guarded || !is_fault(address, bytes)) return;
  // The operation itself would be recorded when it is over.
  if (g_stream != nullptr) {
    put_event(kind, kNoValue, any_site(site), reinterpret_cast<std::uint64_t>(address), 0,
              static_cast<std::uint8_t>(bytes));
  }
  end_at_fault(address, bytes, writes);
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
  if (++times % kMany == 0) chunk_is_full();
}

RaddleStream* scratch() {
  rewind_scratch();
  g_scratch.limit = g_scratch_bytes + sizeof g_scratch_bytes - RADDLE_CHUNK_SLACK;
  g_scratch.site_list = g_scratch_sites;
  g_scratch.sites = 0;
  return &g_scratch;
}

// In one process with many executions these have a heap of their own; and where explorers go by
// values, no schedule may change an address.
bool judges_memory(const Plan& plan) {
  return !plan.memory_unjudged && !plan.by_values && !g_in_process;
}

// Sites have ids of one stream. Those of an earlier execution in this process are forgotten.
void forget_ids() {
  static bool given;
  for (const RaddleModule* m = g_hooks_state->modules; m != nullptr && given; m = m->next) {
    for (RaddleSite* site = m->sites_begin; site < m->sites_end; ++site) {
      if (site->id != 0) site->id = 0;
    }
  }
  given = true;
}

}  // namespace

void start_hooks(RaddleStream* stream, const SharedRegion& region) {
  start_deciding(region, g_hooks_state);
  reset_hook_watch();
  g_frees_kept = judges_memory(region.plan) && !has_checking_allocator();
  if (g_hooks_state == nullptr) return;
  if (g_hooks_state->version != RADDLE_STATE_VERSION) {
    fatal(
        "the program was built by a raddle-cc of another version; build it again, or install "
        "Raddle's parts together");
  }
  const bool memory = stream != nullptr && region.plan.trace == TraceLevel::kMemory;
  const bool hooks = memory || needs_hooks(region);
  g_heap_guarded = judges_memory(region.plan) && g_guarded_heap.is_mapped();
  if (g_guarded_heap.is_mapped()) g_guarded_heap.start();
  // Nobody puts this heap back, so no execution goes on from the middle.
  if (g_heap_guarded || g_guarded_heap.has_early()) take_no_points();
  g_judge_object = g_heap_guarded ? judge_object : nullptr;
  g_hooks_state->locals = g_heap_guarded ? g_gone_locals.start() : nullptr;
  if (hooks || g_heap_guarded) forget_ids();
  g_hooks_state->flush = memory ? flush_stream : rewind_scratch;
  g_hooks_state->point = point;
  g_hooks_state->scope = note_scope;
  g_hooks_state->watching = needs_scopes(region) ? 1 : 0;
  // What could not be copied has hooks, also where the rest has checks.
  g_hooks_state->stream = memory ? stream : hooks || g_heap_guarded ? scratch() : nullptr;
  g_hooks_state->fault = memory_fault;
  g_hooks_state->control = 1;
  g_hooks_state->tracing = hooks            ? RADDLE_WITH_HOOKS
                           : g_heap_guarded ? RADDLE_WITH_CHECKS
                                            : RADDLE_AS_WRITTEN;
}

void stop_hooks() {
  g_frees_kept = false;
  if (g_hooks_state == nullptr) return;
  reset_hook_watch();
  g_heap_guarded = false;
  g_judge_object = nullptr;
  g_hooks_state->locals = nullptr;
  g_hooks_state->control = 0;
  g_hooks_state->tracing = 0;
  g_hooks_state->deciding = 0;
  g_hooks_state->watching = 0;
}

}  // namespace raddle

using namespace raddle;

// An instrumented module was loaded while the program runs (dlopen), or before: hooks/ calls this
// from its constructor, if we are there.
RADDLE_EXPORT void __raddle_attach(RaddleState* state) {
  if (g_hooks_state != nullptr || !g_active) return;
  g_hooks_state = state;
  start_hooks(g_stream, *g_region);
}
