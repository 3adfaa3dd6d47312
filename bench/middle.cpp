// What it brings an exploration to go on from the middle of an execution instead of from main().
//
//   build/bench/middle                            prints the table of docs/benchmarks.md
//   build/bench/middle --compare LIMIT PROG ARGS  LIMIT executions of each strategy, both ways: are
//                                                 they the same? 0: yes; 1: no
//
// Each side explores for itself, in turns. Both must execute the same schedules in the same order.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/explore/explore.hpp"
#include "host/explore/process_executor.hpp"
#include "host/explore/search_order.hpp"

namespace raddle {
namespace {

using Seconds = std::chrono::duration<double>;

std::string g_build;

[[noreturn]] void fail(const std::string& message) {
  fmt::print(stderr, "bench: {}\n", message);
  std::exit(2);
}

std::unique_ptr<Worker> start(const std::vector<std::string>& arguments, bool points,
                              std::uint64_t max_steps) {
  WorkerOptions options;
  options.command.program = arguments[0];
  options.command.arguments = arguments;
  for (char** variable = environ; *variable != nullptr; ++variable)
    options.command.environment.emplace_back(*variable);
  options.library = std::filesystem::absolute(g_build + "/bin/libraddle.so").lexically_normal();
  options.max_steps = max_steps;
  options.enabled_capacity = kEnabledCapacity;
  options.restore = true;
  options.points = points;
  auto worker = Worker::start(std::move(options));
  if (!worker) fail(worker.error());
  return std::move(*worker);
}

struct Measured {
  double seconds = 0;
  std::uint64_t executions = 0;
  std::uint64_t redundant = 0;
  std::uint64_t failing = 0;
  std::uint64_t steps = 0;
  std::uint64_t hash = 0;  // of all executions, in their order

  bool is_same(const Measured& other) const {
    return executions == other.executions && redundant == other.redundant &&
           failing == other.failing && steps == other.steps && hash == other.hash;
  }
};

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

// Choice log, who could move at each step, and how it ended.
std::uint64_t hash_of(const Explored& explored, const Execution& execution) {
  std::uint64_t hash = mixed(execution.log_hash, static_cast<std::uint64_t>(explored.outcome));
  hash = mixed(hash, explored.redundant ? 1 : 0);
  hash = mixed(hash, execution.switches * 31 + execution.preemptions);
  hash = mixed(hash, static_cast<std::uint64_t>(execution.wait_status));
  for (const char c : execution.out) hash = mixed(hash, static_cast<unsigned char>(c));
  for (const std::uint32_t first : explored.first) hash = mixed(hash, first);
  for (const Pending& p : explored.pending)
    hash = mixed(hash, std::uint64_t{raw(p.object)} << 24 | std::uint64_t{raw(p.thread)} << 8 |
                           static_cast<std::uint8_t>(p.op));
  return hash;
}

Measured explore_once(Worker& worker, SearchOrder order, std::uint64_t limit, bool compared) {
  Plan plan{};
  plan.carrier = CarrierKind::kFiber;
  plan.livelock_steps = kExploredLivelock;
  ProcessExecutor executor(worker, plan, {.timeout = std::chrono::seconds(20)});
  Measured measured;
  ExploreEvents events;
  events.on_execution = [&](std::size_t, const Explored& explored, std::uint64_t) {
    const Execution& last = executor.last();
    measured.hash = mixed(measured.hash, compared ? hash_of(explored, last) : last.log_hash);
  };
  ExploreOptions options;
  options.search.order = order;
  options.keep_going = true;
  options.limit = limit;
  Executor* const executors[] = {&executor};
  const auto begin = std::chrono::steady_clock::now();
  const Result<ExploreResult> result = explore(executors, options, events);
  measured.seconds = Seconds(std::chrono::steady_clock::now() - begin).count();
  if (!result) fail(result.error());
  measured.executions = result->counts.executions;
  measured.redundant = result->counts.redundant;
  measured.failing = result->counts.failing;
  measured.steps = result->counts.steps;
  return measured;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare_speed(const SearchOrderEntry& entry, const std::vector<std::string>& arguments) {
  constexpr std::uint64_t kExecutions = 4000;
  auto from_middle = start(arguments, true, kExploredSteps);
  auto from_main = start(arguments, false, kExploredSteps);
  std::vector<double> fast;
  std::vector<double> slow;
  Measured a;
  for (int round = 0; round < 5; ++round) {
    a = explore_once(*from_middle, entry.order, kExecutions, false);
    const Measured b = explore_once(*from_main, entry.order, kExecutions, false);
    if (!a.is_same(b)) fail(fmt::format("{}: the two sides differ", entry.name));
    fast.push_back(a.seconds / double(a.executions));
    slow.push_back(b.seconds / double(b.executions));
  }
  fmt::print("| {} | {:.0f} | {:.0f} | {:.0f} | {:.1f}x | {:.0f} % |{}\n", entry.name,
             double(a.steps) / double(a.executions), 1 / median(fast), 1 / median(slow),
             median(slow) / median(fast),
             100.0 * double(from_middle->steps_saved()) /
                 (double(a.steps) / double(a.executions) * double(from_middle->restored())),
             from_middle->why_forked().empty() ? "" : " forked: " + from_middle->why_forked());
}

void print_table() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line) && line.rfind("model name", 0) != 0) {
  }
  fmt::print("{}, {} cores\n\n", line.substr(line.find(':') + 2), sysconf(_SC_NPROCESSORS_ONLN));
  fmt::print(
      "| executions a second | steps each | from the middle | from main() | ratio | steps not "
      "executed again |\n|---|---|---|---|---|---|\n");
  const std::string program = std::filesystem::absolute(g_build + "/bench/programs/long_way");
  for (const SearchOrderEntry& entry : search_orders()) compare_speed(entry, {program, "320"});
}

int compare_executions(std::uint64_t limit, const std::vector<std::string>& arguments) {
  bool same = true;
  constexpr std::uint64_t kMostSteps = 4000;  // the limit is one more way to end
  auto from_middle = start(arguments, true, kMostSteps);
  auto from_main = start(arguments, false, kMostSteps);
  std::uint64_t executions = 0;
  for (const SearchOrderEntry& entry : search_orders()) {
    const Measured a = explore_once(*from_middle, entry.order, limit, true);
    const Measured b = explore_once(*from_main, entry.order, limit, true);
    executions += a.executions;
    if (a.is_same(b)) continue;
    same = false;
    fmt::print("{}: {} executions, {} failing, {} steps, {:x}; from main() {}, {}, {}, {:x}\n",
               entry.name, a.executions, a.failing, a.steps, a.hash, b.executions, b.failing,
               b.steps, b.hash);
  }
  fmt::print("{}: {} of {} executions went on from the middle{}{}\n",
             std::filesystem::path(arguments[0]).filename().string(), from_middle->went_on(),
             executions,
             from_middle->why_forked().empty() ? "" : "; forked: ", from_middle->why_forked());
  return same ? 0 : 1;
}

}  // namespace
}  // namespace raddle

int main(int argc, char** argv) {
  using namespace raddle;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  g_build = std::filesystem::path(self).parent_path().parent_path();
  if (argc >= 4 && std::string_view(argv[1]) == "--compare")
    return compare_executions(std::strtoull(argv[2], nullptr, 10), {argv + 3, argv + argc});
  if (argc != 1) fail("usage: middle [--compare LIMIT PROG ARGS...]");
  print_table();
}
