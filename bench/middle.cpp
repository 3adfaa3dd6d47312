// What it brings an exploration to go on from the middle of an execution instead of from main().
//
//   build/bench/middle                            prints the table of docs/benchmarks.md
//   build/bench/middle --compare LIMIT PROG ARGS  LIMIT executions of each strategy, both ways: are
//                                                 they the same? 0: yes; 1: no
//   build/bench/middle --compare LIMIT:GAP:PAGES PROG ARGS
//                                                 points every GAP steps at least, with at most
//                                                 PAGES pages of contents
//
// Each side explores for itself, in turns. Both must execute the same schedules in the same order.
#include <chrono>
#include <cstdio>
#include <string_view>

#include "bench/programs_worker.hpp"
#include "host/explore/explore.hpp"
#include "host/explore/process_executor.hpp"
#include "host/explore/search_order.hpp"

namespace raddle {
namespace {

using Seconds = std::chrono::duration<double>;

struct PointRoom {
  std::uint32_t gap = kPointGap;
  std::uint32_t pages = kMostPointPages;
};
constexpr PointRoom kNoPoints{0, 0};

std::unique_ptr<Worker> start(const std::vector<std::string>& arguments, PointRoom points,
                              std::uint64_t max_steps) {
  WorkerOptions options;
  options.max_steps = max_steps;
  options.enabled_capacity = kEnabledCapacity;
  options.restore = true;
  options.point_gap = points.gap;
  options.point_pages = points.pages;
  return start_worker(arguments, std::move(options));
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

void compare_speed(const SearchOrderEntry& entry, const std::vector<std::string>& arguments) {
  constexpr std::uint64_t kExecutions = 4000;
  auto from_middle = start(arguments, {}, kExploredSteps);
  auto from_main = start(arguments, kNoPoints, kExploredSteps);
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
             100.0 * double(from_middle->restored().steps_saved()) /
                 (double(a.steps) / double(a.executions) * double(from_middle->restored().count())),
             from_middle->restored().why_not().empty()
                 ? ""
                 : " forked: " + from_middle->restored().why_not());
}

void print_table() {
  print_machine();
  fmt::print(
      "| executions a second | steps each | from the middle | from main() | ratio | steps not "
      "executed again |\n|---|---|---|---|---|---|\n");
  const std::string program = build_folder() / "bench/programs/long_way";
  for (const SearchOrderEntry& entry : search_orders()) compare_speed(entry, {program, "320"});
}

int compare_executions(std::uint64_t limit, PointRoom points,
                       const std::vector<std::string>& arguments) {
  bool same = true;
  constexpr std::uint64_t kMostSteps = 4000;  // the limit is one more way to end
  auto from_middle = start(arguments, points, kMostSteps);
  auto from_main = start(arguments, kNoPoints, kMostSteps);
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
             std::filesystem::path(arguments[0]).filename().string(),
             from_middle->restored().went_on(), executions,
             from_middle->restored().why_not().empty() ? "" : "; forked: ",
             from_middle->restored().why_not());
  return same ? 0 : 1;
}

}  // namespace
}  // namespace raddle

int main(int argc, char** argv) {
  using namespace raddle;
  if (argc >= 4 && std::string_view(argv[1]) == "--compare") {
    unsigned long limit = 0;
    PointRoom points;
    if (std::sscanf(argv[2], "%lu:%u:%u", &limit, &points.gap, &points.pages) != 2 && limit > 0)
      return compare_executions(limit, points, {argv + 3, argv + argc});
  }
  if (argc != 1) fail("usage: middle [--compare LIMIT[:GAP:PAGES] PROG ARGS...]");
  print_table();
}
