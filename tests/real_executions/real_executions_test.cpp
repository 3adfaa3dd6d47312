// The explorers over real executions: threads, mutexes, condition variables, semaphores,
// reader-writer locks and atomics, executed in this process. All explorers must reach the same
// states and failures, the same as the executions on paper. Counts are exact.
//
//   RADDLE_PROGRAMS=300   how many random programs to compare (12 by default)
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <numeric>
#include <optional>
#include <sstream>

#include "protocol/shared_region.hpp"
#include "tests/real_executions/draw_program.hpp"
#include "tests/real_executions/real_executor.hpp"

namespace raddle::real {
namespace {

using paper::Code;
using paper::Program;
using paper::Reached;

// Limits for one program: time, and failing executions, which leave threads behind. A process can
// have only so many threads.
constexpr paper::SearchLimits kLargest = {300'000, 3000};

struct Sizes {
  std::uint64_t all = 0;
  std::uint64_t classes = 0;          // classes of passing executions
  std::uint64_t reduced = 0;          // passing executions of dpor
  std::uint64_t reduced_failing = 0;  // failing executions of dpor
  std::uint64_t redundant = 0;
  std::uint64_t failing = 0;
};

// A failing execution has no class: it ends where a cycle of locks closes.
std::string class_of(const Explored& e) { return e.failing ? "" : paper::quick_class_of(e); }

// The items of the second set that the first lacks, as text.
template <class Set>
std::string missing(const Set& there, const Set& wanted) {
  std::string text;
  for (const std::string& item : wanted) {
    if (!there.contains(item)) text += "\n  " + item;
  }
  return text;
}

// Empty if both reach the same.
std::string differences(const char* who, const Reached& a, const Reached& b) {
  std::string text;
  const auto add = [&](const char* what, const std::string& items) {
    if (!items.empty()) text += fmt::format("{} {}:{}\n", who, what, items);
  };
  add("misses states", missing(a.states, b.states));
  add("has more states", missing(b.states, a.states));
  add("misses failures", missing(a.failures, b.failures));
  add("has more failures", missing(b.failures, a.failures));
  return text;
}

std::string without_deadlocks(const char* who, Reached a, Reached b) {
  for (Reached* r : {&a, &b})
    std::erase_if(r->failures, [](const std::string& f) { return f.starts_with("deadlock"); });
  return differences(who, a, b);
}

// Says what is wrong; empty if nothing is. Leaves `sizes` empty if the program has too many
// schedules.
std::string compare(const Program& program, std::optional<Sizes>& sizes) {
  const Reached dfs = explore_really(program, SearchOrder::kDfs, class_of, kLargest);
  if (!dfs.complete) {
    const bool large =
        dfs.counts.executions >= kLargest.executions || dfs.counts.failing >= kLargest.failing;
    return large ? "" : "dfs: not complete\n";
  }
  std::string wrong;
  if (!dfs.classes_agree) wrong += "the same class leads to different states\n";
  for (const auto& [order, name] :
       {std::pair{SearchOrder::kBfs, "bfs"}, std::pair{SearchOrder::kIcb, "icb"}}) {
    const Reached other = explore_really(program, order);
    wrong += differences(name, other, dfs);
    if (!other.complete) wrong += fmt::format("{}: not complete\n", name);
    if (other.counts.by_preemptions != dfs.counts.by_preemptions)
      wrong += fmt::format("{}: other schedules than dfs\n", name);
  }
  std::uint64_t fewer = 0;
  for (std::uint32_t bound = 0; bound < 3 && bound < dfs.counts.by_preemptions.size(); ++bound) {
    SearchOptions options;
    options.order = SearchOrder::kIcb;
    options.bound = bound;
    fewer += dfs.counts.by_preemptions[bound];
    const Reached icb = explore_really(program, options);
    if (icb.counts.executions != fewer || !icb.complete)
      wrong += fmt::format("icb, bound {}: {} executions, dfs has {} such\n", bound,
                           icb.counts.executions, fewer);
  }
  const Reached dpor = explore_really(program, SearchOrder::kDpor, class_of);
  wrong += differences("dpor", dpor, dfs);
  if (!dpor.complete) wrong += "dpor: not complete\n";
  for (const auto& [name, times] : dpor.classes) {
    if (times != 1) wrong += fmt::format("dpor: {} executions of one class\n", times);
    if (!dfs.classes.contains(name)) wrong += "dpor: a class that dfs has not\n";
  }
  if (dpor.classes.size() != dfs.classes.size())
    wrong += fmt::format("dpor: {} classes, dfs has {}\n", dpor.classes.size(), dfs.classes.size());
  // On paper a deadlock begins when no thread can move, here when a cycle closes.
  wrong += without_deadlocks("paper", paper::explore(program, SearchOrder::kDpor), dfs);
  sizes = {dfs.counts.executions,
           dfs.classes.size(),
           dpor.counts.executions - dpor.counts.redundant - dpor.counts.failing,
           dpor.counts.failing,
           dpor.counts.redundant,
           dfs.counts.failing};
  return wrong;
}

// Runs compare() in a process of its own.
std::string compare_apart(const Program& program, std::optional<Sizes>& sizes) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t pid = fork();
  if (pid == 0) {
    std::optional<Sizes> found;
    const std::string wrong = compare(program, found);
    std::string text = "unfinished";
    if (found) {
      text = fmt::format("sizes {} {} {} {} {} {}", found->all, found->classes, found->reduced,
                         found->reduced_failing, found->redundant, found->failing);
    }
    text += "\n" + wrong;
    [[maybe_unused]] const auto n = write(ends[1], text.data(), text.size());
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  close(ends[1]);
  std::string answer;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    answer.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || answer.empty())
    return fmt::format("the process ended with {}\n", status);
  std::istringstream in(answer);
  std::string word;
  in >> word;
  if (word == "sizes") {
    sizes.emplace();
    in >> sizes->all >> sizes->classes >> sizes->reduced >> sizes->reduced_failing >>
        sizes->redundant >> sizes->failing;
  }
  return answer.substr(answer.find('\n') + 1);
}

TEST(RealExecutions, AllExplorersReachTheSame) {
  const char* asked = std::getenv("RADDLE_PROGRAMS");
  const std::uint64_t wanted = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 12;
  Sizes sum;
  std::uint64_t compared = 0;
  std::uint64_t too_large = 0;
  std::uint64_t failing = 0;
  for (std::uint64_t seed = 0; compared < wanted; ++seed) {
    const Program program = draw(seed);
    std::optional<Sizes> sizes;
    const std::string wrong = compare_apart(program, sizes);
    ASSERT_EQ(wrong, "") << "seed " << seed;
    if (!sizes) {
      ++too_large;
      continue;
    }
    ++compared;
    failing += sizes->failing > 0 ? 1 : 0;
    sum.all += sizes->all;
    sum.classes += sizes->classes;
    sum.reduced += sizes->reduced;
    sum.reduced_failing += sizes->reduced_failing;
    sum.redundant += sizes->redundant;
  }
  fmt::print(
      "{} programs ({} fail), {} schedules, {} classes that pass: dpor executes {}, {} that fail, "
      "and {} redundant ones; {} more programs have too many schedules\n",
      compared, failing, sum.all, sum.classes, sum.reduced, sum.reduced_failing, sum.redundant,
      too_large);
  EXPECT_EQ(sum.reduced, sum.classes);
  EXPECT_LT(double(sum.redundant), 0.25 * double(sum.reduced + sum.reduced_failing));
  EXPECT_LT(too_large, compared / 4 + 1);
}

// The definition of a class and its quick variant tell the same executions apart.
TEST(RealExecutions, ClassesTheSlowWay) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Program program = draw(seed);
    if (program.threads.size() > 3) continue;
    const paper::SearchLimits few = {2000, 500};
    std::map<std::string, std::string> slow_of;
    std::map<std::string, std::string> quick_of;
    static std::vector<std::pair<std::string, std::string>> both;  // a plain function adds to it
    both.clear();
    explore_really(
        program, SearchOrder::kDfs,
        [](const Explored& e) {
          both.emplace_back(paper::class_of(e), paper::quick_class_of(e));
          return std::string();
        },
        few);
    for (const auto& [slow, quick] : both) {
      EXPECT_EQ(slow_of.emplace(quick, slow).first->second, slow);
      EXPECT_EQ(quick_of.emplace(slow, quick).first->second, quick);
    }
  }
}

std::uint64_t ways_to_mix(std::uint64_t n, std::uint64_t m) {
  std::uint64_t ways = 1;
  for (std::uint64_t i = 1; i <= m; ++i) ways = ways * (n + i) / i;
  return ways;
}

// After the main thread has created a thread, it makes n steps. The thread makes m: its beginning,
// its end, and those in between. The join comes after all of them.
TEST(RealExecutions, IndependentStepsHaveAsManyOrdersAsThereAreWaysToMixThem) {
  for (std::uint64_t n = 1; n <= 7; ++n) {
    for (std::uint64_t m = 2; m <= 7; ++m) {
      Program program;
      program.threads.resize(2);
      for (std::uint64_t i = 0; i < n; ++i) program.threads[0].push_back({Code::kAdd, 0, 1});
      for (std::uint64_t i = 2; i < m; ++i) program.threads[1].push_back({Code::kAdd, 1, 1});
      for (const SearchOrder order : {SearchOrder::kDfs, SearchOrder::kBfs}) {
        const Reached reached = explore_really(program, order);
        EXPECT_TRUE(reached.complete);
        EXPECT_EQ(reached.counts.executions, ways_to_mix(n, m)) << n << " and " << m;
      }
      EXPECT_EQ(explore_really(program, SearchOrder::kDpor).counts.executions, 1U);
    }
  }
}

// The same with locks, each of which makes two steps.
TEST(RealExecutions, LocksThatNobodyElseWants) {
  Program program;
  program.threads = {{{Code::kLock, 0}, {Code::kUnlock, 0}, {Code::kLock, 0}, {Code::kUnlock, 0}},
                     {{Code::kLock, 1}, {Code::kUnlock, 1}, {Code::kLock, 1}, {Code::kUnlock, 1}}};
  const Reached dfs = explore_really(program, SearchOrder::kDfs);
  EXPECT_EQ(dfs.counts.executions, ways_to_mix(4, 6));
  EXPECT_EQ(explore_really(program, SearchOrder::kDpor).counts.executions, 1U);
  SearchOptions icb;
  icb.order = SearchOrder::kIcb;
  for (std::size_t bound = 0; bound < dfs.counts.by_preemptions.size(); ++bound) {
    icb.bound = static_cast<std::uint32_t>(bound);
    const auto& by = dfs.counts.by_preemptions;
    EXPECT_EQ(explore_really(program, icb).counts.executions,
              std::accumulate(by.begin(), by.begin() + static_cast<std::ptrdiff_t>(bound) + 1,
                              std::uint64_t{0}));
  }
}

// The host may send a last sample signal when the executions are over.
TEST(RealExecutions, ALateSampleDoesNoHarm) {
  Program program;
  program.threads = {{{Code::kAdd, 0, 1}}, {{Code::kAdd, 0, 1}}};
  EXPECT_TRUE(explore_really(program, SearchOrder::kDpor).complete);
  EXPECT_EQ(raise(kSampleSignal), 0);
}

}  // namespace
}  // namespace raddle::real
