// The queue of an exploration: branches that are to be executed, and in which order. One class per
// order; each is a few lines, and knows nothing of executions.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "host/explore/schedule_tree.hpp"

namespace raddle {

struct FrontierItem {
  NodeIndex node = kNoNode;
  std::uint32_t branch = 0;
  std::uint32_t step = 0;         // of the node
  std::uint32_t preemptions = 0;  // of the prefix, this branch included
  std::uint32_t round = 0;        // postponed branches of the prefix, this one included
};

class Frontier {
 public:
  virtual ~Frontier() = default;
  virtual void push(const FrontierItem& item) = 0;
  // False when it is empty.
  virtual bool pop(FrontierItem& item) = 0;
  // Of memory, what it keeps for later included.
  virtual std::size_t bytes() const = 0;
};

// The deepest first; among these the one that came last. One at a time this is depth-first search.
class DeepestFirst final : public Frontier {
 public:
  void push(const FrontierItem& item) override;
  bool pop(FrontierItem& item) override;
  std::size_t bytes() const override;

 private:
  std::vector<std::vector<FrontierItem>> by_step_;
  std::size_t deepest_ = 0;  // no deeper one has items
};

// In the order in which they came. ReEx's breadth-first search (Luo's dissertation, 4.1.2) goes the
// other way in its first execution, too: it lets another thread go on wherever it can. Here every
// execution goes on with the thread that runs, as in the other orders, so that a first execution
// without preemptions is the root of all of them; the schedules are the same in the end.
class BreadthFirst final : public Frontier {
 public:
  void push(const FrontierItem& item) override { queue_.push_back(item); }
  bool pop(FrontierItem& item) override;
  std::size_t bytes() const override { return queue_.size() * sizeof(FrontierItem); }

 private:
  std::deque<FrontierItem> queue_;
};

// Those with the fewest preemptions first; among these the deepest. (Musuvathi and Qadeer,
// "Iterative Context Bounding", PLDI 2007.)
class FewestPreemptions final : public Frontier {
 public:
  void push(const FrontierItem& item) override;
  bool pop(FrontierItem& item) override;
  std::size_t bytes() const override;

 private:
  std::vector<DeepestFirst> by_preemptions_;
};

// In rounds: what was postponed once comes after all that was not, and so on. Within a round the
// order of another frontier.
class InRounds final : public Frontier {
 public:
  using Make = std::unique_ptr<Frontier> (*)();
  explicit InRounds(Make make) : make_(make) {}

  void push(const FrontierItem& item) override;
  bool pop(FrontierItem& item) override;
  std::size_t bytes() const override;

 private:
  Make make_;
  std::vector<std::unique_ptr<Frontier>> rounds_;
};

}  // namespace raddle
