// What a thread has accessed since it entered its outermost atomic block: for each variable the
// first and the last access. A small hash table that is emptied in constant time; bounded.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/model/execution_state.hpp"
#include "host/base/intern.hpp"

namespace raddle {

class BlockAccesses {
 public:
  static constexpr std::size_t kMost = 4096;  // variables

  struct Access {
    PointId point{};
    HeldId held{};
    std::uint64_t step = 0;
    std::uint64_t position = 0;
    bool writes = false;
  };
  struct Entry {
    std::uint32_t variable = 0;
    std::uint32_t generation = 0;
    Access first, last;
  };

  void clear() {
    ++generation_;
    count_ = 0;
  }

  // False: there is no room for one more.
  bool add(std::uint32_t variable, const Access& access) {
    if (entries_.empty()) entries_.resize(64);
    if (count_ * 2 >= entries_.size() && entries_.size() < kMost * 2) grow();
    Entry& entry = slot(variable);
    if (entry.generation == generation_) {
      entry.last = access;
      return true;
    }
    if (count_ >= kMost) return false;
    entry = {variable, generation_, access, access};
    ++count_;
    return true;
  }

  // Null: not accessed, or there was no room.
  const Entry* find(std::uint32_t variable) {
    if (count_ == 0) return nullptr;
    const Entry& entry = slot(variable);
    return entry.generation == generation_ ? &entry : nullptr;
  }

 private:
  // The variable's, or the free one where it would go. There is always one: at most half is used.
  Entry& slot(std::uint32_t variable) {
    std::size_t at = mix(variable) & (entries_.size() - 1);
    while (entries_[at].generation == generation_ && entries_[at].variable != variable)
      at = (at + 1) & (entries_.size() - 1);
    return entries_[at];
  }
  void grow() {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& entry : old)
      if (entry.generation == generation_) slot(entry.variable) = entry;
  }

  std::vector<Entry> entries_;  // a power of two
  std::uint32_t generation_ = 1;
  std::size_t count_ = 0;
};

}  // namespace raddle
