#include "host/explore/schedule_tree.hpp"

#include <algorithm>

namespace raddle {

StepRecord Branch::record() const {
  if (is_value()) return {pending.thread, OpKind::value_choice, value, pending.object, 0};
  return record_of(pending);
}

NodeIndex ScheduleTree::add(NodeIndex parent, std::uint32_t parent_branch, std::uint32_t step,
                            std::span<const Branch> branches) {
  NodeIndex index = static_cast<NodeIndex>(nodes_.size());
  if (free_nodes_.empty()) {
    nodes_.emplace_back();
  } else {
    index = free_nodes_.back();
    free_nodes_.pop_back();
  }
  const auto count = static_cast<std::uint32_t>(branches.size());
  auto first = static_cast<std::uint32_t>(pool_.size());
  if (count < free_branches_.size() && !free_branches_[count].empty()) {
    first = free_branches_[count].back();
    free_branches_[count].pop_back();
    std::copy(branches.begin(), branches.end(), pool_.begin() + first);
  } else {
    pool_.insert(pool_.end(), branches.begin(), branches.end());
  }
  Node& node = nodes_[index];
  node = {.parent = parent,
          .parent_branch = parent_branch,
          .step = step,
          .first = first,
          .count = count};
  if (parent == kNoNode) {
    root_ = index;
  } else {
    Branch& above = pool_[nodes_[parent].first + parent_branch];
    above.child = index;
    node.preemptions = nodes_[parent].preemptions + (above.preempts ? 1 : 0);
    node.round = nodes_[parent].round + (above.postponed ? 1 : 0);
  }
  ++live_;
  return index;
}

void ScheduleTree::queue(NodeIndex node, std::uint32_t branch) {
  branches(node)[branch].state = BranchState::kQueued;
  ++nodes_[node].open;
}

void ScheduleTree::take(NodeIndex node, std::uint32_t branch) {
  Branch& taken = branches(node)[branch];
  if (taken.state != BranchState::kQueued) ++nodes_[node].open;
  taken.state = BranchState::kUnderway;
  nodes_[node].tried |= set_of(taken.pending.thread);
}

void ScheduleTree::finish(NodeIndex node, std::uint32_t branch) {
  for (;;) {
    Branch& finished = branches(node)[branch];
    finished.state = BranchState::kFinished;
    finished.child = kNoNode;
    if (--nodes_[node].open > 0) return;
    const NodeIndex parent = nodes_[node].parent;
    const std::uint32_t parent_branch = nodes_[node].parent_branch;
    remove(node);
    if (parent == kNoNode) {
      root_ = kNoNode;
      complete_ = true;
      return;
    }
    node = parent;
    branch = parent_branch;
  }
}

void ScheduleTree::remove(NodeIndex index) {
  const Node& node = nodes_[index];
  if (node.count >= free_branches_.size()) free_branches_.resize(node.count + 1);
  free_branches_[node.count].push_back(node.first);
  free_nodes_.push_back(index);
  nodes_[index].count = 0;
  nodes_[index].parent = kNoNode;
  --live_;
}

void ScheduleTree::prefix(NodeIndex node, std::uint32_t branch, std::span<const NodeIndex> path,
                          std::span<const StepRecord> log, std::vector<StepRecord>& out) const {
  out.resize(nodes_[node].step + 1);
  for (;;) {
    const std::uint32_t step = nodes_[node].step;
    out[step] = branches(node)[branch].record();
    if (step < path.size() && path[step] == node) {
      std::copy_n(log.begin(), step, out.begin());
      return;
    }
    branch = nodes_[node].parent_branch;
    node = nodes_[node].parent;
    if (node == kNoNode) return;
  }
}

double ScheduleTree::explored_part() const {
  if (complete_) return 1;
  if (root_ == kNoNode) return 0;
  // From the deepest nodes up: a node's part is known when those of its children are.
  std::vector<NodeIndex> order;
  order.reserve(live_);
  std::vector<NodeIndex> todo = {root_};
  while (!todo.empty()) {
    const NodeIndex index = todo.back();
    todo.pop_back();
    order.push_back(index);
    for (const Branch& b : branches(index)) {
      if (b.child != kNoNode) todo.push_back(b.child);
    }
  }
  std::vector<double> part(nodes_.size(), 0);
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    double sum = 0;
    std::size_t asked = 0;
    for (const Branch& b : branches(*it)) {
      if (b.state == BranchState::kUntouched) continue;
      ++asked;
      if (b.state == BranchState::kFinished) sum += 1;
      if (b.child != kNoNode) sum += part[b.child];
    }
    part[*it] = asked == 0 ? 0 : sum / static_cast<double>(asked);
  }
  return part[root_];
}

std::size_t ScheduleTree::bytes() const {
  std::size_t bytes = nodes_.capacity() * sizeof(Node) +
                      free_nodes_.capacity() * sizeof(NodeIndex) +
                      pool_.capacity() * sizeof(Branch);
  for (const std::vector<std::uint32_t>& free : free_branches_)
    bytes += free.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace raddle
