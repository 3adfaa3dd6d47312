#include "host/explore/search.hpp"

#include <algorithm>

#include "host/explore/candidates.hpp"
#include "protocol/dependence.hpp"

namespace raddle {
namespace {

bool is_value(const StepRecord& record) { return record.op == OpKind::value_choice; }

constexpr std::uint32_t kTurnsKept = 64;

}  // namespace

Search::Search(const SearchOptions& options) : options_(options) {
  const InRounds::Make make = entry_of(options_.order).make;
  frontier_ = options_.priority != Priority::kNone ? std::make_unique<InRounds>(make) : make();
}

bool Search::next(Work& work) {
  if (!begun_) {
    begun_ = true;
    ++underway_;
    ++unfinished_with(0);
    work.node = kNoNode;
    work.branch = 0;
    work.prefix.clear();
    work.asleep = 0;
    work.looks_on = false;
    work.number = taken_++;
    return true;
  }
  if (!returned_.empty()) {
    --waiting_;
    ++underway_;
    work = std::move(returned_.back());
    returned_.pop_back();
    return true;
  }
  FrontierItem item;
  do {
    if (!frontier_->pop(item)) return false;
    --waiting_;
  } while (leave_out(item));
  ++underway_;
  work.node = item.node;
  work.branch = item.branch;
  work.asleep = sleep_after(item.node, item.branch);
  work.looks_on = !tree_.branches(item.node)[item.branch].has_turn;
  tree_.prefix(item.node, item.branch, path_, log_, work.prefix);
  tree_.take(item.node, item.branch);
  work.number = taken_++;
  return true;
}

// The loop has turned out to be endless since the branch was queued.
bool Search::leave_out(const FrontierItem& item) {
  const Branch& branch = tree_.branches(item.node)[item.branch];
  if (may_be_taken(branch)) return false;
  --unfinished_with(preemptions_of(item.node, item.branch));
  tree_.take(item.node, item.branch);
  tree_.finish(item.node, item.branch);
  return true;
}

void Search::rebuild_prefix(const Work& work, KeptExecution* kept) {
  kept->log = work.prefix;
  kept->pending.clear();
  kept->first.clear();
  kept->marks.clear();
  learn_path(work);
  learn_turns(work.prefix, common_steps(work.prefix, 0),
              static_cast<std::uint32_t>(work.prefix.size()));
  number_ = 0;
  for (const NodeIndex index : path_) {
    kept->first.push_back(static_cast<std::uint32_t>(kept->pending.size()));
    for (const Branch& b : tree_.branches(index)) {
      if (!b.is_value()) kept->pending.push_back(b.pending);
    }
  }
  kept->marks.resize(kept->pending.size());  // what they were is in the tree already
}

// With the sleep set that it had: whoever was taken after it counts on that.
void Search::give_back(const Work& work) {
  --underway_;
  ++waiting_;
  returned_.push_back(work);
}

void Search::queue(NodeIndex index, std::uint32_t branch) {
  const Node& node = tree_.node(index);
  const std::uint32_t preemptions = preemptions_of(index, branch);
  if (preemptions > options_.bound) {
    ++counts_.beyond_bound;
    return;
  }
  tree_.queue(index, branch);
  Branch& queued = tree_.branches(index)[branch];
  queued.doubtful = !queued.has_turn;
  ++waiting_;
  ++unfinished_with(preemptions);
  frontier_->push({index, branch, node.step, preemptions, node.round + (queued.postponed ? 1 : 0)});
}

// On the way to the branch and with it.
std::uint32_t Search::preemptions_of(NodeIndex index, std::uint32_t branch) const {
  return tree_.node(index).preemptions + (tree_.branches(index)[branch].preempts ? 1 : 0);
}

// Who sleeps after the branch: who slept before it, or was taken before it, and does not depend on
// it. Nobody relies on a thread that was let look on and may come to nothing. A value belongs to a
// step that was executed already: it wakes nobody.
ThreadSet Search::sleep_after(NodeIndex index, std::uint32_t branch) const {
  if (!reduces()) return 0;
  const Node& node = tree_.node(index);
  const std::span<const Branch> branches = tree_.branches(index);
  const Branch& chosen = branches[branch];
  if (chosen.is_value()) return node.sleep;
  ThreadSet asleep = 0;
  for (const Branch& b : branches) {
    const ThreadId thread = b.pending.thread;
    if ((contains(node.sleep, thread) || (contains(node.tried, thread) && !b.doubtful)) &&
        !dependent(b.pending, chosen.pending))
      asleep |= set_of(thread);
  }
  return asleep;
}

std::uint64_t& Search::unfinished_with(std::uint32_t preemptions) {
  if (open_.size() <= preemptions) open_.resize(preemptions + 1);
  return open_[preemptions];
}

std::optional<std::uint32_t> Search::preemptions_done() const {
  std::uint32_t least = 0;
  while (least < open_.size() && open_[least] == 0) ++least;
  if (least == 0) return std::nullopt;
  return least - 1;
}

void Search::done(const Work& work, const Explored& execution) {
  --underway_;
  if (work.node == kNoNode) {
    --unfinished_with(0);
  } else {
    --unfinished_with(preemptions_of(work.node, work.branch));
  }
  count(execution);
  learn_path(work);
  const bool useful = add_nodes(work, execution);
  if (reduces() && useful) reverse_races(work, execution);

  // Somebody is to look on at its end. (Of one that ended within its prefix, that is on the way.)
  const std::size_t end = execution.log.size();
  if (end >= work.prefix.size() && path_.size() > end && path_[end] != kNoNode) return;
  // The last branch that was taken leads nowhere else.
  NodeIndex node = work.node;
  std::uint32_t branch = work.branch;
  for (std::size_t step = path_.size(); step-- > work.prefix.size();) {
    if (path_[step] == kNoNode) continue;
    node = path_[step];
    branch = 0;
    const std::span<const Branch> branches = tree_.branches(node);
    while (branches[branch].state != BranchState::kUnderway ||
           !same_step(branches[branch].record(), execution.log[step]))
      ++branch;
    break;
  }
  if (node != kNoNode) tree_.finish(node, branch);
}

void Search::count(const Explored& execution) {
  ++counts_.executions;
  counts_.steps += execution.log.size();
  if (execution.redundant) {
    ++counts_.redundant;
  } else if (execution.failing) {
    ++counts_.failing;
  } else if (execution.outcome != OutcomeKind::kNone) {
    ++counts_.unfinished;
  }
}

// The nodes of the prefix. From the first one on that the last path has, all are the same.
void Search::learn_path(const Work& work) {
  path_.resize(work.prefix.size(), kNoNode);
  for (NodeIndex n = work.node; n != kNoNode; n = tree_.node(n).parent) {
    NodeIndex& known = path_[tree_.node(n).step];
    if (known == n) break;
    known = n;
  }
  sleep_ = work.asleep;
}

// The first `known` of them are not looked at.
std::uint32_t Search::common_steps(std::span<const StepRecord> log, std::uint32_t known) const {
  const auto most = static_cast<std::uint32_t>(std::min(log.size(), log_.size()));
  std::uint32_t common = known;
  while (common < most && same_step(log[common], log_[common]) &&
         log[common].site == log_[common].site)
    ++common;
  return common;
}

// What the first `known` steps left behind; `common` are those of the last execution.
void Search::learn_turns(std::span<const StepRecord> log, std::uint32_t common,
                         std::uint32_t known) {
  const std::size_t rests = std::min(common, known) / kTurnsKept + 1;
  if (turns_at_.size() > rests) turns_at_.resize(rests);
  if (turns_at_.empty()) turns_at_.emplace_back();
  now_ = turns_at_.back();
  now_.idle.resize(counts_.threads);
  now_.turns.use(now_.idle.data());
  log_.resize(common);
  log_.insert(log_.end(), log.begin() + common, log.end());
  while (now_.step < known) note_turn(log[now_.step]);
}

void Search::note_turn(const StepRecord& record) {
  if (now_.step % kTurnsKept == 0 && now_.step / kTurnsKept == turns_at_.size())
    turns_at_.push_back(now_);
  ++now_.step;
  if (is_value(record)) return;
  now_.turns.executed(record.thread, record.op, record.site);
  now_.last = record.thread;
}

// Behind this step nothing was ever open.
std::uint32_t Search::last_choice(const Explored& execution) const {
  auto last = static_cast<std::uint32_t>(execution.log.size());
  while (last > 0) {
    const bool value = is_value(execution.log[last - 1]);
    if (value || execution.enabled(last - 1).size() > 1) break;
    --last;
  }
  return last;
}

// False: the execution is of no use, since a loop did not end.
bool Search::add_nodes(const Work& work, const Explored& execution) {
  // An execution that failed early may not have the whole of its prefix.
  const auto steps = static_cast<std::uint32_t>(execution.log.size());
  const std::uint32_t known = std::min(static_cast<std::uint32_t>(work.prefix.size()), steps);
  for (const Pending& p : execution.pending.subspan(execution.first[known]))
    counts_.threads = std::max<std::uint32_t>(counts_.threads, raw(p.thread) + 1U);
  const std::uint32_t unchanged = execution.known_from(number_, log_.size());
  learn_turns(execution.log, common_steps(execution.log, unchanged), known);
  number_ = execution.number;

  LookingOn loop;
  bool looks_on = work.looks_on && known == work.prefix.size();
  if (looks_on) {
    loop.start(work.prefix.back().op, work.prefix.back().site);
    if (is_endless(execution, loop)) {
      endless_.insert(loop_of(tree_.branches(work.node)[work.branch].pending));
      return false;
    }
    tree_.branches(work.node)[work.branch].doubtful = false;
  }
  const std::uint32_t end = may_go_on(execution) ? steps : last_choice(execution);
  path_.resize(std::max<std::size_t>(work.prefix.size(), end), kNoNode);
  NodeIndex parent = work.node;
  std::uint32_t parent_branch = work.branch;
  std::uint32_t preemptions = 0;
  if (known < work.prefix.size()) {
    preemptions = tree_.node(path_[known]).preemptions;
  } else if (parent != kNoNode) {
    preemptions = preemptions_of(parent, parent_branch);
  }
  for (std::uint32_t step = known; step < steps; ++step) {
    const StepRecord& record = execution.log[step];
    if (step < end) {
      fill_branches(execution, step);
      std::size_t executed = 0;
      while (executed < branches_.size() && !same_step(branches_[executed].record(), record))
        ++executed;
      if (executed == branches_.size()) return true;  // not a log that a runtime writes
      if (looks_on && !is_value(record)) {
        const LookingOn::Next next = next_look(execution, step, now_, loop);
        if (next == LookingOn::Next::kAlone) keep_to(executed);
        looks_on = next != LookingOn::Next::kOver;
      }
      if (options_.priority != Priority::kNone) prioritise(execution, step, executed);
      const NodeIndex node = tree_.add(parent, parent_branch, step, branches_);
      tree_.node(node).sleep = sleep_;
      path_[step] = node;
      tree_.take(node, static_cast<std::uint32_t>(executed));
      queue_alternatives(node, executed);
      sleep_ = sleep_after(node, static_cast<std::uint32_t>(executed));
      parent = node;
      parent_branch = static_cast<std::uint32_t>(executed);
    }
    if (!is_value(record)) {
      for (const Pending& p : execution.enabled(step)) {
        if (p.thread == now_.last && record.thread != now_.last && !is_idle_op(p.op)) ++preemptions;
      }
    }
    note_turn(record);
  }
  if (may_go_on(execution)) queue_lookers(execution, parent, parent_branch);
  if (counts_.by_preemptions.size() <= preemptions) counts_.by_preemptions.resize(preemptions + 1);
  ++counts_.by_preemptions[preemptions];
  return true;
}

// It ended since whoever had a turn slept. A thread without one may do something else one day, and
// that need not depend on what the sleepers are about to do.
bool Search::may_go_on(const Explored& execution) {
  if (!reduces() || !execution.redundant) return false;
  const std::span<const Pending> enabled = execution.at_end().first(execution.enabled_at_end);
  return std::any_of(enabled.begin(), enabled.end(),
                     [](const Pending& p) { return may_look_on(p.op); });
}

void Search::queue_lookers(const Explored& execution, NodeIndex parent,
                           std::uint32_t parent_branch) {
  find_candidates_at_end(execution, now_.turns, now_.last, branches_);
  const auto is_looker = [&](const Branch& b) {
    return !b.has_turn && may_be_taken(b) && !contains(sleep_, b.pending.thread);
  };
  if (std::none_of(branches_.begin(), branches_.end(), is_looker)) return;
  const NodeIndex node = tree_.add(parent, parent_branch, now_.step, branches_);
  tree_.node(node).sleep = sleep_;
  path_.resize(now_.step, kNoNode);
  path_.push_back(node);
  for (std::uint32_t i = 0; i < branches_.size(); ++i) {
    if (is_looker(branches_[i])) queue(node, i);
  }
}

// What the thread does that moved last and looks on.
LookingOn::Next Search::next_look(const Explored& execution, std::uint32_t step, const Turns& turns,
                                  LookingOn& loop) {
  const std::span<const Pending> enabled = execution.enabled(step);
  const auto p = std::find_if(enabled.begin(), enabled.end(),
                              [&](const Pending& e) { return e.thread == turns.last; });
  return loop.next(p == enabled.end() ? nullptr : &*p, turns.turns.repeats(turns.last));
}

// now_ is at the end of the prefix, where the loop began.
bool Search::is_endless(const Explored& execution, LookingOn loop) const {
  if (!execution.redundant) return false;
  Turns turns = now_;
  turns.turns.use(turns.idle.data());
  for (auto step = now_.step; step < execution.log.size(); ++step) {
    const StepRecord& record = execution.log[step];
    if (is_value(record)) continue;
    if (next_look(execution, step, turns, loop) == LookingOn::Next::kOver) return false;
    turns.turns.executed(record.thread, record.op, record.site);
  }
  return turns.turns.repeats(turns.last) >= kEndlessLooks;
}

Search::Loop Search::loop_of(const Pending& p) { return {raw(p.thread), p.site, raw(p.object)}; }

bool Search::may_be_taken(const Branch& branch) const {
  return branch.has_turn || (branch.looks_on && !endless_.contains(loop_of(branch.pending)));
}

// Whoever else can move would only change how often a thread looks.
void Search::keep_to(std::size_t executed) {
  for (Branch& b : branches_) {
    if (&b != &branches_[executed]) b.has_turn = b.looks_on = false;
  }
}

void Search::fill_branches(const Explored& execution, std::uint32_t step) {
  find_candidates(execution, step, now_.turns, now_.last, branches_);
}

// What was executed was executed: it stays in its round, whichever it is. (In the dissertation the
// strategy chooses before each step; here a whole execution goes on without preemption first.)
void Search::prioritise(const Explored& execution, std::uint32_t step, std::size_t executed) {
  const bool possible =
      std::any_of(branches_.begin(), branches_.end(), [](const Branch& b) { return b.preempts; });
  if (!possible || execution.marks.empty()) return;
  const auto is_marked = [&](const Branch& b) {
    for (std::size_t i = execution.first[step]; i < execution.first[step + 1]; ++i) {
      if (execution.pending[i].thread == b.pending.thread) return execution.marks[i] != 0;
    }
    return false;
  };
  std::size_t marked = 0;
  for (const Branch& b : branches_) marked += is_marked(b) ? 1 : 0;
  if (options_.priority == Priority::kSomeThreads ? marked > 0 : marked == branches_.size()) return;
  for (Branch& b : branches_) b.postponed = true;
  branches_[executed].postponed = false;
  if (options_.priority == Priority::kSomeThreads || !is_marked(branches_[executed])) return;
  const auto other = std::find_if(branches_.begin(), branches_.end(),
                                  [&](const Branch& b) { return !is_marked(b); });
  other->postponed = false;
}

// All of them, in reverse, since the last one comes first; under reduction only values: which
// threads differ is what races tell.
void Search::queue_alternatives(NodeIndex node, std::size_t executed) {
  const std::size_t count = tree_.branches(node).size();
  for (std::size_t i = count; i-- > 0;) {
    const Branch& b = tree_.branches(node)[i];
    if (i == executed || !may_be_taken(b) || (reduces() && !b.is_value())) continue;
    queue(node, static_cast<std::uint32_t>(i));
  }
}

}  // namespace raddle
