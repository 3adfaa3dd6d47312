#include "host/explore/delays/event_game.hpp"

#include <algorithm>
#include <set>

#include "host/explore/candidates.hpp"

namespace raddle {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
}

bool is_value(const StepRecord& record) { return record.op == OpKind::value_choice; }

// Not by the object: its number may differ from way to way.
bool is_move(const Branch& branch, const StepRecord& record) {
  if (is_value(record)) return branch.is_value() && branch.value == record.outcome;
  return !branch.is_value() && branch.pending.thread == record.thread;
}

}  // namespace

EventGame::EventGame(IsEvent is_event) : is_event_(is_event), turns_(nullptr) {}

bool EventGame::next(std::vector<StepRecord>& prefix) {
  prefix.clear();
  if (!begun_) return begun_ = true;
  if (prospect() == Prospect::kBad) return false;
  for (;;) {
    if (open_.empty() && !take_up_postponed()) return false;
    const auto [index, move] = open_.back();
    open_.pop_back();
    const State& state = states_[index];
    if (state.moves[move].child != kNoNode || state.prospect == Prospect::kBad) continue;
    if (below_a_bad_one(index)) {
      postponed_.emplace_back(index, move);
      continue;
    }
    prefix.resize(state.step + 1);
    prefix[state.step] = state.moves[move].record();
    for (const State* s = &state; s->parent != kNoNode; s = &states_[s->parent])
      prefix[states_[s->parent].step] = states_[s->parent].moves[s->parent_move].record();
    return true;
  }
}

// On the way that led there first. Another one may lead there all the same.
bool EventGame::below_a_bad_one(StateIndex index) const {
  for (StateIndex s = states_[index].parent; s != kNoNode; s = states_[s].parent) {
    if (states_[s].prospect == Prospect::kBad) return true;
  }
  return false;
}

// Those that are reached by another way.
bool EventGame::take_up_postponed() {
  if (postponed_.empty()) return false;
  std::vector<bool> is_reached(states_.size(), false);
  for (const StateIndex index : reached()) is_reached[index] = true;
  for (const auto& [index, move] : postponed_) {
    if (!is_reached[index]) continue;
    // From now on by this way, which has no bad state on it.
    open_.emplace_back(index, move);
    State& state = states_[index];
    for (const StateIndex parent : state.parents) {
      if (!is_reached[parent] || states_[parent].step >= state.step) continue;
      const std::vector<Branch>& moves = states_[parent].moves;
      state.parent = parent;
      state.parent_move = static_cast<std::uint32_t>(
          std::find_if(moves.begin(), moves.end(),
                       [&](const Branch& b) { return b.child == index; }) -
          moves.begin());
    }
  }
  postponed_.clear();
  return !open_.empty();
}

void EventGame::add_step(Key& key, const Explored& execution, std::uint32_t step) const {
  const StepRecord& record = execution.log[step];
  std::uint32_t of = step;  // a value belongs to the step before it
  while (of > 0 && is_value(execution.log[of])) --of;
  std::uint64_t a = mix(mix(1, raw(record.thread)), record.outcome);
  std::uint64_t b = mix(mix(2, record.outcome), raw(record.thread));
  a = mix(a, step - of);
  b = mix(b, step - of);
  for (std::uint16_t t = 0; t < causality_.threads(); ++t) {
    const std::uint32_t before = causality_.steps_before(of, t);
    if (before == 0) continue;  // how many threads there will be is not known yet
    a = mix(mix(a, t), before);
    b = mix(mix(b, before), t);
  }
  key.a += mix(a, 3);
  key.b += mix(b, 4);
}

EventGame::StateIndex EventGame::state_at(const Key& key, StateIndex parent, std::uint32_t move,
                                          std::uint32_t step) {
  const auto [it, is_new] = known_.emplace(key, static_cast<StateIndex>(states_.size()));
  if (is_new) {
    State& state = states_.emplace_back();
    state.parent = parent;
    state.parent_move = move;
    state.step = step;
  }
  return it->second;
}

void EventGame::fill(StateIndex index, const Explored& execution, std::uint32_t step) {
  const ThreadId last = step == 0 ? kMainThread : execution.log[step - 1].thread;
  std::vector<Branch> moves;
  find_candidates(execution, step, turns_, last, moves);
  std::vector<std::uint32_t> event_of(moves.size(), kNone);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (!moves[i].is_value() && is_event_(moves[i].pending))
      event_of[i] = event_at(execution, step, moves[i].pending);
    const bool executed = is_move(moves[i], execution.log[step]);
    moves[i].has_turn |= executed;
    if (moves[i].has_turn && !executed) open_.emplace_back(index, static_cast<std::uint32_t>(i));
  }
  states_[index].moves = std::move(moves);
  states_[index].event_of = std::move(event_of);
}

std::uint32_t EventGame::event_at(const Explored& execution, std::uint32_t step,
                                  const Pending& pending) {
  GameEvent event{pending.thread, events_of_[raw(pending.thread)], pending.site, 0};
  for (std::uint32_t i = execution.first[step]; i < execution.first[step + 1]; ++i) {
    if (execution.pending[i].thread != pending.thread || i >= execution.stack_of.size()) continue;
    const std::uint32_t stack = execution.stack_of[i];
    if (stack >= execution.stacks.size()) continue;
    const EnabledStack& frames = execution.stacks[stack];
    const std::uint64_t* end = frames.pc + std::min<std::uint32_t>(frames.frames, kMaxStepFrames);
    const std::uint64_t* at = std::find(frames.pc, end, pending.site);
    if (at != end && at + 1 != end) event.caller = at[1];
  }
  const auto [it, is_new] = event_index_.emplace(event, static_cast<std::uint32_t>(events_.size()));
  if (is_new) events_.push_back(event);
  return it->second;
}

void EventGame::done(const Explored& execution) {
  std::uint16_t highest = 0;
  for (const Pending& p : execution.pending) highest = std::max(highest, raw(p.thread));
  idle_.assign(highest + 1U, {});
  events_of_.assign(highest + 1U, 0);
  turns_.restart();
  turns_.use(idle_.data());
  const auto steps = static_cast<std::uint32_t>(execution.log.size());
  causality_.analyse(execution, steps + 1, false);

  Key key;
  StateIndex at = state_at(key, kNoNode, 0, 0);
  std::vector<StateIndex> path{at};
  for (std::uint32_t step = 0; step < steps; ++step) {
    const StepRecord& record = execution.log[step];
    if (states_[at].moves.empty()) fill(at, execution, step);
    const std::vector<Branch>& moves = states_[at].moves;
    const auto move = static_cast<std::uint32_t>(
        std::find_if(moves.begin(), moves.end(),
                     [&](const Branch& b) { return is_move(b, record); }) -
        moves.begin());
    if (move == moves.size()) return;  // not a log that a runtime writes
    add_step(key, execution, step);
    const StateIndex child = state_at(key, at, move, step + 1);
    if (states_[at].moves[move].child == kNoNode) {
      states_[at].moves[move].child = child;
      states_[at].moves[move].has_turn = true;
      states_[child].parents.push_back(at);
    }
    if (!is_value(record)) {
      if (states_[at].event_of[move] != kNone) ++events_of_[raw(record.thread)];
      turns_.executed(record.thread, record.op, record.site);
    }
    at = child;
    path.push_back(at);
  }
  // One that did not end leaves it open.
  if (execution.failing) {
    settle(at, Prospect::kBad);
  } else if (execution.outcome == OutcomeKind::kNone) {
    settle(at, Prospect::kGood);
  }
  // What was known of the end may settle the new way to it.
  for (std::size_t i = path.size(); i-- > 0;) {
    const State& state = states_[path[i]];
    if (state.prospect == Prospect::kOpen && !state.moves.empty())
      if (const Prospect now = look(state); now != Prospect::kOpen) settle(path[i], now);
  }
}

Prospect EventGame::look(const State& state) const {
  bool others = false;      // somebody else can move
  bool others_good = true;  // and wherever that leads is good
  bool an_event_good = false;
  bool events_bad = true;
  for (std::size_t i = 0; i < state.moves.size(); ++i) {
    const Branch& move = state.moves[i];
    if (!move.has_turn) continue;
    const Prospect child = move.child == kNoNode ? Prospect::kOpen : states_[move.child].prospect;
    if (state.event_of[i] == kNone) {
      if (child == Prospect::kBad) return Prospect::kBad;
      others = true;
      others_good = others_good && child == Prospect::kGood;
    } else {
      an_event_good = an_event_good || child == Prospect::kGood;
      events_bad = events_bad && child == Prospect::kBad;
    }
  }
  if (others) return others_good ? Prospect::kGood : Prospect::kOpen;
  if (an_event_good) return Prospect::kGood;
  return events_bad ? Prospect::kBad : Prospect::kOpen;
}

void EventGame::settle(StateIndex index, Prospect prospect) {
  std::vector<std::pair<StateIndex, Prospect>> todo{{index, prospect}};
  while (!todo.empty()) {
    const auto [at, now] = todo.back();
    todo.pop_back();
    if (states_[at].prospect != Prospect::kOpen) continue;
    states_[at].prospect = now;
    for (const StateIndex parent : states_[at].parents) {
      if (states_[parent].prospect != Prospect::kOpen) continue;
      if (const Prospect p = look(states_[parent]); p != Prospect::kOpen)
        todo.emplace_back(parent, p);
    }
  }
}

// If as little as possible is held back: all that is not known to be bad.
std::vector<EventGame::StateIndex> EventGame::reached() const {
  std::vector<StateIndex> out;
  if (states_.empty() || states_[0].prospect == Prospect::kBad) return out;
  std::vector<bool> seen(states_.size(), false);
  out.push_back(0);
  seen[0] = true;
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const Branch& move : states_[out[i]].moves) {
      if (move.child == kNoNode || seen[move.child]) continue;
      if (states_[move.child].prospect == Prospect::kBad) continue;
      seen[move.child] = true;
      out.push_back(move.child);
    }
  }
  return out;
}

// All ways to a state have the same: events depend on each other.
std::vector<std::uint32_t> EventGame::history(StateIndex index) const {
  std::vector<std::uint32_t> out;
  for (const State* s = &states_[index]; s->parent != kNoNode; s = &states_[s->parent]) {
    const std::uint32_t event = states_[s->parent].event_of[s->parent_move];
    if (event != kNone) out.push_back(event);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<Offer> EventGame::offers() const {
  std::set<Offer> out;
  for (const StateIndex index : reached()) {
    const State& state = states_[index];
    for (std::size_t i = 0; i < state.moves.size(); ++i) {
      if (state.event_of[i] == kNone) continue;
      const StateIndex child = state.moves[i].child;
      const bool goes = child != kNoNode && states_[child].prospect == Prospect::kGood;
      out.insert({history(index), state.event_of[i], goes});
    }
  }
  return {out.begin(), out.end()};
}

}  // namespace raddle
