#include "target/instrumented/scopes.hpp"

#include <string.h>

#include "protocol/site.hpp"
#include "target/base/base.hpp"
#include "target/sched/scheduler.hpp"

namespace raddle {
namespace {

struct Scope {
  std::uint64_t caller;  // the context around it
  bool block;
  bool library;  // the C++ library's own function
};

struct Jump {
  const void* buffer;
  std::size_t depth;
};

struct Scopes {
  GrowingArray<Scope> open;
  std::size_t depth;
  std::size_t own;  // of them, the program's own functions
  GrowingArray<Jump> jumps;
};

Scopes& scopes_of(Thread& thread) {
  if (thread.scopes == nullptr) thread.scopes = arena_new<Scopes>();
  return *static_cast<Scopes*>(thread.scopes);
}

const char* text_at(const int32_t& offset) {
  return offset == 0 ? "" : reinterpret_cast<const char*>(&offset) + offset;
}

// By the linkage name: in namespace std or __gnu_cxx.
bool is_library(const RaddleSite* site) {
  if (site->frame == 0) return false;
  auto* frame = reinterpret_cast<const RaddleFrame*>(reinterpret_cast<const char*>(&site->frame) +
                                                     site->frame);
  const char* name = text_at(frame->function);
  constexpr const char* kPrefixes[] = {"_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx",
                                       "_ZNK9__gnu_cxx"};
  for (const char* prefix : kPrefixes) {
    if (strncmp(name, prefix, strlen(prefix)) == 0) return true;
  }
  return false;
}

bool wants(std::uint8_t source) { return (plan().atomic_blocks & source) != 0; }

void enter(Thread& thread, const RaddleSite* site, std::uint64_t call) {
  Scopes& scopes = scopes_of(thread);
  scopes.open.reach(scopes.depth);
  Scope& scope = scopes.open[scopes.depth++];
  scope.caller = thread.scope_context;
  scope.library = is_library(site);
  if (!scope.library) ++scopes.own;
  // What a thread was created for is no unit of work, as in host/analysis/model/blocks.cpp.
  scope.block = (wants(kBlocksAnnotated) && (site->flags & kSiteAtomic) != 0) ||
                (wants(kBlocksFunctions) && (site->flags & kSiteUnit) != 0 && scopes.own > 1);
  thread.scope_context = entered_context(scope.caller, reinterpret_cast<std::uint64_t>(site), call);
  if (scope.block) block_changed(true);
}

void leave(Thread& thread) {
  Scopes& scopes = scopes_of(thread);
  if (scopes.depth == 0) return;  // entered before anybody looked
  const Scope scope = scopes.open[--scopes.depth];
  if (!scope.library) --scopes.own;
  thread.scope_context = scope.caller;
  if (scope.block) block_changed(false);
}

void jumped(Thread& thread, const void* buffer, std::uint64_t result) {
  Scopes& scopes = scopes_of(thread);
  std::size_t i = 0;
  while (i < scopes.jumps.size() && scopes.jumps[i].buffer != buffer) ++i;
  if (result == 0) {
    scopes.jumps.reach(i);
    scopes.jumps[i] = {buffer, scopes.depth};
    return;
  }
  if (i == scopes.jumps.size()) return;
  while (scopes.depth > scopes.jumps[i].depth) leave(thread);
}

}  // namespace

void note_scope(const RaddleSite* site, const void* object, std::uint64_t value) {
  if (!controlled()) return;
  RuntimeScope scope;
  Thread& thread = self();
  if (site == nullptr) return jumped(thread, object, value);
  const auto kind = static_cast<EventKind>(site->kind);
  if (kind == EventKind::enter) {
    enter(thread, site, value);
  } else if (kind == EventKind::exit) {
    leave(thread);
  } else if (kind == EventKind::block_enter || kind == EventKind::block_exit) {
    if (wants(kBlocksAnnotated)) block_changed(kind == EventKind::block_enter);
  } else if (kind == EventKind::unit_enter || kind == EventKind::unit_exit) {
    if (wants(kBlocksFunctions)) block_changed(kind == EventKind::unit_enter);
  }
}

}  // namespace raddle
