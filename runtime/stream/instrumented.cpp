#include "runtime/stream/instrumented.hpp"

#include <dlfcn.h>

#include "hooks/abi.h"
#include "runtime/sched/scheduler.hpp"
#include "runtime/stream/retries.hpp"
#include "runtime/stream/stream.hpp"

static_assert(offsetof(RaddleStream, cursor) == offsetof(raddle::Stream, cursor));
static_assert(offsetof(RaddleStream, limit) == offsetof(raddle::Stream, limit));
static_assert(sizeof(RaddleRecord) == sizeof(raddle::RawRecord));

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

// Before what the site does.
void point(const RaddleSite* site, const void* address) {
  memory_point(static_cast<EventKind>(site->kind), address, site->size,
               reinterpret_cast<std::uint64_t>(site));
}

}  // namespace

void memory_point(EventKind kind, const void* address, std::uint16_t bytes, std::uint64_t site) {
  if (!controlled()) return;
  RuntimeScope scope;
  OpKind op = op_of(kind);
  if (address == nullptr) return decide(op, nullptr, site);
  Object& object = object_at(ObjectClass::memory, address, site);
  const bool writes = op != OpKind::atomic_load && op != OpKind::memory_read;
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

void start_hooks(Stream* stream, bool memory) {
  if (g_state == nullptr) return;
  if (g_state->version != RADDLE_STATE_VERSION) {
    fatal(
        "the program was built by a raddle-cc of another version; build it again, or install "
        "Raddle's parts together");
  }
  g_state->flush = flush_stream;
  g_state->point = point;
  g_state->stream = reinterpret_cast<RaddleStream*>(stream);
  g_state->control = 1;
  g_state->tracing = stream != nullptr && memory ? 1 : 0;
}

void stop_hooks() {
  if (g_state == nullptr) return;
  g_state->control = 0;
  g_state->tracing = 0;
}

bool is_instrumented() { return g_state != nullptr || g_tsan_modules; }

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
  start_hooks(g_stream, plan().trace == TraceLevel::kMemory);
}
