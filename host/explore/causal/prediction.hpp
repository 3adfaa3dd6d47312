// What one execution implies about others (Luo's dissertation, section 4.2; the same model as the
// explorer's): schedules in which two of its accesses stand next to each other, those in which some
// of its steps come in a certain order, and those that end in a deadlock. Each is a *witness*: the
// model says that the program follows it, because every thread sees on the way what it saw before.
// Knows nothing of processes; not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "host/causal/question.hpp"
#include "host/explore/causal/causal_search.hpp"
#include "host/explore/causal/reading.hpp"
#include "host/explore/causal/windows.hpp"

namespace raddle {

// Two accesses of different threads to the same memory, as steps of the choice log. One of them
// writes, and one is not atomic.
struct RacingPair {
  std::uint64_t step[2];
  Pending access[2];
};

// The pairs whose accesses are at the same two places.
using RacingPlaces = std::vector<RacingPair>;

class Prediction {
 public:
  // Events of a window: a question about so many takes some tenths of a second.
  static constexpr std::size_t kWindow = 400;

  // `window`: events of one; 0: the whole execution.
  explicit Prediction(const causal::Rules& rules, std::size_t window = kWindow)
      : rules_(rules), window_(window), reading_(histories_, sharing_) {}
  Prediction(const Prediction&) = delete;
  Prediction& operator=(const Prediction&) = delete;

  // Once, before anything else. kNone: it fits the model.
  CausalProblem learn(const Explored& execution);

  // In the order of the execution. Of each two places, no more pairs than are worth a question.
  std::vector<RacingPlaces> pairs() const;

  // A schedule in which the two accesses come one after the other, with nothing between.
  std::optional<CausalWork> witness(const RacingPair& pair);
  // A schedule in which these steps of the choice log come in this order, the last one at its end.
  // With Trust::kTried the program may go another way.
  std::optional<CausalWork> ordered(const std::vector<std::uint64_t>& steps, causal::Trust trust);
  // A schedule that ends in a deadlock; another one each time.
  std::optional<CausalWork> deadlock();

  std::size_t windows() const { return windows_ ? windows_->list().size() : 0; }
  std::uint64_t queries() const { return queries_; }
  std::uint64_t unknown() const { return unknown_; }
  // Questions that were not asked, because no window has all their steps.
  std::uint64_t too_far_apart() const { return too_far_; }

 private:
  void count(const causal::Answer& answer);
  std::optional<std::size_t> index_of(std::uint64_t step) const;

  causal::Rules rules_;
  std::size_t window_;
  causal::Histories histories_;
  Sharing sharing_;
  CausalReading reading_;
  std::vector<StepRecord> log_;
  std::unique_ptr<Windows> windows_;
  std::size_t looked_at_ = 0;  // windows without another deadlock
  std::vector<causal::Blocked> deadlocks_;
  std::vector<causal::Blocked> cycles_;
  std::uint64_t queries_ = 0;
  std::uint64_t unknown_ = 0;
  std::uint64_t too_far_ = 0;
};

}  // namespace raddle
