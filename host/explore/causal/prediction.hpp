// What one execution implies about others (Luo's dissertation, section 4.2; the same model as the
// explorer's): schedules in which two of its accesses stand next to each other, and those that end
// in a deadlock. Each is a *witness*: the model says that the program follows it, because every
// thread sees on the way what it saw before. Knows nothing of processes; not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/causal/question.hpp"
#include "host/explore/causal/causal_search.hpp"
#include "host/explore/causal/reading.hpp"

namespace raddle {

// Two accesses of different threads to the same memory. One of them writes, and one is not atomic.
struct RacingPair {
  causal::NodeId at[2];  // the threads before their accesses
  Pending access[2];
};

// The pairs whose accesses are at the same two places.
using RacingPlaces = std::vector<RacingPair>;

class Prediction {
 public:
  explicit Prediction(const causal::Rules& rules) : rules_(rules), reading_(histories_, sharing_) {}

  // Once, before anything else. kNone: it fits the model.
  CausalProblem learn(const Explored& execution);

  // In the order of the execution. Of each two places, no more pairs than are worth a question.
  std::vector<RacingPlaces> pairs() const;

  // A schedule in which the two accesses come one after the other, with nothing between.
  std::optional<CausalWork> witness(const RacingPair& pair);
  // A schedule that ends in a deadlock; another one each time.
  std::optional<CausalWork> deadlock();

  std::uint64_t queries() const { return queries_; }
  std::uint64_t unknown() const { return unknown_; }

 private:
  void count(const causal::Answer& answer);

  causal::Rules rules_;
  causal::Histories histories_;
  Sharing sharing_;
  CausalReading reading_;
  std::vector<causal::Blocked> deadlocks_;
  std::vector<causal::Blocked> cycles_;
  std::uint64_t queries_ = 0;
  std::uint64_t unknown_ = 0;
};

}  // namespace raddle
