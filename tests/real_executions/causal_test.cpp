// The causal explorer over real executions: threads see exactly what they see in all schedules.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

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

// Null if there are too many.
bool see_all(const Program& program, SearchOrder order, Seen& seen, std::uint64_t& executions) {
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
    search.done(work, *e);
    return e;
  });
  executions = search.counts().executions;
  return search.complete();
}

// What is wrong; empty if nothing is, "large" if the program has too many schedules.
std::string compare(const Program& program) {
  Seen all;
  Seen reduced;
  Seen found;
  std::uint64_t schedules = 0;
  std::uint64_t kinds = 0;
  if (!see_all(program, SearchOrder::kDfs, all, schedules)) return "large";
  see_all(program, SearchOrder::kDpor, reduced, kinds);
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
  const CausalProblem& problem = search.problem();
  if (problem.kind != CausalProblem::kNone)
    return fmt::format("problem {} at step {}: {}", int(problem.kind), problem.step,
                       op_text(problem.op));
  // Then it says that it is not complete.
  if (search.counts().cut_short > 0) return search.complete() ? "complete" : "";
  std::string wrong;
  if (!search.complete()) wrong += fmt::format("{} unknown\n", search.counts().unknown);
  wrong += paper::missing(found.histories, all.histories) +
           paper::missing(found.failures, all.failures) +
           paper::missing(all.failures, found.failures);
  if (search.counts().executions > kinds)
    wrong += fmt::format("{} executions, dpor {}", search.counts().executions, kinds);
  return wrong;
}

// In a process of its own: failing executions leave their threads behind.
std::string compare_apart(const Program& program) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t pid = fork();
  if (pid == 0) {
    const std::string text = compare(program);
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
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) answer += fmt::format("status {}", status);
  return answer;
}

void compare_many(Program (*draw_one)(std::uint64_t seed), std::uint64_t usually) {
  const char* asked = std::getenv("RADDLE_PROGRAMS");
  const std::uint64_t wanted = asked != nullptr ? std::strtoull(asked, nullptr, 10) : usually;
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; compared < wanted; ++seed) {
    const std::string wrong = compare_apart(draw_one(seed));
    if (wrong == "large") continue;
    ASSERT_EQ(wrong, "") << "seed " << seed;
    ++compared;
  }
}

TEST(CausalExecutions, SeeWhatAllSchedulesSee) { compare_many(draw, 8); }

TEST(CausalExecutions, OfProgramsThatGoByValues) {
  compare_many(paper::random_program_of_values, 6);
}

}  // namespace
}  // namespace raddle::real
