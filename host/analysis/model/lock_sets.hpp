// Sets of locks, interned: a set is a number, intersecting two is a lookup nearly always. Used by
// the lockset analysis, where each location has one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host/analysis/model/execution_state.hpp"
#include "host/base/intern.hpp"

namespace raddle {

enum class LockSetId : std::uint32_t {};
inline constexpr LockSetId kEmptyLockSet{0};
inline constexpr LockSetId kAllLocks{1};  // before anything was intersected with it
constexpr std::uint32_t raw(LockSetId id) { return static_cast<std::uint32_t>(id); }

class LockSets {
 public:
  explicit LockSets(const ExecutionState& state);

  // What a thread holds in any mode, and exclusively: a lock held for reading does not protect a
  // write.
  LockSetId any(HeldId held) { return sets_of(held).any; }
  LockSetId exclusive(HeldId held) { return sets_of(held).exclusive; }

  LockSetId intersect(LockSetId a, LockSetId b);
  std::vector<std::uint64_t> locks(LockSetId set) const;  // in order of address

 private:
  // A set is a list in ascending order, as a tree of common prefixes.
  struct Node {
    LockSetId rest{};
    std::uint64_t lock = 0;  // the greatest
    bool operator==(const Node&) const = default;
    std::uint64_t hash() const { return mix(raw(rest), lock); }
  };
  struct Pair {
    LockSetId any{}, exclusive{};
    bool known = false;
  };
  struct Cached {
    LockSetId a{}, b{}, result{};
  };
  static constexpr std::size_t kCache = 1024;

  const Pair& sets_of(HeldId held);
  LockSetId make(std::vector<std::uint64_t> locks);

  const ExecutionState& state_;
  Interner<Node> sets_;
  std::vector<Pair> held_;  // by HeldId
  std::vector<Cached> cache_;
};

}  // namespace raddle
