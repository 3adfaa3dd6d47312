// The schedules that an exploration knows of and has not finished with, as a tree. A node is the
// state before a step; its branches are what could be chosen there: a thread with its pending
// operation, or a value. The way from the root to a branch is a schedule prefix.
//
// A branch is finished when everything below it is; a node whose branches are all finished is gone,
// and its memory is used again. What remains is the frontier and the ways to it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/explore/executor.hpp"

namespace raddle {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = ~NodeIndex{0};

enum class BranchState : std::uint8_t {
  kUntouched,  // nobody has asked for it
  kQueued,
  kUnderway,  // being executed, or something below it is unfinished
  kFinished,
};

struct Branch {
  Pending pending;            // of a value choice: thread, op, and the number of values as object
  NodeIndex child = kNoNode;  // valid while kUnderway, after the execution
  BranchState state = BranchState::kUntouched;
  std::uint8_t value = 0;  // of a value choice
  bool has_turn = true;    // not a repeated idle operation, see turns/idle_fairness.hpp
  bool looks_on = false;   // it has none, but may give up its loop, see turns/looking_on.hpp
  bool doubtful = false;   // queued to look on: it has not been seen to give up
  bool preempts = false;   // choosing it takes the turn from a thread that could have gone on
  bool postponed = false;  // change-aware prioritisation: comes in a later round

  bool is_value() const { return pending.op == OpKind::value_choice; }
  StepRecord record() const;
};

struct Node {
  NodeIndex parent = kNoNode;
  std::uint32_t parent_branch = 0;
  std::uint32_t step = 0;   // records before it
  std::uint32_t first = 0;  // its branches, in the tree's pool
  std::uint32_t count = 0;
  std::uint32_t open = 0;         // branches queued or under way
  std::uint32_t preemptions = 0;  // on the way here
  std::uint32_t round = 0;        // postponed branches on the way here
  ThreadSet tried = 0;            // threads of branches that were taken
  ThreadSet sleep = 0;            // threads whose operations here are explored elsewhere
};

class ScheduleTree {
 public:
  // A node below `parent`'s branch (or the root: kNoNode), with a copy of these branches. Sets the
  // counts that follow from the parent's.
  NodeIndex add(NodeIndex parent, std::uint32_t parent_branch, std::uint32_t step,
                std::span<const Branch> branches);

  Node& node(NodeIndex index) { return nodes_[index]; }
  const Node& node(NodeIndex index) const { return nodes_[index]; }
  std::span<Branch> branches(NodeIndex index) {
    return {pool_.data() + nodes_[index].first, nodes_[index].count};
  }
  std::span<const Branch> branches(NodeIndex index) const {
    return {pool_.data() + nodes_[index].first, nodes_[index].count};
  }

  void queue(NodeIndex node, std::uint32_t branch);
  void take(NodeIndex node, std::uint32_t branch);
  // All below is explored, or was left out on purpose. May remove the node, and those above it.
  void finish(NodeIndex node, std::uint32_t branch);

  // The records that lead to and include the branch. `path`, by step, has nodes that one after
  // another lead through `log`: behind the first of them that it meets it takes that.
  void prefix(NodeIndex node, std::uint32_t branch, std::span<const NodeIndex> path,
              std::span<const StepRecord> log, std::vector<StepRecord>& out) const;

  std::size_t live() const { return live_; }
  // Of memory, what it keeps for later included.
  std::size_t bytes() const;

  // How much is explored, between 0 and 1, if each branch of a node that was asked for is worth the
  // same as its siblings (Knuth, "Estimating the efficiency of backtrack programs", 1975, for a
  // tree of which a part is known). Linear in the number of live nodes.
  double explored_part() const;

 private:
  void remove(NodeIndex index);

  std::vector<Node> nodes_;
  std::vector<NodeIndex> free_nodes_;
  std::vector<Branch> pool_;
  std::vector<std::vector<std::uint32_t>> free_branches_;  // by count
  NodeIndex root_ = kNoNode;
  bool complete_ = false;
  std::size_t live_ = 0;
};

}  // namespace raddle
