// The causal explorer over real executions: threads see exactly what they see in all schedules,
// with no more executions than dpor takes, and fewer where dpor tells apart what nobody sees.
//
//   RADDLE_TEST_FULL=1    300 random programs of each kind; RADDLE_PROGRAMS=30: so many
//   RADDLE_FIRST_PROGRAM=127   from this seed on
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <set>
#include <sstream>
#include <string_view>

#include "host/explore/causal/causal_search.hpp"
#include "host/explore/testing/histories_seen.hpp"
#include "tests/real_executions/draw_program.hpp"
#include "tests/real_executions/real_executor.hpp"

namespace raddle::real {
namespace {

using paper::Program;
using paper::Seen;

constexpr paper::SearchLimits kLargest = {30'000, 1000};

// Explores with whatever `next` says, until it says no.
void execute_all(const Program& program, const std::function<const Explored*(Executor&)>& next) {
  prepare(program);
  Result<std::unique_ptr<InProcessRunner>> runner = InProcessRunner::open(
      {{interpret, nullptr}, {kMaxSteps, std::chrono::seconds(30)}, kEnabledCapacity});
  if (!runner) throw std::runtime_error(runner.error());
  RealExecutor executor(**runner, program.threads.size());
  while (next(executor) != nullptr) {
  }
}

// How a program compares. A program with too many schedules is not compared: then nothing is set.
struct Comparison {
  std::string wrong;  // empty: nothing is
  std::uint64_t schedules = 0;
  std::uint64_t dpor = 0;    // executions
  std::uint64_t causal = 0;  // executions
  // Some executions of dpor differ in nothing that a thread sees: writes that go unread, equal
  // values, locks in an order that makes no difference.
  bool has_unseen = false;
  bool cut_short = false;  // a failure left a repeated look undone: it says that it is not complete
};

// What all threads see in the execution, as one text.
std::string whole_of(const Explored& e) {
  Seen one;
  add_histories(e, one);
  std::string text;
  for (const std::string& history : one.histories) text += history + "\n";
  return text;
}

// False if there are too many.
bool see_all(const Program& program, SearchOrder order, Seen& seen, std::uint64_t& executions,
             bool* has_unseen = nullptr) {
  std::set<std::string> different;
  SearchOptions options;
  options.order = order;
  Search search(options);
  Work work;
  execute_all(program, [&](Executor& executor) -> const Explored* {
    if (search.counts().executions >= kLargest.executions ||
        search.counts().failing >= kLargest.failing || !search.next(work))
      return nullptr;
    const Explored* e = executor.execute(work.request());
    add_histories(*e, seen);
    if (!e->redundant) different.insert(whole_of(*e));
    search.done(work, *e);
    return e;
  });
  executions = search.counts().executions;
  // Where executions fail they are cut off, and tell less.
  if (has_unseen != nullptr)
    *has_unseen =
        search.counts().failing == 0 && different.size() < executions - search.counts().redundant;
  return search.complete();
}

Comparison compare(const Program& program) {
  Seen all;
  Seen reduced;
  Seen found;
  Comparison result;
  if (!see_all(program, SearchOrder::kDfs, all, result.schedules)) return {};
  see_all(program, SearchOrder::kDpor, reduced, result.dpor, &result.has_unseen);
  causal::Rules rules;
  rules.cycles_end = true;
  CausalSearch search(rules);
  CausalWork work;
  execute_all(program, [&](Executor& executor) -> const Explored* {
    if (!search.next(work)) return nullptr;
    const Explored* e = executor.execute(work.request());
    add_histories(*e, found);
    search.done(work, *e);
    return e;
  });
  result.causal = search.counts().executions;
  const CausalProblem& problem = search.problem();
  if (problem.kind != CausalProblem::kNone) {
    result.wrong = fmt::format("problem {} at step {}: {}", int(problem.kind), problem.step,
                               op_text(problem.op));
    return result;
  }
  // Then it says that it is not complete.
  result.cut_short = search.counts().cut_short > 0;
  if (result.cut_short) {
    result.wrong = search.complete() ? "complete" : "";
    return result;
  }
  if (!search.complete()) result.wrong += fmt::format("{} unknown\n", search.counts().unknown);
  const auto differ = [&](const char* what, const std::string& items) {
    if (!items.empty()) result.wrong += fmt::format("{}:{}\n", what, items);
  };
  differ("not seen", paper::missing(found.histories, all.histories));
  differ("seen, but not by dfs", paper::missing(all.histories, found.histories));
  differ("failures not reached", paper::missing(found.failures, all.failures));
  differ("failures that dfs does not reach", paper::missing(all.failures, found.failures));
  if (result.causal + (result.has_unseen ? 1 : 0) > result.dpor)
    result.wrong += fmt::format("{} executions, dpor {}{}", result.causal, result.dpor,
                                result.has_unseen ? ", some of which nobody tells apart" : "");
  return result;
}

// In a process of its own: failing executions leave their threads behind.
Comparison compare_apart(const Program& program) {
  int ends[2];
  if (pipe(ends) != 0) return {"no pipe"};
  const pid_t pid = fork();
  if (pid == 0) {
    const Comparison c = compare(program);
    const std::string text = fmt::format("{} {} {} {} {}\n{}", c.schedules, c.dpor, c.causal,
                                         c.has_unseen ? 1 : 0, c.cut_short ? 1 : 0, c.wrong);
    [[maybe_unused]] const auto n = write(ends[1], text.data(), text.size());
    _exit(0);
  }
  close(ends[1]);
  std::string answer;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    answer.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  Comparison result;
  std::istringstream in(answer);
  in >> result.schedules >> result.dpor >> result.causal >> result.has_unseen >> result.cut_short;
  result.wrong = answer.substr(std::min(answer.find('\n'), answer.size() - 1) + 1);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !in)
    result.wrong += fmt::format("status {}", status);
  return result;
}

std::uint64_t wanted_programs(std::uint64_t usually) {
  const char* full = std::getenv("RADDLE_TEST_FULL");
  if (full != nullptr && full == std::string_view("1")) return 300;
  const char* asked = std::getenv("RADDLE_PROGRAMS");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : usually;
}

void compare_many(Program (*draw_one)(std::uint64_t seed), std::uint64_t usually) {
  const std::uint64_t wanted = wanted_programs(usually);
  std::uint64_t compared = 0;
  std::uint64_t unseen = 0;
  std::uint64_t cut_short = 0;
  int wrong = 0;
  Comparison sum;
  const char* first = std::getenv("RADDLE_FIRST_PROGRAM");
  for (std::uint64_t seed = first != nullptr ? std::strtoull(first, nullptr, 10) : 0;
       compared < wanted; ++seed) {
    const Comparison one = compare_apart(draw_one(seed));
    EXPECT_EQ(one.wrong, "") << "seed " << seed << "\n" << paper::to_text(draw_one(seed));
    ASSERT_LT(wrong += one.wrong.empty() ? 0 : 1, 10) << "enough to look at";
    if (one.causal == 0) continue;  // too many schedules
    ++compared;
    unseen += one.has_unseen ? 1 : 0;
    cut_short += one.cut_short ? 1 : 0;
    sum.schedules += one.schedules;
    sum.dpor += one.dpor;
    sum.causal += one.causal;
  }
  fmt::print(
      "{} programs, {} schedules: dpor executes {}, causal {}; {} have executions of dpor "
      "that nobody tells apart, {} say that they are not complete\n",
      compared, sum.schedules, sum.dpor, sum.causal, unseen, cut_short);
  // Of fewer there may be none.
  if (first == nullptr && compared >= 6) {
    EXPECT_GT(unseen, 0U);
  }
}

TEST(CausalExecutions, SeeWhatAllSchedulesSee) { compare_many(draw, 8); }

TEST(CausalExecutions, OfProgramsThatGoByValues) {
  compare_many(paper::random_program_of_values, 6);
}

// The dissertation's example (4.2.5): x = 1; x = 2 beside y = 1; x = 3. Nobody reads.
TEST(CausalExecutions, OneIsEnoughWhereNobodyReads) {
  using paper::Code;
  const Program program{
      {{{Code::kStore, 0, 1}, {Code::kStore, 0, 2}}, {{Code::kStore, 1, 1}, {Code::kStore, 0, 3}}},
      {}};
  const Comparison c = compare_apart(program);
  EXPECT_EQ(c.wrong, "");
  EXPECT_TRUE(c.has_unseen);
  EXPECT_EQ(c.causal, 1U);
  EXPECT_EQ(c.dpor, 3U);
}

}  // namespace
}  // namespace raddle::real
