// The part of Search that decides, under dynamic partial-order reduction, which branches are worth
// an execution.
#include <algorithm>

#include "host/explore/search.hpp"

namespace raddle {

void Search::reverse_races(const Work& work, const Explored& execution) {
  if (execution.log.empty()) return;
  // Pairs of steps of the prefix alone were looked at when these were executed first.
  const auto from = work.prefix.empty() ? 0U : static_cast<std::uint32_t>(work.prefix.size()) - 1;
  causality_.analyse(execution, from, !execution.redundant);
  for (const Race& race : causality_.races()) {
    if (race.step < path_.size() && path_[race.step] != kNoNode) reverse(path_[race.step], race);
  }
  if (execution.redundant || execution.outcome == OutcomeKind::kNone) return;
  // The execution was cut off: what would the others have done at its last step?
  for (std::size_t step = execution.log.size(); step-- > 0;) {
    if (execution.log[step].op == OpKind::value_choice) continue;
    if (step < path_.size() && path_[step] != kNoNode) explore_instead(path_[step]);
    break;
  }
}

void Search::reverse(NodeIndex index, const Race& race) {
  const Node& node = tree_.node(index);
  const std::span<const Branch> branches = tree_.branches(index);
  const std::span<const ThreadId> initials = causality_.initials(race);
  const auto find = [&](ThreadId thread) {
    return static_cast<std::size_t>(
        std::find_if(branches.begin(), branches.end(),
                     [&](const Branch& b) { return b.pending.thread == thread; }) -
        branches.begin());
  };
  std::size_t best = branches.size();
  bool known = false;
  for (const ThreadId thread : initials) {
    const std::size_t i = find(thread);
    if (contains(node.sleep, thread)) return;
    if (i == branches.size()) continue;
    known = true;
    if (branches[i].doubtful) continue;
    if (branches[i].state != BranchState::kUntouched) return;
    if (!may_be_taken(branches[i])) continue;
    const bool better = best == branches.size() || !branches[best].has_turn ||
                        (branches[i].has_turn && thread == race.thread);
    if (better) best = i;
  }
  if (best < branches.size()) {
    queue(index, static_cast<std::uint32_t>(best));
  } else if (!known) {
    explore_instead(index);
  }
  // Otherwise its way there begins with an idle operation that has no turn, in a loop that does not
  // give up: it changes nothing.
}

void Search::explore_instead(NodeIndex index) {
  const std::size_t count = tree_.branches(index).size();
  for (std::size_t i = 0; i < count; ++i) {
    const Branch& b = tree_.branches(index)[i];
    if (b.state != BranchState::kUntouched || !may_be_taken(b) ||
        contains(tree_.node(index).sleep, b.pending.thread))
      continue;
    queue(index, static_cast<std::uint32_t>(i));
  }
}

}  // namespace raddle
