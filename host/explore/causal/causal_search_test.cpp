// The causal explorer on paper: what it reaches is what dfs reaches, with no more executions than
// dpor takes and no execution that shows nothing.
#include "host/explore/causal/causal_search.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "host/causal/conversation.hpp"
#include "host/causal/testing/all_interleavings.hpp"
#include "host/causal/testing/all_orders.hpp"
#include "host/explore/testing/histories_seen.hpp"
#include "host/explore/testing/paper_search.hpp"
#include "host/explore/testing/random_program.hpp"

namespace raddle::paper {
namespace {

Seen all_of(const Program& program, std::uint64_t limit, bool* complete) {
  PaperExecutor executor(program);
  Search search({});
  Work work;
  Seen seen;
  while (search.counts().executions < limit && search.next(work)) {
    const Explored* e = executor.execute(work.request());
    add_histories(*e, seen);
    search.done(work, *e);
  }
  *complete = search.complete();
  return seen;
}

struct Causal {
  Seen seen;
  CausalCounts counts;
  bool complete = false;
  CausalProblem problem;
};

Causal explore_causally(const Program& program) {
  PaperExecutor executor(program);
  CausalSearch search({});
  CausalWork work;
  Causal causal;
  while (search.next(work)) {
    const Explored* e = executor.execute(work.request());
    add_histories(*e, causal.seen);
    search.done(work, *e);
  }
  causal.counts = search.counts();
  causal.complete = search.complete();
  causal.problem = search.problem();
  return causal;
}

struct Sums {
  std::uint64_t programs = 0;
  std::uint64_t schedules = 0;
  std::uint64_t dpor = 0;
  std::uint64_t causal = 0;
  std::uint64_t queries = 0;
  std::uint64_t possible = 0;  // of the orders that were asked for
};

void compare(const Program& program, const std::string& what, Sums& sums) {
  bool complete = false;
  const Seen all = all_of(program, 1500, &complete);
  if (!complete) return;
  const Reached dpor = explore(program, SearchOrder::kDpor);
  const Causal causal = explore_causally(program);
  ASSERT_EQ(causal.problem.kind, CausalProblem::kNone)
      << what << " step " << causal.problem.step << " " << op_text(causal.problem.op);
  ASSERT_TRUE(causal.complete) << what << " unknown " << causal.counts.unknown;
  ASSERT_EQ(missing(causal.seen.histories, all.histories), "") << what;
  ASSERT_EQ(missing(causal.seen.failures, all.failures), "") << what;
  ASSERT_EQ(missing(all.failures, causal.seen.failures), "") << what;
  ASSERT_EQ(causal.counts.redundant, 0U) << what;
  ASSERT_LE(causal.counts.executions, dpor.counts.executions) << what;
  ++sums.programs;
  sums.dpor += dpor.counts.executions;
  sums.causal += causal.counts.executions;
  sums.queries += causal.counts.queries;
}

// Each question, at each stage of an exploration, has the answer that all interleavings of the
// known events give.
void compare_answers(const causal::Histories& histories, const std::string& what, Sums& sums) {
  const causal::AllInterleavings all(histories, 20'000);
  if (!all.finished) return;
  for (std::uint32_t i = 0; i < histories.size(); ++i) {
    const causal::NodeId id{i};
    const causal::Node& n = histories.node(id);
    if (!n.next || (!n.children.empty() && !causal::observes(n.next->kind))) continue;
    const causal::Answer answer = causal::ask_for_news(histories, id, {});
    ASSERT_EQ(answer.verdict, all.news.contains(id) ? causal::Verdict::kYes : causal::Verdict::kNo)
        << what << ": thread " << n.thread << " after " << n.depth << " events";
    ++sums.queries;
  }
  const causal::Answer answer = causal::ask_for_deadlock(histories, {}, {}, {});
  ASSERT_EQ(answer.verdict, all.deadlocks.empty() ? causal::Verdict::kNo : causal::Verdict::kYes)
      << what;
  const std::vector<causal::Blocked> known(all.deadlocks.begin(), all.deadlocks.end());
  ASSERT_EQ(causal::ask_for_deadlock(histories, known, {}, {}).verdict, causal::Verdict::kNo)
      << what;
  sums.queries += 2;
}

// The same for where two threads can stand at the same time, before what they did: a race, if both
// touch the same.
void compare_meetings(const causal::Histories& histories, const std::string& what, Sums& sums) {
  const causal::AllInterleavings all(histories, 20'000);
  if (!all.finished) return;
  causal::Rules rules;
  rules.guesses = false;
  causal::Conversation conversation(histories, rules);
  for (std::uint32_t i = 0; i < histories.size(); ++i) {
    for (std::uint32_t k = 0; k < i; ++k) {
      const causal::Node& a = histories.node(causal::NodeId{k});
      const causal::Node& b = histories.node(causal::NodeId{i});
      if (!a.next || !b.next || a.thread == b.thread) continue;
      const causal::Answer answer = conversation.meeting({causal::NodeId{k}, causal::NodeId{i}});
      const bool in_order = a.thread < b.thread;
      const bool met = all.meetings.contains(
          {causal::NodeId{in_order ? k : i}, causal::NodeId{in_order ? i : k}});
      ASSERT_EQ(answer.verdict, met ? causal::Verdict::kYes : causal::Verdict::kNo)
          << what << ": threads " << a.thread << " and " << b.thread << " after " << a.depth
          << " and " << b.depth << " events";
      ++sums.queries;
    }
  }
}

// The same for events in an order: three or four of two threads, the shape of the patterns of
// atomicity.
void compare_orders(const causal::Histories& histories, std::uint64_t seed, const std::string& what,
                    Sums& sums) {
  Generator generator(seed);
  std::vector<causal::NodeId> events;
  for (std::uint32_t i = 0; i < histories.size(); ++i) {
    if (!histories.node(causal::NodeId{i}).is_root()) events.push_back(causal::NodeId{i});
  }
  const auto draw = [&] { return events[generator.below(events.size())]; };
  causal::Rules rules;
  rules.guesses = false;
  causal::Conversation conversation(histories, rules);
  for (int i = 0; i < 30 && !events.empty(); ++i) {
    std::vector<causal::NodeId> order = {draw(), draw(), draw()};
    if (generator.below(2) == 0) order.push_back(draw());
    std::set<causal::ThreadIndex> threads;
    for (const causal::NodeId id : order) threads.insert(histories.node(id).thread);
    const std::set<causal::NodeId> different(order.begin(), order.end());
    if (threads.size() != 2 || different.size() != order.size()) continue;
    for (const causal::Trust trust : {causal::Trust::kProved, causal::Trust::kTried}) {
      const causal::AllOrders all(histories, order, trust, 5'000);
      if (!all.finished) continue;
      const causal::Answer answer = conversation.order(order, trust);
      // What is tried may be more than what the definition allows: only the events read freely
      // there.
      if (trust == causal::Trust::kTried && !all.possible) continue;
      ASSERT_EQ(answer.verdict, all.possible ? causal::Verdict::kYes : causal::Verdict::kNo)
          << what << ": order " << i << (trust == causal::Trust::kProved ? " proved" : " tried");
      ++sums.queries;
      sums.possible += all.possible ? 1 : 0;
    }
  }
}

void check_answers(const Program& program, const std::string& what, Sums& sums) {
  PaperExecutor executor(program);
  CausalSearch search({});
  CausalWork work;
  for (int stage = 0; stage < 4 && search.next(work); ++stage) {
    search.done(work, *executor.execute(work.request()));
    compare_answers(search.histories(), what, sums);
    // Many questions: each third program will do.
    if (stage == 0 && sums.programs % 3 == 0) compare_meetings(search.histories(), what, sums);
    if (stage < 2) compare_orders(search.histories(), sums.queries, what, sums);
    if (testing::Test::HasFatalFailure()) return;
  }
  ++sums.programs;
}

class CausalPrograms : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Random, CausalPrograms, testing::Range<std::uint64_t>(0, 10));

const std::uint64_t kPrograms = std::getenv("RADDLE_PROGRAMS") != nullptr
                                    ? std::strtoull(std::getenv("RADDLE_PROGRAMS"), nullptr, 10)
                                    : 6;

TEST_P(CausalPrograms, AnswersAreThoseOfAllInterleavings) {
  Sums sums;
  for (std::uint64_t seed = 0; seed < kPrograms && !HasFatalFailure(); ++seed)
    check_answers(random_program(seed * 10 + GetParam()),
                  fmt::format("seed {}", seed * 10 + GetParam()), sums);
  for (std::uint64_t seed = 0; seed < kPrograms / 2 && !HasFatalFailure(); ++seed)
    check_answers(random_program_of_values(seed * 10 + GetParam()),
                  fmt::format("of values, seed {}", seed * 10 + GetParam()), sums);
  for (std::uint64_t seed = 0; seed < kPrograms / 2 && !HasFatalFailure(); ++seed)
    check_answers(random_program_of_sections(seed * 10 + GetParam()),
                  fmt::format("of sections, seed {}", seed * 10 + GetParam()), sums);
  EXPECT_GT(sums.possible, 0U);
  fmt::print("{} programs, {} questions\n", sums.programs, sums.queries);
}

TEST_P(CausalPrograms, SeeWhatAllSchedulesSee) {
  Sums sums;
  for (std::uint64_t seed = 0; seed < kPrograms && !HasFatalFailure(); ++seed)
    compare(random_program(seed * 10 + GetParam()), fmt::format("seed {}", seed * 10 + GetParam()),
            sums);
  for (std::uint64_t seed = 0; seed < kPrograms && !HasFatalFailure(); ++seed)
    compare(random_program_that_ends(seed * 10 + GetParam()),
            fmt::format("that ends, seed {}", seed * 10 + GetParam()), sums);
  for (std::uint64_t seed = 0; seed < kPrograms / 2 && !HasFatalFailure(); ++seed)
    compare(random_program_of_values(seed * 10 + GetParam()),
            fmt::format("of values, seed {}", seed * 10 + GetParam()), sums);
  for (std::uint64_t seed = 0; seed < kPrograms / 2 && !HasFatalFailure(); ++seed)
    compare(random_program_of_sections(seed * 10 + GetParam()),
            fmt::format("of sections, seed {}", seed * 10 + GetParam()), sums);
  fmt::print("{} programs: dpor {} executions, causal {} with {} queries\n", sums.programs,
             sums.dpor, sums.causal, sums.queries);
}

// x = 1; x = 2 beside y = 1; x = 3: nobody reads, so one execution is all there is.
TEST(CausalSearch, WritesThatNobodyReadsTakeOneExecution) {
  const Program program{
      {{{Code::kStore, 0, 1}, {Code::kStore, 0, 2}}, {{Code::kStore, 1, 1}, {Code::kStore, 0, 3}}},
      {}};
  const Causal causal = explore_causally(program);
  EXPECT_TRUE(causal.complete);
  EXPECT_EQ(causal.counts.executions, 1U);
  EXPECT_GT(explore(program, SearchOrder::kDpor).counts.executions, 1U);
}

TEST(CausalSearch, EqualValuesAreNotToldApart) {
  const Program program{{{{Code::kStore, 0, 0}}, {{Code::kStore, 0, 0}}, {{Code::kLoad, 0}}}, {}};
  const Causal causal = explore_causally(program);
  EXPECT_TRUE(causal.complete);
  EXPECT_EQ(causal.counts.executions, 1U);
  EXPECT_GT(explore(program, SearchOrder::kDpor).counts.executions, 1U);
}

TEST(CausalSearch, NestedLocksTheOtherWayRound) {
  const Program program{
      {{{Code::kLock, 0}, {Code::kLock, 1}, {Code::kUnlock, 1}, {Code::kUnlock, 0}},
       {{Code::kLock, 1}, {Code::kLock, 0}, {Code::kUnlock, 0}, {Code::kUnlock, 1}}},
      {}};
  const Causal causal = explore_causally(program);
  EXPECT_TRUE(causal.complete);
  EXPECT_EQ(causal.counts.executions, 2U);
  EXPECT_EQ(causal.seen.failures.size(), 1U);
}

// Executes what comes by itself, whatever it is asked for.
class Disobedient final : public Executor {
 public:
  explicit Disobedient(const Program& program) : inner_(program) {}
  const Explored* execute(const ExecutionRequest& request) override {
    return inner_.execute({.asleep = request.asleep, .loose = request.loose});
  }
  std::string_view error() const override { return ""; }

 private:
  PaperExecutor inner_;
};

TEST(CausalSearch, AScheduleThatIsNotFollowedHasBothSides) {
  const Program program{{{{Code::kStore, 0, 1}}, {{Code::kLoad, 0}}}, {}};
  Disobedient executor(program);
  CausalSearch search({});
  CausalWork work;
  CausalWork last;
  while (search.next(work)) {
    search.done(work, *executor.execute(work.request()));
    last = work;
  }
  EXPECT_FALSE(search.complete());
  EXPECT_EQ(search.counts().executions, 2U);
  const CausalProblem& problem = search.problem();
  ASSERT_EQ(problem.kind, CausalProblem::kNotFollowed);
  ASSERT_LT(problem.step, last.prefix.size());
  EXPECT_EQ(problem.wanted.thread, last.prefix[problem.step].thread);
  EXPECT_NE(problem.came.thread, problem.wanted.thread);
}

// The dissertation's figure 4.3, from its text: an error hidden behind many values. Two rounds of
//   T1: lock; x = 1; y = 1; unlock      T2: lock; x = 0; unlock; if (x > 0) { y++; x = 2; }
//   T3: if (x > 1) { if (y == 3) error; else y = 2; }
Program figure() {
  const Body t1 = {
      {Code::kLock, 0}, {Code::kStore, 0, 1}, {Code::kStore, 1, 1}, {Code::kUnlock, 0}};
  const Body t2 = {{Code::kLock, 0},        {Code::kStore, 0, 0},  {Code::kUnlock, 0},
                   {Code::kLoad, 0},        {Code::kSkipIf, 0, 3}, {Code::kLoad, 1},
                   {Code::kStoreSum, 1, 1}, {Code::kStore, 0, 2}};
  const Body t3 = {{Code::kLoad, 0},
                   {Code::kSkipUnless, 2, 3},
                   {Code::kLoad, 1},
                   {Code::kFailIf, 3},
                   {Code::kStore, 1, 2}};
  Program program{{t1, t2, t3}, {}};
  for (Body& body : program.threads) {
    const Body once = body;
    body.insert(body.end(), once.begin(), once.end());
  }
  return program;
}

std::uint64_t until_it_fails(SearchOrder order, std::uint64_t limit) {
  PaperExecutor executor(figure());
  SearchOptions options;
  options.order = order;
  return explore_with(executor, [] { return std::string(); }, options, nullptr, {limit, 1})
      .counts.executions;
}

TEST(CausalSearch, AnErrorThatHidesBehindValues) {
  PaperExecutor executor(figure());
  CausalSearch search({});
  CausalWork work;
  while (search.counts().failing == 0 && search.next(work))
    search.done(work, *executor.execute(work.request()));
  EXPECT_EQ(search.counts().failing, 1U);
  EXPECT_EQ(search.problem().kind, CausalProblem::kNone);
  const std::uint64_t causal = search.counts().executions;
  const std::uint64_t dpor = until_it_fails(SearchOrder::kDpor, 20'000);
  const std::uint64_t icb = until_it_fails(SearchOrder::kIcb, 20'000);
  fmt::print("up to the error: causal {} with {} queries, dpor {}, icb {}\n", causal,
             search.counts().queries, dpor, icb);
  EXPECT_LE(100 * causal, icb);
  EXPECT_LT(causal, dpor);
}

}  // namespace
}  // namespace raddle::paper
