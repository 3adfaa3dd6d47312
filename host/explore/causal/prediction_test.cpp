// What is predicted of an execution is what all interleavings of its own events show, each thread
// seeing what it saw; and every witness is an execution that shows it.
#include "host/explore/causal/prediction.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "host/analysis/atomset/patterns.hpp"
#include "host/causal/testing/all_interleavings.hpp"
#include "host/causal/testing/all_orders.hpp"
#include "host/explore/testing/paper_search.hpp"
#include "host/explore/testing/random_program.hpp"

namespace raddle::paper {
namespace {

constexpr std::size_t kMostStates = 5'000;

// An execution, and its histories as the slow definitions want them.
struct Recorded {
  causal::Histories histories;
  Sharing sharing;
  CausalReading reading{histories, sharing};
  CausalProblem problem;

  explicit Recorded(const Explored& execution) {
    reading.learn_sharing(execution);
    problem = reading.read(execution);
  }
  const CausalStep& step(std::size_t i) const { return reading.steps()[i]; }
  causal::NodeId event(std::size_t i) const { return histories.node(step(i).at).children.front(); }
  const causal::Action& action(std::size_t i) const {
    return histories.node(event(i)).event.action;
  }
  // How many steps its thread had made.
  std::size_t ordinal(std::size_t i) const {
    std::size_t count = 0;
    for (std::size_t k = 0; k < i; ++k) count += step(k).thread == step(i).thread ? 1 : 0;
    return count;
  }
};

// Where in the log the thread makes the step; none: it does not come to it.
std::optional<std::size_t> place_of(const Explored& e, causal::ThreadIndex thread,
                                    std::size_t ordinal) {
  for (std::size_t i = 0; i < e.log.size(); ++i) {
    if (e.log[i].op == OpKind::value_choice || raw(e.log[i].thread) != thread) continue;
    if (ordinal-- == 0) return i;
  }
  return std::nullopt;
}

struct Counted {
  std::uint64_t programs = 0;
  std::uint64_t races = 0;
  std::uint64_t no_races = 0;  // pairs of accesses that never stand next to each other
  std::uint64_t deadlocks = 0;
  std::uint64_t locks = 0;
  std::set<int> patterns;  // that were possible
  std::uint64_t impossible = 0;
  std::uint64_t kept = 0;  // of those that are possible, found in small windows
  std::uint64_t possible = 0;
};

class Comparison {
 public:
  Comparison(Program program, Counted& counted, std::uint64_t seed)
      : executor_(std::move(program)),
        first_(*executor_.execute({})),
        recorded_(first_.view()),
        counted_(counted),
        generator_(seed) {}

  void run() {
    // The paper's threads are there from the start, so that the model has the program's numbers.
    if (recorded_.problem.kind != CausalProblem::kNone || recorded_.reading.steps().empty()) return;
    whole_.learn(first_.view());
    windows_.learn(first_.view());
    const causal::AllInterleavings all(recorded_.histories, kMostStates);
    if (!all.finished) return;
    compare_races(all);
    compare_deadlocks(all);
    compare_locks();
    compare_patterns();
    ++counted_.programs;
  }

 private:
  std::uint64_t log_step(std::size_t i) const { return recorded_.step(i).step; }
  std::size_t steps() const { return recorded_.reading.steps().size(); }

  std::optional<CausalWork> ask(Prediction& prediction, PredictionQuery::Kind kind,
                                const std::vector<std::size_t>& steps) const {
    PredictionQuery query{kind, {}};
    for (const std::size_t i : steps) query.steps.push_back(log_step(i));
    return prediction.ask({&query, 1}).front();
  }

  void compare_races(const causal::AllInterleavings& all) {
    for (std::size_t i = 0; i < steps(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        const CausalStep& a = recorded_.step(k);
        const CausalStep& b = recorded_.step(i);
        const causal::Action& first_action = recorded_.action(k);
        const causal::Action& second_action = recorded_.action(i);
        const auto is_access = [](const causal::Action& action) {
          return causal::reads(action.kind) || causal::writes(action.kind);
        };
        if (a.thread == b.thread || !is_access(first_action) || !is_access(second_action) ||
            first_action.address != second_action.address ||
            (!causal::writes(first_action.kind) && !causal::writes(second_action.kind)))
          continue;
        const auto witness = ask(whole_, PredictionQuery::kNextToEachOther, {k, i});
        const auto in_order = a.thread < b.thread ? std::pair(a.at, b.at) : std::pair(b.at, a.at);
        ASSERT_EQ(witness.has_value(), all.meetings.contains(in_order)) << k << " and " << i;
        counted_.no_races += witness ? 0 : 1;
        if (!witness) continue;
        ++counted_.races;
        const Explored& shown = *executor_.execute(witness->request());
        const auto first = place_of(shown, a.thread, recorded_.ordinal(k));
        ASSERT_TRUE(first) << k << " and " << i;
        const auto second = place_of(shown, b.thread, recorded_.ordinal(i));
        if (second) {
          ASSERT_EQ(*second, *first + 1) << k << " and " << i;
        } else {  // what the first one sees here makes the program fail before the second
          ASSERT_TRUE(shown.failing && *first + 1 == shown.log.size()) << k << " and " << i;
          ASSERT_TRUE(is_about_to(shown, *first, b)) << k << " and " << i;
        }
      }
    }
  }

  // Whether the thread could have made the step then, too.
  static bool is_about_to(const Explored& shown, std::size_t at, const CausalStep& step) {
    const std::span<const Pending> enabled = shown.enabled(at);
    return std::any_of(enabled.begin(), enabled.end(), [&](const Pending& p) {
      return raw(p.thread) == step.thread && p.site == step.pending.site;
    });
  }

  void compare_deadlocks(const causal::AllInterleavings& all) {
    std::size_t found = 0;
    while (!whole_.asked_for_all_deadlocks() && found <= all.deadlocks.size()) {
      for (const CausalWork& witness : whole_.deadlocks()) {
        ++found;
        ++counted_.deadlocks;
        ASSERT_EQ(executor_.execute(witness.request())->outcome, OutcomeKind::kDeadlock);
      }
    }
    ASSERT_EQ(found, all.deadlocks.size());
  }

  void compare_order(const std::vector<std::size_t>& order, bool& possible) {
    std::vector<causal::NodeId> events;
    for (const std::size_t i : order) events.push_back(recorded_.event(i));
    possible = false;
    const causal::AllOrders all(recorded_.histories, events, causal::Trust::kProved, kMostStates);
    if (!all.finished) return;
    possible = all.possible;
    const auto witness = ask(whole_, PredictionQuery::kProvedOrder, order);
    ASSERT_EQ(witness.has_value(), all.possible) << fmt::format("{}", fmt::join(order, " "));
    counted_.impossible += all.possible ? 0 : 1;
    counted_.possible += all.possible ? 1 : 0;
    // What a window says holds for the whole.
    const auto in_window = ask(windows_, PredictionQuery::kProvedOrder, order);
    counted_.kept += in_window ? 1 : 0;
    for (const auto& shown : {witness, in_window}) {
      if (!shown) continue;
      ASSERT_TRUE(all.possible);
      ASSERT_TRUE(comes_in_order(*executor_.execute(shown->request()), order))
          << fmt::format("{}", fmt::join(order, " "));
    }
  }

  // In that order; or one of them, by what it sees here, makes the program fail, which ends it
  // before those that would have followed.
  bool comes_in_order(const Explored& shown, const std::vector<std::size_t>& order) const {
    std::optional<std::size_t> last;
    for (const std::size_t i : order) {
      const auto at = place_of(shown, recorded_.step(i).thread, recorded_.ordinal(i));
      if (!at) return last && shown.failing && *last + 1 == shown.log.size();
      if (last && *at <= *last) return false;
      last = at;
    }
    return true;
  }

  // Another thread's acquisition between two of one thread.
  void compare_locks() {
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < steps(); ++i) {
      if (recorded_.action(i).kind == causal::ActionKind::kLock) taken.push_back(i);
    }
    for (const std::size_t a : taken) {
      for (const std::size_t b : taken) {
        for (const std::size_t c : taken) {
          const bool fits = a < c && recorded_.step(a).thread == recorded_.step(c).thread &&
                            recorded_.step(a).thread != recorded_.step(b).thread &&
                            recorded_.action(a).object == recorded_.action(b).object &&
                            recorded_.action(a).object == recorded_.action(c).object;
          if (!fits) continue;
          bool possible = false;
          compare_order({a, b, c}, possible);
          if (testing::Test::HasFatalFailure()) return;
          counted_.locks += possible ? 1 : 0;
        }
      }
    }
  }

  // A thread is a unit, and all variables are one set. Some choices of each pattern.
  void compare_patterns() {
    for (const Pattern& pattern : patterns()) {
      std::vector<std::vector<std::size_t>> choices;
      std::vector<std::size_t> chosen;
      choose(pattern, chosen, choices);
      for (int i = 0; i < 3 && !choices.empty(); ++i) {
        bool possible = false;
        compare_order(choices[generator_.below(choices.size())], possible);
        if (testing::Test::HasFatalFailure()) return;
        if (possible) counted_.patterns.insert(pattern.number);
      }
    }
  }

  void choose(const Pattern& pattern, std::vector<std::size_t>& chosen,
              std::vector<std::vector<std::size_t>>& choices) const {
    const std::size_t slot = chosen.size();
    if (slot == static_cast<std::size_t>(pattern.length)) {
      choices.push_back(chosen);
      return;
    }
    const PatternAccess& wanted = pattern.accesses[slot];
    for (std::size_t i = 0; i < steps(); ++i) {
      const causal::ActionKind kind = recorded_.action(i).kind;
      if (kind != (wanted.write ? causal::ActionKind::kWrite : causal::ActionKind::kRead)) continue;
      bool fits = true;
      for (std::size_t k = 0; k < slot && fits; ++k) {
        const PatternAccess& other = pattern.accesses[k];
        const bool same_unit = other.other == wanted.other;
        const bool same_place = recorded_.action(chosen[k]).address == recorded_.action(i).address;
        fits = same_unit == (recorded_.step(chosen[k]).thread == recorded_.step(i).thread) &&
               same_place == (other.second == wanted.second) && (!same_unit || chosen[k] < i);
      }
      if (!fits) continue;
      chosen.push_back(i);
      choose(pattern, chosen, choices);
      chosen.pop_back();
    }
  }

  PaperExecutor executor_;
  ReadExecution first_;
  Recorded recorded_;
  Prediction whole_{{}, 0};
  Prediction windows_{{}, 6};
  Counted& counted_;
  Generator generator_;
};

class Predictions : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Random, Predictions, testing::Range<std::uint64_t>(0, 10));

const std::uint64_t kPrograms = std::getenv("RADDLE_PROGRAMS") != nullptr
                                    ? std::strtoull(std::getenv("RADDLE_PROGRAMS"), nullptr, 10)
                                    : 12;

TEST_P(Predictions, AreWhatAllInterleavingsOfTheExecutionShow) {
  Counted counted;
  for (std::uint64_t i = 0; i < kPrograms && !HasFatalFailure(); ++i) {
    const std::uint64_t seed = i * 10 + GetParam();
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Comparison(random_program(seed), counted, seed).run();
    if (!HasFatalFailure()) Comparison(random_program_of_values(seed), counted, seed).run();
    if (!HasFatalFailure()) Comparison(random_program_of_sections(seed), counted, seed).run();
  }
  if (kPrograms >= 12) {
    EXPECT_GT(counted.races, 0U);
    EXPECT_GT(counted.no_races, 0U);
    EXPECT_GT(counted.possible, 0U);
    EXPECT_GT(counted.impossible, 0U);
    EXPECT_GT(counted.kept, 0U);
  }
  fmt::print(
      "{} programs: {} races and {} pairs without one, {} deadlocks, {} locks taken between, {} "
      "patterns; {} orders, {} impossible, {} found in windows of 6 events\n",
      counted.programs, counted.races, counted.no_races, counted.deadlocks, counted.locks,
      counted.patterns.size(), counted.possible, counted.impossible, counted.kept);
}

}  // namespace
}  // namespace raddle::paper
