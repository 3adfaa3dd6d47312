// What one execution implies about others (Luo's dissertation, section 4.2; the same model as the
// explorer's): schedules in which two of its accesses stand next to each other, those in which some
// of its steps come in a certain order, and those that end in a deadlock. Each is a *witness*: the
// model says that the program follows it, because every thread sees on the way what it saw before.
// Knows nothing of processes; not thread-safe.
//
// Questions come in groups and are answered by several threads. What comes of them does not depend
// on how many.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "host/causal/conversation.hpp"
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

struct PredictionQuery {
  enum Kind : std::uint8_t {
    kNextToEachOther,  // two steps, the second right after the first
    kProvedOrder,      // the steps come in this order, the last one at the end of the schedule
    kTriedOrder,       // the same with causal::Trust::kTried: the program may go another way
  };
  Kind kind = kNextToEachOther;
  std::vector<std::uint64_t> steps;  // of the choice log
};

class Prediction {
 public:
  // Events of a window: a question about so many takes some hundredths of a second.
  static constexpr std::size_t kWindow = 400;

  // `window`: events of one; 0: the whole execution. `threads` answer questions.
  explicit Prediction(const causal::Rules& rules, std::size_t window = kWindow,
                      unsigned threads = 1)
      : rules_(rules), window_(window), threads_(threads), reading_(histories_, sharing_) {}
  Prediction(const Prediction&) = delete;
  Prediction& operator=(const Prediction&) = delete;

  // Once, before anything else. kNone: it fits the model.
  CausalProblem learn(const Explored& execution);

  // In the order of the execution. Of each two places, no more pairs than are worth a question.
  std::vector<RacingPlaces> pairs() const;

  // A schedule for each query; none if there is none, or nobody knows.
  std::vector<std::optional<CausalWork>> ask(std::span<const PredictionQuery> queries);
  // Schedules that end in deadlocks, others each time; asks about the next few windows that may
  // have more.
  std::vector<CausalWork> deadlocks();
  bool asked_for_all_deadlocks() const { return settled_windows() == windows(); }
  // That have no more deadlocks, or none that anybody knows.
  std::size_t settled_windows() const;

  std::size_t windows() const { return windows_ ? windows_->list().size() : 0; }
  std::uint64_t queries() const { return queries_; }
  std::uint64_t unknown() const { return unknown_; }
  // Queries whose answer was clear without the solver.
  std::uint64_t pruned() const { return pruned_; }
  // What the solver did for all of them, in its units of work.
  std::uint64_t effort() const { return effort_; }
  // Queries that were not asked, because no window has all their steps.
  std::uint64_t too_far_apart() const { return too_far_; }

 private:
  struct Asked;

  void count(const causal::Answer& answer);
  std::optional<std::size_t> index_of(std::uint64_t step) const;
  Asked prepare(const PredictionQuery& query);
  void answer(Asked& asked, causal::Conversation& conversation) const;
  void open_conversations(std::span<const Asked> all);
  causal::Answer standstill(const Window& window, std::vector<causal::Answer>& all) const;
  void in_parallel(std::size_t tasks, const std::function<void(std::size_t)>& task) const;

  causal::Rules rules_;
  std::size_t window_;
  unsigned threads_;
  causal::Histories histories_;
  Sharing sharing_;
  CausalReading reading_;
  std::vector<StepRecord> log_;
  std::unique_ptr<Windows> windows_;
  // The windows that were asked about last.
  std::list<std::pair<const Window*, std::unique_ptr<causal::Conversation>>> conversations_;
  std::vector<bool> standstills_;  // of windows: all that they have are known
  std::vector<causal::Blocked> deadlocks_;
  std::vector<causal::Blocked> cycles_;
  std::uint64_t queries_ = 0;
  std::uint64_t unknown_ = 0;
  std::uint64_t pruned_ = 0;
  std::uint64_t effort_ = 0;
  std::uint64_t too_far_ = 0;
};

}  // namespace raddle
