#include "target/code/instrumentation.hpp"

#include <dlfcn.h>

namespace raddle {

RaddleState* g_hooks_state;

namespace {

bool g_tsan_modules;

}  // namespace

bool find_hooks() {
  if (g_hooks_state == nullptr)
    g_hooks_state = static_cast<RaddleState*>(dlsym(RTLD_DEFAULT, "__raddle_state"));
  return is_instrumented();
}

void note_tsan_module() { g_tsan_modules = true; }

bool is_instrumented() { return g_hooks_state != nullptr || g_tsan_modules; }

RaddleSite* described_site(std::uint64_t address) {
  if (g_hooks_state == nullptr) return nullptr;
  auto* site = reinterpret_cast<RaddleSite*>(address);
  for (const RaddleModule* m = g_hooks_state->modules; m != nullptr; m = m->next) {
    if (site >= m->sites_begin && site < m->sites_end) return site;
  }
  return nullptr;
}

bool in_hooks(std::uint64_t code) {
  if (g_hooks_state == nullptr) return false;
  for (const RaddleModule* m = g_hooks_state->modules; m != nullptr; m = m->next) {
    if (code >= reinterpret_cast<std::uint64_t>(m->hooks_begin) &&
        code < reinterpret_cast<std::uint64_t>(m->hooks_end))
      return true;
  }
  return false;
}

std::uint64_t allocating_site() {
  return g_hooks_state != nullptr ? reinterpret_cast<std::uint64_t>(g_hooks_state->allocating) : 0;
}

}  // namespace raddle
