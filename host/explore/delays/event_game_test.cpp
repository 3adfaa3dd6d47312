// The game against its definition, on random programs: every state by every way, nothing
// remembered. Some operations of the programs stand for events; which, does not matter to the game.
#include "host/explore/delays/event_game.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "host/explore/candidates.hpp"
#include "host/explore/delays/held_events.hpp"
#include "host/explore/testing/paper_search.hpp"
#include "host/explore/testing/random_program.hpp"

namespace raddle {
namespace {

using paper::Code;
using paper::PaperExecutor;
using paper::Program;

bool waits_for_semaphore(const Pending& p) { return p.op == OpKind::sem_wait; }
bool synchronises(const Pending& p) {
  return p.op == OpKind::sem_wait || p.op == OpKind::sem_post || p.op == OpKind::mutex_lock ||
         p.op == OpKind::cond_wait;
}
bool is_any(const Pending&) { return true; }
bool is_none(const Pending&) { return false; }

constexpr std::size_t kTooManyStates = 20'000;

// The definition. `budget` is how many states may be looked at; below zero, the answer means
// nothing.
bool is_good(PaperExecutor& executor, EventGame::IsEvent is_event, std::vector<StepRecord>& prefix,
             long& budget) {
  if (--budget < 0) return false;
  const Explored* e = executor.execute({.prefix = prefix});
  const auto step = static_cast<std::uint32_t>(prefix.size());
  if (e->log.size() == step) return !e->failing;
  std::vector<IdleFairness::PerThread> idle(8);
  IdleFairness turns(idle.data());
  for (std::uint32_t i = 0; i < step; ++i) {
    if (e->log[i].op != OpKind::value_choice)
      turns.executed(e->log[i].thread, e->log[i].op, e->log[i].site);
  }
  std::vector<Branch> moves;
  find_candidates(*e, step, turns, step == 0 ? kMainThread : e->log[step - 1].thread, moves);
  for (Branch& move : moves) move.has_turn |= same_step(move.record(), e->log[step]);
  bool others = false;
  bool others_good = true;
  bool an_event_good = false;
  for (const Branch& move : moves) {
    if (!move.has_turn) continue;
    prefix.push_back(move.record());
    const bool good = is_good(executor, is_event, prefix, budget);
    prefix.pop_back();
    if (!move.is_value() && is_event(move.pending)) {
      an_event_good |= good;
    } else {
      others = true;
      others_good &= good;
    }
  }
  return others ? others_good : an_event_good;
}

struct Played {
  Prospect prospect = Prospect::kOpen;
  std::vector<HeldEvent> held;
  std::vector<GameEvent> events;
  std::uint64_t executions = 0;
};

Played play(const Program& program, EventGame::IsEvent is_event) {
  PaperExecutor executor(program);
  EventGame game(is_event);
  Played played;
  std::vector<StepRecord> prefix;
  while (game.next(prefix) && game.states() < kTooManyStates) {
    const Explored* e = executor.execute({.prefix = prefix, .loose = true});
    EXPECT_GE(e->log.size(), prefix.size());
    for (std::size_t i = 0; i < prefix.size() && i < e->log.size(); ++i)
      EXPECT_TRUE(same_step(prefix[i], e->log[i]));
    game.done(*e);
    ++played.executions;
  }
  played.prospect = game.prospect();
  played.events = game.events();
  if (played.prospect == Prospect::kGood) played.held = held_events(game.offers());
  return played;
}

// Two threads that post, and one that waits for both: nothing can go wrong.
TEST(EventGame, NothingIsHeldBackWhereNothingFails) {
  const Program program{{{{Code::kPost, 0}}, {{Code::kDown, 0}}}, {0}};
  const Played played = play(program, waits_for_semaphore);
  EXPECT_EQ(played.prospect, Prospect::kGood);
  EXPECT_TRUE(played.held.empty());
}

// One token. Whoever takes it first without giving it back leaves the other one stuck: the first
// thread has to go first, although the second one could.
TEST(EventGame, OneHasToWaitForTheOther) {
  const Program program{{{{Code::kDown, 0}, {Code::kPost, 0}}, {{Code::kDown, 0}}}, {1}};
  const Played played = play(program, waits_for_semaphore);
  ASSERT_EQ(played.prospect, Prospect::kGood);
  ASSERT_EQ(played.held.size(), 1U);
  const HeldEvent& held = played.held.front();
  EXPECT_EQ(played.events[held.event].thread, ThreadId{1});
  EXPECT_FALSE(held.never);
  ASSERT_FALSE(held.listed);
  ASSERT_EQ(held.until.size(), 1U);
  EXPECT_EQ(played.events[held.until.front()].thread, ThreadId{0});
  EXPECT_EQ(held.after, (std::vector<std::vector<std::uint32_t>>{{}}));
}

// Two that want the token for ever, and it is there once.
TEST(EventGame, NobodyCanKeepBothFromGettingStuck) {
  const Program program{{{{Code::kDown, 0}}, {{Code::kDown, 0}}}, {1}};
  EXPECT_EQ(play(program, waits_for_semaphore).prospect, Prospect::kBad);
}

// The order of the stores is not the holding side's: only it could avoid the failure.
TEST(EventGame, OtherStepsCannotBeHeldBack) {
  const Program program{{{{Code::kStore, 0, 1}}, {{Code::kLoad, 0}, {Code::kFailIf, 0}}}, {}};
  EXPECT_EQ(play(program, is_none).prospect, Prospect::kBad);
  EXPECT_EQ(play(program, is_any).prospect, Prospect::kGood);
}

// The reader loads before or after the store, as the other side likes; which of the two events has
// to wait depends on that, and not on events alone.
TEST(EventGame, AnswersThatEventsAloneDoNotTellAreListed) {
  const std::vector<Offer> offers = {{{}, 0, true}, {{}, 0, false}, {{1}, 0, true}};
  const std::vector<HeldEvent> held = held_events(offers);
  ASSERT_EQ(held.size(), 1U);
  EXPECT_TRUE(held.front().listed);
  EXPECT_TRUE(held.front().until.empty());
}

TEST(EventGame, RulesHaveTheFewestEventsThatSayIt) {
  // Held back before 1 and 2 have both happened; 3 always comes before.
  const std::vector<Offer> offers = {{{3}, 0, false},      {{3, 1}, 0, false},   {{3, 2}, 0, false},
                                     {{3, 1, 2}, 0, true}, {{3, 2, 1}, 0, true}, {{}, 4, false}};
  const std::vector<HeldEvent> held = held_events(offers);
  ASSERT_EQ(held.size(), 2U);
  EXPECT_EQ(held[0].until, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_TRUE(held[1].never);
}

TEST(EventGame, AgreesWithItsDefinitionOnRandomPrograms) {
  const bool full = std::getenv("RADDLE_TEST_FULL") != nullptr;
  int good = 0;
  int bad = 0;
  std::uint64_t executions = 0;
  std::uint64_t slow = 0;
  for (std::uint64_t seed = 1; seed <= (full ? 6000U : 300U); ++seed) {
    const Program program =
        seed % 2 == 0 ? paper::random_program(seed) : paper::random_program_that_ends(seed);
    for (const EventGame::IsEvent is_event : {waits_for_semaphore, synchronises, is_any, is_none}) {
      PaperExecutor executor(program);
      std::vector<StepRecord> prefix;
      constexpr long kBudget = 600;
      long budget = kBudget;
      const bool expected = is_good(executor, is_event, prefix, budget);
      if (budget < 0) continue;
      const Played played = play(program, is_event);
      ASSERT_EQ(played.prospect, expected ? Prospect::kGood : Prospect::kBad) << "seed " << seed;
      ++(expected ? good : bad);
      executions += played.executions;
      slow += static_cast<std::uint64_t>(kBudget - budget);
    }
  }
  EXPECT_GT(good, 100);
  EXPECT_GT(bad, 100);
  std::printf("%d good, %d bad, %llu executions, %llu by the definition\n", good, bad,
              static_cast<unsigned long long>(executions), static_cast<unsigned long long>(slow));
}

}  // namespace
}  // namespace raddle
