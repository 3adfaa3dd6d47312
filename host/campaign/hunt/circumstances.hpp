// What a real machine may do and no schedule says: a wait that times out although whom it waits for
// could run, a wait for a condition that returns without a signal. A hunt spends a share of its
// executions on plans that allow one of these, where the program has such waits. What was asked for
// by the user is none: it is allowed in every execution then. Transfers that move less than they
// could and allocations that fail are allowed only if asked for, since most of what comes of them
// involves no second thread; and are always said.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "protocol/circumstances.hpp"
#include "protocol/plan.hpp"

namespace raddle {

// What a failure takes besides its schedule. kRare: that nobody else runs for kLongTimeout.
enum class Burden : std::uint8_t { kNone, kPossible, kRare };
Burden burden_of(const Circumstances& met);

// Without what the user's own plan allows.
Circumstances beyond(const Plan& asked, Circumstances met);

class CircumstanceTurns {
 public:
  static constexpr std::size_t kKinds = 3;

  explicit CircumstanceTurns(const Plan& asked);

  // An execution had sleeps or waits with a time-out; waits for a condition.
  void saw(bool timed, bool conditions);

  // The program has a use for one.
  bool any() const;
  // Then: changes a plan that has everything but a circumstance.
  void apply(Plan& plan, std::uint64_t expected_length);
  // How such an execution ended, in the order of apply(). If many have no end, such as those of a
  // loop that waits with a time-out for something else, there are no more of their kind.
  void ended(const Plan& plan, bool conclusive);

  // Each kind that the program has a use for has had enough executions.
  bool settled() const;

 private:
  struct Kind {
    ClockKind clock;
    bool spurious;
    bool wanted = true;   // the user has not asked for it
    bool of_use = false;  // the program has such waits
    std::uint64_t tried = 0;
    std::uint64_t endless = 0;  // in a row

    bool is_open() const;
    bool has_enough() const;
  };
  Kind* kind_of(const Plan& plan);

  std::array<Kind, kKinds> kinds_;
  std::size_t next_ = 0;
};

}  // namespace raddle
