// Who has used a thing and may be using it still: the latest use of each thread, as far as nothing
// orders it before a later one. When a thread comes along that knows them all, the thing is *handed
// over*: it is that thread's alone, as if it were new.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "host/analysis/model/vector_clock.hpp"

namespace raddle {

class LatestUses {
 public:
  // A use by a thread with this clock, at `now`, its own epoch in it. True: it knows all uses
  // before; they are forgotten.
  bool use(Epoch now, const VectorClock& clock) {
    const auto other =
        std::find_if(uses_.begin(), uses_.end(), [&](Epoch use) { return !clock.knows(use); });
    if (other == uses_.end()) {
      uses_.assign(1, now);
      return true;
    }
    // In front, where the next one asks first: then a use costs one comparison, nearly always.
    std::iter_swap(uses_.begin(), other);
    for (std::size_t i = 1; i < uses_.size(); ++i)
      if (uses_[i] == now) return false;
    std::erase_if(uses_, [&](Epoch use) { return clock.knows(use); });
    uses_.push_back(now);
    return false;
  }
  bool empty() const { return uses_.empty(); }
  void clear() { uses_.clear(); }

 private:
  std::vector<Epoch> uses_;
};

}  // namespace raddle
