// A long execution in parts, for questions that the solver can answer: a window is some of its
// steps, with the state at its border (memory, who holds and waits for what, who has ended) as the
// beginning. A schedule of a window is one of the execution: what came before the window comes
// before it again. So each answer yes holds for the whole; a no does not.
//
// Steps that nobody else can notice are no events here: a thread makes them on the way to its next
// event.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "host/causal/histories.hpp"
#include "host/causal/world.hpp"
#include "host/explore/causal/reading.hpp"

namespace raddle {

// What was read of one execution; everything outlives the windows.
struct RecordedSteps {
  const causal::Histories& histories;
  std::span<const CausalStep> steps;
  std::span<const causal::Move> moves;             // of the steps
  std::span<const StepRecord> log;                 // choices, value choices included
  std::span<const causal::ThreadIndex> thread_of;  // by ThreadId
};

class Window {
 public:
  const causal::Histories& histories() const { return histories_; }
  std::size_t events() const { return events_; }
  // Of RecordedSteps::steps.
  std::size_t first() const { return first_; }
  std::size_t end() const { return end_; }
  bool contains(std::size_t step) const { return step >= first_ && step < end_; }

  // The event of a step, and where its thread stands before it; none for what is no event.
  std::optional<causal::NodeId> event(std::size_t step) const;
  std::optional<causal::NodeId> before(std::size_t step) const;

  // The choices for a schedule of the window, with all that came before it. Then each of `standing`
  // comes to what it has to do next, as far as that is known.
  std::vector<StepRecord> choices(const std::vector<causal::Move>& schedule,
                                  std::span<const causal::ThreadIndex> standing) const;
  // Which thread of the program a thread of the model is in such an execution.
  ThreadId number(const std::vector<causal::Move>& schedule, causal::ThreadIndex thread) const;

 private:
  friend class Windows;

  std::map<causal::ThreadIndex, ThreadId> numbers_after(
      const std::vector<causal::Move>& schedule) const;

  const RecordedSteps* recorded_ = nullptr;
  causal::Histories histories_;
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  std::size_t events_ = 0;
  std::size_t existing_ = 0;                        // threads at the border, by ThreadId
  std::map<std::size_t, causal::NodeId> event_of_;  // by step
  std::map<causal::NodeId, std::size_t> step_of_;
  std::vector<std::vector<std::size_t>> steps_of_;  // by thread, all of them in the window
};

class Windows {
 public:
  // Windows of so many events, each beginning in the middle of the one before; 0: one for all.
  Windows(const RecordedSteps& recorded, std::size_t events);
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  const std::vector<Window>& list() const { return list_; }
  // The last one that has all these steps; null: there is none.
  const Window* of(std::span<const std::size_t> steps) const;

 private:
  bool is_event(std::size_t step) const;
  const causal::Event& event(std::size_t step) const;
  // False: this is no place for a border.
  bool begin(Window& window, const causal::World& world, std::size_t first) const;
  void fill(Window& window, const causal::World& world, std::size_t events) const;

  RecordedSteps recorded_;
  std::vector<causal::NodeId> last_of_;  // by thread, at the end of the execution
  std::vector<Window> list_;
};

}  // namespace raddle
