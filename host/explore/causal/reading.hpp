// Turns an execution into events of the causal model and adds them to what is known. Knows which
// operations the model has; an execution with others cannot be explored that way.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/causal/histories.hpp"
#include "host/causal/question.hpp"
#include "host/causal/world.hpp"
#include "host/explore/executor.hpp"

namespace raddle {

// Why an execution does not fit the model.
struct CausalProblem {
  enum Kind : std::uint8_t {
    kNone,
    kUnknownOperation,  // the model does not have it: `op`
    kNoValues,          // the executor did not say what accesses found
    kUnseenWrite,       // memory changed without an access that was seen
    kContradiction,     // the same history led to different steps: `difference`
    kNotFollowed,       // a schedule that the model calls feasible: `step`, `wanted`, `came`
  };
  Kind kind = kNone;
  std::uint64_t step = 0;
  ThreadId thread = kNoThread;
  OpKind op = OpKind::none;
  std::uint64_t site = 0;
  causal::Contradiction difference;
  StepRecord wanted{};
  StepRecord came{};
};

// Threads and objects of the program have numbers that depend on the schedule. The model's do not:
// a thread is known by who created it, and the how many-eth it was.
class CausalReading {
 public:
  explicit CausalReading(causal::Histories& histories) : histories_(histories) {}

  // Adds an execution.
  CausalProblem read(const Explored& execution);

  // What was done, as a schedule of the model.
  const std::vector<causal::Move>& moves() const { return moves_; }
  // Some step led where no execution had been.
  bool found_news() const { return found_news_; }

  // The choices for a schedule of the model. Only threads and value choices mean something.
  std::vector<StepRecord> prefix(const std::vector<causal::Move>& schedule) const;

 private:
  causal::ThreadIndex identity(causal::ThreadIndex creator, std::uint32_t ordinal);
  causal::NodeId& position(ThreadId thread);
  std::uint64_t object(std::uint64_t id) const;
  bool is_alone(ThreadId thread);
  std::optional<causal::Action> action_of(const Pending& p);
  bool values_of(const Explored& execution, std::size_t step, causal::Event& event);
  bool note_memory(const causal::Event& event);
  CausalProblem announce(const Pending& p, bool could_move, std::size_t step);
  CausalProblem step(const Explored& execution, std::size_t at);
  CausalProblem end(const Explored& execution);

  causal::Histories& histories_;
  std::map<std::pair<causal::ThreadIndex, std::uint32_t>, causal::ThreadIndex> created_;
  std::uint32_t threads_ = 0;  // of the model

  // Of the execution that read() looks at.
  std::vector<causal::ThreadIndex> index_;  // by ThreadId
  std::map<ThreadId, causal::NodeId> at_;
  std::map<causal::ThreadIndex, std::uint32_t> creations_;
  std::map<std::uint64_t, std::uint8_t> memory_;
  std::map<std::uint64_t, std::int64_t> semaphore_changes_;
  std::span<const std::uint64_t> objects_;
  std::vector<std::uint8_t> before_;  // of the access that is looked at
  std::vector<causal::Move> moves_;
  bool found_news_ = false;
};

}  // namespace raddle
