// All that is known of a program's threads, from all executions so far: a tree for each thread. A
// node is the state of a thread after a history, that is, after a list of events of its own. The
// model rests on local determinism: the history alone decides what the thread does next. Two
// executions in which a thread saw the same therefore share the nodes of that thread, and where it
// saw something else the tree branches.
//
// Not thread-safe. Nodes stay where they are: ids are valid for ever, references until the next
// change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/causal/event.hpp"

namespace raddle::causal {

enum class NodeId : std::uint32_t {};
inline constexpr NodeId kNoNode{~std::uint32_t{0}};
constexpr std::uint32_t raw(NodeId id) { return static_cast<std::uint32_t>(id); }

struct Node {
  NodeId parent = kNoNode;  // kNoNode: the beginning of the thread
  ThreadIndex thread = 0;
  std::uint32_t depth = 0;     // events before it
  Event event;                 // the last one; nothing at the beginning
  std::optional<Action> next;  // what the thread is about to do
  bool ends = false;           // nothing: it has ended
  bool idle = false;           // somebody saw that `next` only looks once more, or gives way
  bool cut_off = false;        // an execution failed while the thread was about to do `next`
  bool could_move = false;     // somebody saw that `next` was possible
  std::vector<NodeId> children;

  bool is_root() const { return parent == kNoNode; }
};

// Two executions disagree about what follows from a history: the model does not fit the program.
struct Contradiction {
  ThreadIndex thread = 0;
  std::uint32_t depth = 0;
  Event known;
  Event came;
};

class Histories {
 public:
  // The beginning of a thread. A thread without a creator is there from the start.
  NodeId root(ThreadIndex thread);
  NodeId root(ThreadIndex thread) const { return roots_[thread]; }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(roots_.size()); }

  const Node& node(NodeId id) const { return nodes_[raw(id)]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

  // The thread at the node is about to do this; `could_move`: and nothing keeps it from that.
  std::optional<Contradiction> announce(NodeId at, const Action& next, bool could_move);

  // The thread at the node did this. `to` is where it is then.
  std::optional<Contradiction> advance(NodeId at, const Event& event, NodeId* to);

  // What the thread at the node is about to do may be a round of a loop that waits.
  void idles(NodeId at) { nodes_[raw(at)].idle = true; }

  // An execution failed while the thread at the node was about to go on.
  void is_cut_off(NodeId at) { nodes_[raw(at)].cut_off = true; }

  // The thread at the node has ended.
  void ended(NodeId at) { nodes_[raw(at)].ends = true; }

  // The event has happened before anything else can: part of the state that the histories begin
  // in. Each thread's in its order, and all in an order in which they can happen.
  void opens_with(NodeId id) { opening_.push_back(id); }
  std::span<const NodeId> opening() const { return opening_; }

  // A byte of memory before anybody wrote to it. Two different answers: nobody knows.
  void begins_with(std::uint64_t address, std::uint8_t value);
  std::optional<std::uint8_t> initial(std::uint64_t address) const;

  // A semaphore before anybody touched it. `at_least`: nobody has touched it in any execution, but
  // somebody was seen to be able to pass.
  void semaphore_begins_with(std::uint64_t object, std::uint32_t count, bool at_least = false);
  std::uint32_t semaphore(std::uint64_t object) const;

  // How many times the thread holds the lock there; negative: so many times shared.
  int held(NodeId at, std::uint64_t lock) const;

  // Nodes whose event is on the object, whatever the kind: not memory.
  std::span<const NodeId> on_object(std::uint64_t object) const;
  // Nodes whose event begins or ends a thread, or joins it.
  std::span<const NodeId> on_thread(ThreadIndex thread) const;
  // Nodes whose event writes to some of these bytes. Each once.
  std::vector<NodeId> writers(std::uint64_t address, std::uint32_t size) const;

  // kPass: nodes whose event lets it pass.
  std::vector<NodeId> openers(const Action& pass) const;
  // kEnter: nodes whose event begins what is run once. Nobody enters while one of them has begun
  // and has not written the end.
  std::vector<NodeId> entrances(const Action& enter) const;
  // `b` is the node, or has it on its way.
  bool is_before(NodeId a, NodeId b) const;

 private:
  void index(NodeId id);

  std::vector<Node> nodes_;
  std::vector<NodeId> roots_;
  std::vector<NodeId> opening_;
  std::map<std::uint64_t, std::optional<std::uint8_t>> initial_;
  struct Semaphore {
    std::uint32_t count;
    bool at_least;
  };
  std::map<std::uint64_t, Semaphore> semaphores_;
  std::map<std::uint64_t, std::vector<NodeId>> by_object_;
  std::map<std::uint64_t, std::vector<NodeId>> by_thread_;
  std::map<std::uint64_t, std::vector<NodeId>> writers_;  // by byte
};

}  // namespace raddle::causal
