// Turns an execution into events of the causal model and adds them to what is known. Knows which
// operations the model has; an execution with others cannot be explored that way.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/causal/histories.hpp"
#include "host/causal/question.hpp"
#include "host/causal/world.hpp"
#include "host/explore/causal/sharing.hpp"
#include "host/explore/causal_problem.hpp"
#include "host/explore/executor.hpp"

namespace raddle {

// A step of an execution, as the model sees it.
struct CausalStep {
  causal::ThreadIndex thread = 0;
  causal::NodeId at = causal::kNoNode;  // the thread before it
  Pending pending{};
  std::size_t step = 0;  // in the choice log
};

// Threads and objects of the program have numbers that depend on the schedule. The model's do not:
// a thread is known by who created it, and the how many-eth it was.
class CausalReading {
 public:
  CausalReading(causal::Histories& histories, Sharing& sharing)
      : histories_(histories), sharing_(sharing) {}

  // Learns what memory threads share, before anything else. True: what was read before has to be
  // read again, because it was taken for the memory of one thread.
  bool learn_sharing(const Explored& execution);

  // The histories are empty again.
  void begin_anew();

  // Adds an execution.
  CausalProblem read(const Explored& execution);

  // What was done, as a schedule of the model.
  const std::vector<causal::Move>& moves() const { return moves_; }
  // The same, step by step.
  const std::vector<CausalStep>& steps() const { return steps_; }
  // By thread of the execution, the model's.
  const std::vector<causal::ThreadIndex>& thread_of() const { return index_; }
  // Some step led where no execution had been.
  bool found_news() const { return found_news_; }

  // The choices for a schedule of the model. Only threads and value choices mean something.
  std::vector<StepRecord> prefix(const std::vector<causal::Move>& schedule) const;

 private:
  void identify(const Explored& execution);
  causal::ThreadIndex identity(causal::ThreadIndex creator, std::uint32_t ordinal);
  causal::NodeId& position(ThreadId thread);
  std::uint64_t object(std::uint64_t id) const;
  bool is_alone(ThreadId thread);
  std::uint64_t end_of_round(ThreadId thread, std::uint64_t barrier);
  std::optional<causal::Action> action_of(const Pending& p);
  bool values_of(const Explored& execution, std::size_t step, causal::Event& event);
  bool note_memory(const causal::Event& event);
  bool has_moved(const causal::Event& event) const;
  // What two different steps after the same history mean.
  CausalProblem::Kind contradiction() const {
    return moved_ ? CausalProblem::kMovedMemory : CausalProblem::kContradiction;
  }
  CausalProblem announce(const Pending& p, bool could_move, std::size_t step);
  CausalProblem step(const Explored& execution, std::size_t at);
  CausalProblem end(const Explored& execution);

  causal::Histories& histories_;
  Sharing& sharing_;
  std::map<std::pair<causal::ThreadIndex, std::uint32_t>, causal::ThreadIndex> created_;
  std::uint64_t executions_ = 0;         // since the histories were empty
  std::uint32_t threads_ = 0;            // of the model
  std::vector<ThreadId> first_numbers_;  // by thread of the model, in its first execution

  // Of the execution that read() looks at.
  std::vector<causal::ThreadIndex> index_;  // by ThreadId
  std::size_t existing_ = 0;                // of them, those that were created so far
  bool moved_ = false;  // heaps or stacks lie elsewhere than in the execution before
  std::map<ThreadId, causal::NodeId> at_;
  std::map<causal::ThreadIndex, std::uint32_t> creations_;
  std::map<std::uint64_t, std::uint8_t> memory_;
  std::map<std::uint64_t, std::int64_t> semaphore_changes_;
  std::map<std::uint64_t, std::uint64_t> barrier_counts_;
  std::span<const std::uint64_t> objects_;
  std::vector<std::uint8_t> before_;  // of the access that is looked at
  std::vector<causal::Move> moves_;
  std::vector<CausalStep> steps_;  // of `moves_`
  bool found_news_ = false;
};

}  // namespace raddle
