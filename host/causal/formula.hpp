// The constraints over the events of a cone, for Z3. question.cpp makes one for each question.
#pragma once

#include <z3++.h>

#include <map>
#include <optional>
#include <vector>

#include "host/causal/cone.hpp"
#include "host/causal/world.hpp"

namespace raddle::causal {

// An event in the formula: a node of the cone or, as the last one, the target.
struct Item {
  NodeId node = kNoNode;  // kNoNode: the target
  NodeId before = kNoNode;
  ThreadIndex thread = 0;
  int parent = -1;  // the event before it in its thread
  Event event;
};

class Formula {
 public:
  Formula(const Histories& histories, const Cone& cone, const Target* target);

  z3::context& context() { return context_; }
  // Each question says anew which reads may see anything: those whose boolean is true. Before
  // constrain().
  void let_all_see_anything();
  const std::map<std::size_t, z3::expr>& free_to_see() const { return free_to_see_; }
  // Must-happen-before, locks, reads and the rest, for all items. `exact`: says of every signal
  // whom it wakes, too; without that, only of those that somebody needs.
  void constrain(z3::solver& solver, bool exact);

  std::size_t size() const { return items_.size(); }
  const Item& item(std::size_t i) const { return items_[i]; }
  // The item of a node; none if it is not in the cone.
  std::optional<std::size_t> find(NodeId node) const;
  const z3::expr& executed(std::size_t i) const { return executed_[i]; }
  z3::expr before(std::size_t a, std::size_t b) const { return order_[a] < order_[b]; }
  const z3::expr& order(std::size_t i) const { return order_[i]; }

  z3::expr any(const std::vector<z3::expr>& options);
  z3::expr all(const std::vector<z3::expr>& parts);
  z3::expr fresh(const char* name);
  z3::expr place(const char* name);  // in the order
  // Some of the threads come elsewhere than where they stand in that world.
  z3::expr not_all_at(const std::vector<ThreadIndex>& threads, const World& world);

  // The event is executed, and so is none of its thread's that give the lock back.
  z3::expr holds_at_end(std::size_t acquisition);
  // A signal wakes the thread that waits since the item `wait`.
  struct Wake {
    std::size_t signal;
    std::size_t wait;
    z3::expr holds;
  };
  const std::vector<Wake>& wakes() const { return wakes_; }
  // Everything that a semaphore had was taken before the item; none: at the end.
  z3::expr nothing_left(std::uint64_t semaphore, std::optional<std::size_t> when);

 private:
  struct Match {
    std::optional<std::size_t> post;  // none: one of those that the semaphore began with
    std::size_t unit;
    std::size_t down;
    z3::expr holds;
  };

  bool is_target(std::size_t i) const { return items_[i].node == kNoNode; }
  bool is_ancestor(std::size_t a, std::size_t b) const;
  bool takes(std::size_t i) const;
  // What the thread holds already is no section of its own.
  bool outermost(std::size_t i) const { return outermost_[i]; }
  z3::expr succeeds(std::size_t i);

  void open(z3::solver& solver);
  void order_threads(z3::solver& solver);
  void begin_and_join(z3::solver& solver);
  void separate_sections(z3::solver& solver);
  z3::expr released_before(std::size_t acquisition, std::size_t when);
  z3::expr taken_at(std::size_t i);
  void pass_semaphores(z3::solver& solver);
  void wake_up(z3::solver& solver, bool exact);
  void separate_in_time(z3::solver& solver);
  z3::expr broadcast_between(std::size_t wait, std::size_t when);
  void exit_last(z3::solver& solver);

  void split_memory();
  std::vector<std::size_t> segments_of(const Action& action) const;
  std::string slice(const Event& event, const std::string& bytes, std::size_t segment) const;
  std::optional<std::string> initial(std::size_t segment) const;
  std::vector<int> own_writes(std::size_t segment) const;
  z3::expr reads_from(std::size_t i, const z3::expr& source, std::optional<std::size_t> writer);
  z3::expr keeps_out(std::size_t w, std::size_t i, const z3::expr& source);
  z3::expr must_see(std::size_t i) const;
  void read_last_writes(z3::solver& solver);
  void read_something_new(z3::solver& solver);

  const Histories& h_;
  const Target* target_;
  z3::context context_;
  std::vector<Item> items_;
  std::map<NodeId, std::size_t> index_;
  std::map<std::size_t, z3::expr> free_to_see_;
  std::vector<z3::expr> executed_;
  std::vector<z3::expr> order_;
  z3::expr zero_;  // a place before all events
  std::optional<z3::expr> target_succeeds_;
  std::vector<std::uint64_t> borders_;             // of memory segments
  std::vector<std::vector<std::size_t>> writers_;  // by segment
  std::vector<std::vector<std::size_t>> readers_;  // by segment
  std::vector<Wake> wakes_;
  std::vector<std::size_t> broadcasts_;
  std::map<std::uint64_t, std::vector<Match>> matches_;
  std::map<std::size_t, std::vector<std::size_t>> releases_;    // by acquisition
  std::vector<bool> outermost_;                                 // of acquisitions
  std::map<std::uint64_t, std::vector<std::size_t>> sections_;  // by lock: the outermost ones
};

}  // namespace raddle::causal
