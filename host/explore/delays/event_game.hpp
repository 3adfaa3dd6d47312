// Can events be held back so that nothing fails? (Luo's dissertation, 3.2.4: one step of lookahead
// lets `put` through in `get* put`, and the next `get` is stuck for ever.)
//
// A game on the states of a program. One side holds events back: at every state it lets some of the
// events go that may go. The other side is everything else: the order of all other steps, and all
// values. A state is *good* if the program ends well from it, whatever the other side does:
//
//   - Another step can be made there: all that can be made lead to good states. The events may
//   wait.
//   - Events alone are left: one of them leads to a good state. Somebody has to go.
//   - The program has ended: it did not fail.
//
// The holding side knows all that has happened, so "no" means that nobody could, and a program that
// holds back only what leads to states that are not good holds back as little as possible.
//
// Two executions that differ only in the order of independent steps lead to the same state (that is
// what partial-order reduction rests on, too), so states are known by what happened before what.
// States are executed once, from any way that leads there.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "host/explore/causality.hpp"
#include "host/explore/executor.hpp"
#include "host/explore/schedule_tree.hpp"
#include "protocol/turns/idle_fairness.hpp"

namespace raddle {

enum class Prospect : std::uint8_t { kOpen, kGood, kBad };

// The n-th event of a thread. `caller` is the code address behind its call, 0 if not known.
struct GameEvent {
  ThreadId thread{};
  std::uint32_t ordinal = 0;  // from 0
  std::uint64_t site = 0;
  std::uint64_t caller = 0;
  auto operator<=>(const GameEvent&) const = default;
};

// An event that may go, after others: the game's answer there.
struct Offer {
  std::vector<std::uint32_t> history;  // events, as indices, in their order
  std::uint32_t event = 0;
  bool goes = false;
  bool operator<(const Offer& other) const {
    return std::tie(event, history, goes) < std::tie(other.event, other.history, other.goes);
  }
};

class EventGame {
 public:
  // Says which steps the holding side decides on.
  using IsEvent = bool (*)(const Pending& pending);
  explicit EventGame(IsEvent is_event);

  // The next execution, as the choices that it begins with (ExecutionRequest::loose: numbers of
  // objects may be those of another way). False: nothing that matters is left.
  bool next(std::vector<StepRecord>& prefix);
  // What became of it.
  void done(const Explored& execution);

  // Of the beginning: whether events can be held back so that nothing fails.
  Prospect prospect() const { return states_.empty() ? Prospect::kOpen : states_[0].prospect; }

  std::size_t states() const { return states_.size(); }
  bool saw_events() const { return !events_.empty(); }
  const std::vector<GameEvent>& events() const { return events_; }
  // Every event that could go in a state that is reached if as little as possible is held back, and
  // whether it does; each once.
  std::vector<Offer> offers() const;

 private:
  using StateIndex = NodeIndex;
  struct State {
    std::vector<Branch> moves;
    std::vector<std::uint32_t> event_of;  // by move; kNone: none
    std::vector<StateIndex> parents;
    StateIndex parent = kNoNode;  // the way there that was executed first
    std::uint32_t parent_move = 0;
    std::uint32_t step = 0;
    Prospect prospect = Prospect::kOpen;
  };
  // Sums of hashes of the steps that were made: two, since there may be many states.
  struct Key {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    auto operator<=>(const Key&) const = default;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void add_step(Key& key, const Explored& execution, std::uint32_t step) const;
  StateIndex state_at(const Key& key, StateIndex parent, std::uint32_t move, std::uint32_t step);
  void fill(StateIndex index, const Explored& execution, std::uint32_t step);
  std::uint32_t event_at(const Explored& execution, std::uint32_t step, const Pending& pending);
  Prospect look(const State& state) const;
  void settle(StateIndex index, Prospect prospect);
  bool below_a_bad_one(StateIndex index) const;
  std::vector<StateIndex> reached() const;
  std::vector<std::uint32_t> history(StateIndex index) const;
  bool take_up_postponed();

  IsEvent is_event_;
  std::vector<State> states_;
  std::map<Key, StateIndex> known_;
  std::vector<std::pair<StateIndex, std::uint32_t>> open_;  // moves that nobody has executed
  std::vector<std::pair<StateIndex, std::uint32_t>> postponed_;
  std::vector<GameEvent> events_;
  std::map<GameEvent, std::uint32_t> event_index_;
  bool begun_ = false;

  // Of the execution that done() looks at.
  Causality causality_;
  IdleFairness turns_;
  std::vector<IdleFairness::PerThread> idle_;
  std::vector<std::uint32_t> events_of_;  // by thread, so far
};

}  // namespace raddle
