// The harm check against the definition: what the two units leave, compared with what the two
// serial orders leave, by an interpreter of the same random programs (two_units.cpp).
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "host/analysis/asset/asset.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/campaign/harm/harm.hpp"
#include "host/process/worker.hpp"
#include "protocol/strategies.hpp"

extern char** environ;

namespace raddle {
namespace {

constexpr unsigned kSeeds = 12;         // executions of each program
constexpr std::size_t kMostChecks = 3;  // of each program

using State = std::array<long, 3>;

State after(State state, const std::string& unit) {
  for (std::size_t i = 0; i + 2 < unit.size(); i += 3) {
    long& left = state[static_cast<std::size_t>(unit[i] - 'a')];
    const char right = unit[i + 2];
    switch (unit[i + 1]) {
      case '=':
        left = right - '0';
        break;
      case '+':
        left += right - '0';
        break;
      case '<':
        left = state[static_cast<std::size_t>(right - 'a')];
        break;
      default:
        if (left % 2 != 0) state[static_cast<std::size_t>(right - 'a')] = 7;
    }
  }
  return state;
}

std::string random_unit(std::mt19937_64& random) {
  const auto variable = [&] { return static_cast<char>('a' + random() % 3); };
  std::string unit;
  const std::size_t operations = 1 + random() % 3;
  for (std::size_t i = 0; i < operations; ++i) {
    const char op = "=+<?"[random() % 4];
    unit += variable();
    unit += op;
    unit += op == '=' || op == '+' ? static_cast<char>('1' + random() % 3) : variable();
  }
  return unit;
}

State printed(const Execution& execution) {
  State state{};
  EXPECT_EQ(std::sscanf(execution.out.c_str(), "%ld %ld %ld", &state[0], &state[1], &state[2]), 3)
      << execution.out;
  return state;
}

// Executions of one program, in which units interleave.
class Program {
 public:
  Program(std::string first, std::string second)
      : first_(std::move(first)), second_(std::move(second)) {
    const std::string build = std::getenv("RADDLE_BUILD");
    WorkerOptions options;
    options.command.program = build + "/tests/harm/two_units";
    options.command.arguments = {"two_units", first_, second_};
    for (char** one = environ; *one != nullptr; ++one)
      options.command.environment.emplace_back(*one);
    options.library = build + "/bin/libraddle.so";
    Result<std::unique_ptr<Worker>> worker = Worker::start(options);
    EXPECT_TRUE(worker) << worker.error();
    if (worker) worker_ = std::move(*worker);
  }

  // Says how many times harm was checked, claimed, and could not be checked.
  struct Count {
    unsigned checked = 0;
    unsigned harmful = 0;
    unsigned impossible = 0;
  };
  Count check() {
    Count count;
    const auto enough = [&] { return count.checked + count.impossible >= kMostChecks; };
    for (unsigned seed = 1; seed <= kSeeds && worker_ && !enough(); ++seed) {
      std::vector<Finding> findings;
      const Execution execution = interleaved(seed, findings);
      for (const Finding& finding : findings) {
        if (finding.units.size() < 2 || enough()) break;
        check(finding, execution, count);
      }
    }
    return count;
  }

 private:
  Execution interleaved(unsigned seed, std::vector<Finding>& findings) {
    Pipeline pipeline{AnalysisOptions{}};
    pipeline.add(std::make_unique<AtomicSetDetector>(pipeline.state(), asset_sets()));
    pipeline.begin({});
    Plan plan{};
    set_strategy(plan, "random");
    plan.seed = seed;
    plan.trace = TraceLevel::kMemory;
    plan.max_steps = 10'000;
    RunOptions running;
    running.keep_log = true;
    running.events = &pipeline;
    Result<Execution> execution = worker_->run(plan, {}, running);
    EXPECT_TRUE(execution);
    pipeline.end({});
    findings = pipeline.findings();
    execution->plan.trace = TraceLevel::kNone;
    return std::move(*execution);
  }

  void check(const Finding& finding, const Execution& execution, Count& count) {
    const Result<HarmChecked> checked = check_harm(*worker_, finding, execution, {});
    ASSERT_TRUE(checked) << checked.error();
    if (checked->serial.size() < 2) {
      ++count.impossible;
      EXPECT_FALSE(checked->harm.found);
      return;
    }
    ++count.checked;
    count.harmful += checked->harm.found ? 1 : 0;
    const State one = after(after({}, first_), second_);
    const State other = after(after({}, second_), first_);
    const State here = printed(checked->interleaved);
    EXPECT_EQ(checked->harm.found, here != one && here != other)
        << first_ << " | " << second_ << ", seed " << execution.plan.seed << ": here "
        << checked->interleaved.out << "serially " << checked->serial[0].out
        << checked->serial[1].out << checked->harm.why_not;
    const bool in_order = printed(checked->serial[0]) == one;
    EXPECT_EQ(printed(checked->serial[0]), in_order ? one : other);
    EXPECT_EQ(printed(checked->serial[1]), in_order ? other : one);
  }

  std::string first_;
  std::string second_;
  std::unique_ptr<Worker> worker_;
};

TEST(HarmOracle, ClaimsHarmExactlyWhereNoSerialOrderLeavesTheSame) {
  std::mt19937_64 random(2026);
  constexpr unsigned kPrograms = 200;
  Program::Count all;
  for (unsigned i = 0; i < kPrograms && !testing::Test::HasFailure(); ++i) {
    const std::string first = random_unit(random);
    const Program::Count one = Program(first, random_unit(random)).check();
    all.checked += one.checked;
    all.harmful += one.harmful;
    all.impossible += one.impossible;
  }
  // Both answers come, and hardly ever none: nothing in these programs waits for the other unit.
  EXPECT_GT(all.checked, kPrograms);
  EXPECT_GT(all.harmful, all.checked / 20);
  EXPECT_LT(all.harmful, all.checked * 19 / 20);
  EXPECT_LT(all.impossible, all.checked / 5);
  std::printf("%u checked, %u harmful, %u impossible\n", all.checked, all.harmful, all.impossible);
}

}  // namespace
}  // namespace raddle
