// Blocks of the heap that code with hooks allocated, while they live. If such code frees one, too,
// then to free it is to write all of it. Otherwise code without hooks may know by what it counts
// that all others are done. Who calls does not say enough: the end of a catch block jumps to
// free(), and the C++ library counts who else has the exception. So the program must have allocated
// it, too.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "host/analysis/model/execution_state.hpp"
#include "protocol/event.hpp"

namespace raddle {

class OwnBlocks {
 public:
  explicit OwnBlocks(const ExecutionState& state) : state_(state) {}

  void allocate(const Event& event) {
    if (is_seen_code(event.site)) {
      blocks_.insert(event.object);
    } else {
      blocks_.erase(event.object);
    }
  }
  // The block's life ends. Whether that counts as a write of it.
  bool free(const Event& event) {
    return blocks_.erase(event.object) != 0 && is_seen_code(event.site);
  }

 private:
  bool is_seen_code(SiteId site) const {
    const std::vector<SiteFrame>& frames = state_.site(site).frames;
    return !frames.empty() && !frames.front().file.empty();
  }

  const ExecutionState& state_;
  std::unordered_set<std::uint64_t> blocks_;
};

}  // namespace raddle
