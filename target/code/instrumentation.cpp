#include "target/code/instrumentation.hpp"

#include <dlfcn.h>

namespace raddle {

RaddleState* g_hooks_state;

namespace {

bool g_tsan_modules;
bool g_checking_allocator;

// The program's own. It leaves the list of modules when the process ends, while other threads of
// the program may go on; it stays in memory.
const RaddleModule* g_program;

template <typename Wanted>
bool any_module(const Wanted& wanted) {
  for (const RaddleModule* m = g_hooks_state->modules; m != nullptr; m = m->next) {
    if (wanted(*m)) return true;
  }
  return g_program != nullptr && wanted(*g_program);
}

}  // namespace

bool find_hooks() {
  constexpr const char* kCheckers[] = {"__asan_init", "__hwasan_init", "__msan_init"};
  for (const char* name : kCheckers)
    g_checking_allocator = g_checking_allocator || dlsym(RTLD_DEFAULT, name) != nullptr;
  if (g_hooks_state == nullptr) {
    g_hooks_state = static_cast<RaddleState*>(dlsym(RTLD_DEFAULT, "__raddle_state"));
  }
  // The last one that was linked when the program begins.
  if (g_hooks_state != nullptr && g_program == nullptr) g_program = g_hooks_state->modules;
  return is_instrumented();
}

void note_tsan_module() { g_tsan_modules = true; }

bool is_instrumented() { return g_hooks_state != nullptr || g_tsan_modules; }

bool has_checking_allocator() { return g_checking_allocator; }

RaddleSite* described_site(std::uint64_t address) {
  if (g_hooks_state == nullptr) return nullptr;
  auto* site = reinterpret_cast<RaddleSite*>(address);
  const bool known = any_module(
      [site](const RaddleModule& m) { return site >= m.sites_begin && site < m.sites_end; });
  return known ? site : nullptr;
}

bool in_hooks(std::uint64_t code) {
  if (g_hooks_state == nullptr) return false;
  return any_module([code](const RaddleModule& m) {
    return code >= reinterpret_cast<std::uint64_t>(m.hooks_begin) &&
           code < reinterpret_cast<std::uint64_t>(m.hooks_end);
  });
}

std::uint64_t allocating_site() {
  return g_hooks_state != nullptr ? reinterpret_cast<std::uint64_t>(g_hooks_state->allocating) : 0;
}

}  // namespace raddle
