// The stacks of all parses of a prefix at once, as a graph. A node is what a nonterminal that is
// being parsed returns to: places in rules, each with the node below. Nodes that return to the same
// places are the same node, so parses that differ only in what is behind them are one, and a
// program that comes back to where it was needs no more memory than before.
//
// A call at the end of a rule returns to where the rule itself does, so right recursion needs no
// stack. Left recursion makes a node that returns to itself: a cycle, always of nodes that were
// made at the same event. Such nodes are made and freed together, as a group.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "prevent/logics/runtime/pool.hpp"

namespace raddle::logics {

using Place = std::uint16_t;  // a dot in a rule, numbered through all rules

struct StackGroup;

struct StackNode {
  struct Return {
    Place place;
    const StackNode* below;
    bool operator<(const Return& other) const {
      return place != other.place ? place < other.place : below < other.below;
    }
    bool operator==(const Return& other) const {
      return place == other.place && below == other.below;
    }
  };
  StackGroup* group = nullptr;
  bool accepts = false;  // the whole input may end here
  std::vector<Return> returns;
};

// Nodes in words of a configuration.
inline std::uintptr_t word_of(const StackNode* node) {
  return reinterpret_cast<std::uintptr_t>(node);
}
inline const StackNode* node_of(std::uintptr_t word) {
  return reinterpret_cast<const StackNode*>(word);  // NOLINT(performance-no-int-to-ptr)
}

// Nodes on their way into the graph: those of one event.
struct NewNode {
  struct Return {
    Place place;
    const StackNode* below;  // null: inside
    std::uint32_t inside;    // the number of another new node
  };
  bool accepts = false;
  std::vector<Return> returns;
};

class Stacks {
 public:
  Stacks();
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  // The nodes of the graph for the new ones, in their order, made or found. Each is used once, by
  // the caller, for each entry of the result.
  std::vector<const StackNode*> add(const std::vector<NewNode>& nodes);

  void retain(const StackNode* node);
  void release(const StackNode* node);
  // For tests.
  std::size_t groups() const { return known_.size(); }

 private:
  using Key = Configuration;
  using Members = std::vector<std::uint32_t>;

  // Old nodes that the members are the same as, one for each; empty if there are none.
  static std::vector<const StackNode*> same_as_old(const std::vector<NewNode>& nodes,
                                                   const Members& members,
                                                   const std::vector<const StackNode*>& made);
  StackGroup* intern(const std::vector<NewNode>& nodes, const Members& members,
                     const std::vector<const StackNode*>& made);

  std::unordered_map<Key, StackGroup*, ConfigurationHash> known_;
};

}  // namespace raddle::logics
