// The part of the histories that a question needs: what the solver does not see costs nothing.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "host/causal/histories.hpp"

namespace raddle::causal {

// What the thread at a node would do next, and how that may come out: what is known already is
// not asked for.
struct Target {
  NodeId at = kNoNode;
  Action action;
  std::vector<const Event*> known;  // what came of it in other executions, or cannot come of it
  std::vector<std::shared_ptr<const Event>> excluded;  // of `known`, the latter

  bool asks_for(bool success) const;  // of an action that tries
};
Target target_of(const Histories& histories, NodeId at);

// Loops that wait are not unrolled for ever. A thread that has seen the same at the same place so
// many times, with nothing but idle rounds between and nothing done itself that another thread
// could see, is not asked to see it once more.
inline constexpr int kLooks = 3;
// If an execution failed before the thread could look once more, nobody has seen where that leads
// to: it may be the end of the loop. So many looks are asked for there.
inline constexpr int kLooksAtFailure = 8;

// The thread at the node was about to look once more when an execution failed, and is not asked to.
bool is_given_up(const Histories& histories, NodeId at);

struct Cone {
  // False: the question has the answer no, and no solver is needed.
  bool possible = false;
  std::vector<NodeId> nodes;  // with the parents of each, but for roots; parents come first
};

// Everything that some schedule to the target may have to execute, and nothing else. If there is a
// schedule to the target, there is one of these events alone: an event is left out only if no
// event that stays reads from it, or needs it to get on. Events that nothing can enable are left
// out, too.
Cone cone_of(const Histories& histories, const Target& target);

// The same for events that are to be executed, in whatever order; a root stands for the beginning
// of its thread. `unseen`: those of them that may
// see anything, so that nobody needs to have written it.
Cone cone_of(const Histories& histories, const std::vector<NodeId>& events,
             const std::set<NodeId>& unseen);

// All of the histories.
Cone whole(const Histories& histories);

// The events that give back what the acquisition at `node` took, the first on each way.
std::vector<NodeId> releases_after(const Histories& histories, NodeId node);

}  // namespace raddle::causal
