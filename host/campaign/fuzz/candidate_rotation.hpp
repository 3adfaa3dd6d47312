// Which candidate each execution of a campaign is to bring about, as an active tester would have
// it: every candidate gets a few tries, and what came about goes on.
//
// Executions come in batches. While candidates are left that have not had their tries, every second
// execution of a batch is for one of these, in the order in which they were found. The others go to
// the candidates that came about, in proportion to how often they did when they were tried; one in
// eight to one that never did, in turn. As long as none has, they are tried in turn.
//
// To come about is a matter of the detector, not of the strategy's word: executions of a candidate
// that no detector has seen yet are to be looked at, a number of times.
//
// A batch is made from what the executions before the last batch showed, so executions of two
// batches can run at the same time, and the same campaign is shared out in the same way however
// many of them do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace raddle {

class CandidateRotation {
 public:
  static constexpr std::uint64_t kBatch = 32;
  static constexpr std::uint64_t kTries = 3;
  static constexpr std::uint64_t kRarely = 8;
  static constexpr std::uint64_t kMostLooks = 20;

  explicit CandidateRotation(std::size_t candidates);

  // The candidate of the execution with this number, from 0. The executions below may_ask() only.
  std::size_t candidate_of(std::uint64_t execution) const {
    return assigned_[static_cast<std::size_t>(execution)].candidate;
  }
  // Whether it is to be looked at, if the strategy says that it brought its candidate about.
  bool wants_look(std::uint64_t execution) const {
    return assigned_[static_cast<std::size_t>(execution)].look;
  }
  std::uint64_t may_ask() const { return assigned_.size(); }

  // An execution has ended; in the order of their numbers, each once. `realised`: by the strategy's
  // word; `seen`: by the detector, if it was looked at.
  void ended(std::uint64_t execution, bool realised, bool seen);

 private:
  struct Arm {
    std::uint64_t given = 0;  // executions, also such that have not ended
    std::uint64_t ended = 0;
    std::uint64_t looked = 0;
    std::uint64_t came_about = 0;
  };
  struct Assigned {
    std::uint32_t candidate = 0;
    bool look = false;
  };

  void plan_batch();
  bool untried(std::size_t& at);
  bool reached(std::size_t& at) const;
  bool unreached(std::size_t& at);

  std::vector<Arm> arms_;
  std::vector<Assigned> assigned_;
  std::size_t next_unreached_ = 0;
  std::uint64_t turns_ = 0;  // of those that do not explore
};

}  // namespace raddle
