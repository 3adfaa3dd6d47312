// Blocks of the heap while they live, and whether code with hooks allocated them. If such code
// frees one, too, then to free it is to write all of it. Otherwise code without hooks may know by
// what it counts that all others are done. Who calls does not say enough: the end of a catch block
// jumps to free(), and the C++ library counts who else has the exception. So the program must have
// allocated it, too.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "host/analysis/model/execution_state.hpp"
#include "protocol/event.hpp"

namespace raddle {

class OwnBlocks {
 public:
  explicit OwnBlocks(const ExecutionState& state) : state_(state) {}

  void allocate(const Event& event) { blocks_[event.object] = is_seen_code(event.site); }

  // Whether the end of a block's life counts as a write of it.
  enum class End : std::uint8_t { kNoWrite, kMayWrite, kWrite };
  // kMayWrite: who allocated the block is not known, since that was before the trace begins (a
  // constructor of a global object). What claims a race must not count it; what looks for places
  // whose order may matter must.
  End free(const Event& event) {
    const auto found = blocks_.find(event.object);
    const bool known = found != blocks_.end();
    const bool own = known && found->second;
    if (known) blocks_.erase(found);
    if (!is_seen_code(event.site)) return End::kNoWrite;
    return own ? End::kWrite : known ? End::kNoWrite : End::kMayWrite;
  }

 private:
  bool is_seen_code(SiteId site) const {
    const std::vector<SiteFrame>& frames = state_.site(site).frames;
    return !frames.empty() && !frames.front().file.empty();
  }

  const ExecutionState& state_;
  std::unordered_map<std::uint64_t, bool> blocks_;  // whether code with hooks allocated it
};

}  // namespace raddle
