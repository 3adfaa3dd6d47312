#include "target/instrumented/deciding.hpp"

#include "target/base/base.hpp"
#include "target/code/instrumentation.hpp"
#include "target/state/object.hpp"

namespace raddle {

bool g_code_decides;

namespace {

bool g_everything;
bool g_marked;  // some sites are

// Open addressing, power of two, at most half full; 0 is no code.
std::uint64_t* g_codes;
std::uint64_t g_capacity;

std::uint64_t slot_of(std::uint64_t code) {
  std::uint64_t i = (code * 0x9e3779b97f4a7c15ULL >> 32) & (g_capacity - 1);
  while (g_codes[i] != 0 && g_codes[i] != code) i = (i + 1) & (g_capacity - 1);
  return i;
}

bool decides(const AimSite& target) {
  switch (target.role) {
    case AimRole::kDecides:
    case AimRole::kStep:
      return true;
    case AimRole::kWindow:
    case AimRole::kSelected:
    case AimRole::kWork:
    case AimRole::kReads:
    case AimRole::kSees:
    case AimRole::kRival:
      return false;
  }
  return false;
}

RaddleSite* site_at(const RaddleState* state, std::uint64_t address) {
  if (state == nullptr) return nullptr;
  for (const RaddleModule* m = state->modules; m != nullptr; m = m->next) {
    auto begin = reinterpret_cast<std::uint64_t>(m->sites_begin);
    auto end = reinterpret_cast<std::uint64_t>(m->sites_end);
    if (address < begin || address >= end || (address - begin) % sizeof(RaddleSite) != 0) continue;
    return reinterpret_cast<RaddleSite*>(address);
  }
  return nullptr;
}

}  // namespace

bool needs_scopes(const SharedRegion& region) {
  if ((region.plan.atomic_blocks & (kBlocksAnnotated | kBlocksFunctions)) != 0) return true;
  for (std::uint32_t i = 0; i < region.plan.aims; ++i) {
    if (region.aims[i].context != 0) return true;
  }
  return false;
}

bool needs_hooks(const SharedRegion& region) {
  const Plan& plan = region.plan;
  return plan.decide == DecideKind::kEvery || plan.aims > 0 || needs_scopes(region);
}

namespace {

void mark_sites(const SharedRegion& region, RaddleState* state);

}  // namespace

void start_deciding(const SharedRegion& region, RaddleState* state) {
  mark_sites(region, state);
  // Where explorers go by values, no block is used again, and freeing leaves its bytes as they are.
  g_frees_decide = g_code_decides && is_instrumented() && !region.plan.by_values;
}

namespace {

void mark_sites(const SharedRegion& region, RaddleState* state) {
  const Plan& plan = region.plan;
  if (g_marked) {  // by an earlier execution of this process
    for (RaddleModule* m = state->modules; m != nullptr; m = m->next) {
      for (RaddleSite* site = m->sites_begin; site != m->sites_end; ++site) site->decides = 0;
    }
    g_marked = false;
  }
  g_codes = nullptr;
  g_everything = g_code_decides = plan.decide == DecideKind::kEvery;
  if (state != nullptr) state->deciding = g_everything ? 2 : 0;
  if (g_everything || plan.aims == 0) return;
  g_capacity = 64;
  while (g_capacity < 2 * std::uint64_t{plan.aims}) g_capacity *= 2;
  g_codes = static_cast<std::uint64_t*>(arena_allocate(g_capacity * sizeof(std::uint64_t)));
  for (std::uint32_t i = 0; i < plan.aims; ++i) {
    const AimSite& target = region.aims[i];
    if (!decides(target) || target.site == 0) continue;
    RaddleSite* site = site_at(state, target.site);
    if (state != nullptr && site != nullptr) {
      site->decides = 1;
      state->deciding = 1;
      g_marked = true;
    } else {
      g_codes[slot_of(target.site)] = target.site;
      g_code_decides = true;
    }
  }
}

}  // namespace

bool decides_at(std::uint64_t code) {
  return g_everything || (g_codes != nullptr && g_codes[slot_of(code)] == code);
}

}  // namespace raddle
