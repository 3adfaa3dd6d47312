// Which table of virtual functions an object has, as far as it was seen. A destructor begins by
// writing that of its own class, which is there already unless a derived class's destructor came
// before: a write that changes nothing, that nobody wrote, and that no reader can see. A thread
// that the destructor then waits for may read the table meanwhile.
#pragma once

#include <cstdint>
#include <map>

#include "protocol/event.hpp"

namespace raddle {

class VirtualTables {
 public:
  // A write by code that writes tables; true: it leaves what was there.
  bool repeats(const Event& event) {
    if ((event.flags & kNoValue) != 0) return false;
    const auto [at, is_new] = tables_.try_emplace(event.object, event.value);
    if (is_new) return false;
    const bool same = at->second == event.value;
    at->second = event.value;
    return same;
  }
  // What is there is of something else from now on.
  void renew(std::uint64_t address, std::uint64_t bytes) {
    if (tables_.empty()) return;
    tables_.erase(tables_.lower_bound(address), tables_.lower_bound(address + bytes));
  }

 private:
  std::map<std::uint64_t, std::uint64_t> tables_;  // by the address of the pointer to it
};

}  // namespace raddle
