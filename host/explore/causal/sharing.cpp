#include "host/explore/causal/sharing.hpp"

namespace raddle {

bool Sharing::touch(std::uint64_t address, std::uint32_t size, causal::ThreadIndex thread) {
  bool changed = false;
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto [it, added] = owners_.try_emplace(address + i, thread);
    if (added || it->second == thread || it->second == kSeveral) continue;
    it->second = kSeveral;
    changed = true;
  }
  return changed;
}

bool Sharing::is_shared(std::uint64_t address, std::uint32_t size) const {
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto it = owners_.find(address + i);
    if (it != owners_.end() && it->second == kSeveral) return true;
  }
  return false;
}

}  // namespace raddle
