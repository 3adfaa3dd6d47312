// What it brings to put a process back after an execution instead of forking one for each.
//
//   build/bench/restoring                             prints the table of docs/benchmarks.md
//   build/bench/restoring --compare SEEDS PROG ARGS   SEEDS plans, each restored and forked: are
//   the
//                                                     executions the same? 0: yes, or PROG is not
//                                                     restored, and the line says why; 1: no
//   build/bench/restoring --long COUNT PROG ARGS      COUNT restored executions: what the process
//                                                     has of memory and descriptors at the end
//                                                     and after a tenth of them
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

#include "bench/programs_worker.hpp"

namespace raddle {
namespace {

using Seconds = std::chrono::duration<double>;

Plan plan_of(const char* strategy, std::uint64_t seed) {
  Plan plan{};
  std::strncpy(plan.strategy, strategy, sizeof(plan.strategy) - 1);
  plan.seed = seed;
  plan.carrier = CarrierKind::kFiber;
  plan.livelock_steps = 100'000;
  return plan;
}

std::unique_ptr<Worker> start(const std::vector<std::string>& arguments, bool restore) {
  WorkerOptions options;
  options.restore = restore;
  return start_worker(arguments, std::move(options));
}

Execution run(Worker& worker, const Plan& plan) {
  RunOptions options;
  options.timeout = std::chrono::seconds(20);
  auto execution = worker.run(plan, {}, options);
  if (!execution) fail(execution.error());
  return std::move(*execution);
}

double seconds_each(Worker& worker, int count, std::uint64_t seed) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) run(worker, plan_of("random", seed + std::uint64_t(i)));
  return Seconds(std::chrono::steady_clock::now() - begin).count() / count;
}

void compare_speed(const std::string& name, const std::vector<std::string>& arguments, int count) {
  auto restored = start(arguments, true);
  auto forked = start(arguments, false);
  std::vector<double> fast;
  std::vector<double> slow;
  for (int round = 0; round < 9; ++round) {
    const auto seed = std::uint64_t(round) * 100'000;
    fast.push_back(seconds_each(*restored, count, seed));
    slow.push_back(seconds_each(*forked, std::max(count / 8, 1), seed));
  }
  fmt::print(
      "| {} | {:.0f} | {:.0f} | {:.1f}x | {} |\n", name, 1 / median(fast), 1 / median(slow),
      median(slow) / median(fast),
      restored->restored().why_not().empty() ? "" : "forked: " + restored->restored().why_not());
}

// In memory: else the disk decides.
std::string small_file() {
  char name[] = "/dev/shm/raddle-bench-XXXXXX";
  const int fd = mkstemp(name);
  if (fd < 0) fail("cannot make a temporary file");
  close(fd);
  std::ofstream out(name);
  for (int i = 0; i < 50; ++i) out << "line " << i * 7919 % 1000 << '\n';
  return name;
}

void print_table() {
  print_machine();
  fmt::print("| executions a second | restored | forked | ratio | |\n|---|---|---|---|---|\n");
  const std::string examples = build_folder() / "examples";
  compare_speed("examples/account", {examples + "/account_fixed"}, 2000);
  const std::string input = small_file();
  compare_speed("pbzip2 -p4 -1, 400 bytes",
                {"/usr/bin/pbzip2", "-p4", "-1", "-k", "-f", "-q", input}, 200);
  unlink(input.c_str());
  unlink((input + ".bz2").c_str());
  setenv("RESIDENT_MB", "100", 1);
  compare_speed("100 MB resident, 20 pages written",
                {build_folder() / "bench/programs/resident", "20"}, 400);
}

bool is_same(const Execution& a, const Execution& b) {
  return a.log_hash == b.log_hash && a.kind == b.kind && a.wait_status == b.wait_status;
}

// What the world outside decides (the timing of a socket) differs from one forked execution to the
// next. So a difference counts only if it is one each time, of a few times.
bool differs_always(Worker& restored, Worker& forked, const Plan& plan) {
  std::vector<Execution> ours;
  std::vector<Execution> theirs;
  for (int i = 0; i < 6; ++i) {
    ours.push_back(run(restored, plan));
    theirs.push_back(run(forked, plan));
    for (const Execution& a : ours)
      for (const Execution& b : theirs)
        if (is_same(a, b)) return false;
  }
  return true;
}

int compare_executions(int seeds, const std::vector<std::string>& arguments) {
  auto restored = start(arguments, std::getenv("RADDLE_FORK") == nullptr);
  auto forked = start(arguments, false);
  int differ = 0;
  int vary = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Plan plan = plan_of(seed % 3 == 0 ? "pct" : "random", std::uint64_t(seed));
    const Execution a = run(*restored, plan);
    const Execution b = run(*forked, plan);
    if (is_same(a, b)) continue;
    if (!differs_always(*restored, *forked, plan)) {
      ++vary;
    } else if (++differ <= 3) {
      fmt::print(
          "  seed {}: restored {} steps, {}, status {:#x}; forked {} steps, {}, status {:#x}\n",
          seed, a.steps, outcome_text(a.kind), a.wait_status, b.steps, outcome_text(b.kind),
          b.wait_status);
    }
  }
  fmt::print(
      "{}: {} of {} restored, {} differ{}{}{}\n",
      std::filesystem::path(arguments[0]).filename().string(),
      std::min<std::uint64_t>(restored->restored().count(), std::uint64_t(seeds)), seeds, differ,
      vary == 0 ? "" : fmt::format(", {} vary by themselves", vary),
      restored->restored().why_not().empty() ? "" : "; forked: ", restored->restored().why_not());
  return differ == 0 ? 0 : 1;
}

struct Size {
  long resident_kb = 0;
  long mapped_kb = 0;
  long descriptors = 0;
};

Size size_of(pid_t pid) {
  Size size;
  std::ifstream statm(fmt::format("/proc/{}/statm", pid));
  statm >> size.mapped_kb >> size.resident_kb;
  size.mapped_kb *= 4;
  size.resident_kb *= 4;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid)))
    ++size.descriptors;
  return size;
}

// An execution is reported before its process is put back. It sleeps once it is, until the next.
Size size_at_rest(pid_t pid) {
  for (int tries = 0; tries < 1000; ++tries) {
    std::string line;
    std::ifstream stat(fmt::format("/proc/{}/stat", pid));
    std::getline(stat, line);
    const std::size_t name_end = line.rfind(')');
    if (name_end != std::string::npos && line.substr(name_end, 3) == ") S") return size_of(pid);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  fail("the process was not put back within 10 s");
}

// Of the process that is put back, not of one that was forked to compare with.
pid_t last_process(Worker& worker, pid_t before) {
  const pid_t pid = worker.shared().live.pid.load();
  return std::filesystem::exists(fmt::format("/proc/{}", pid)) ? pid : before;
}

int run_long(int count, const std::vector<std::string>& arguments) {
  auto worker = start(arguments, true);
  Size early;
  pid_t first = 0;
  pid_t pid = 0;
  for (int i = 1; i <= count; ++i) {
    const Execution execution = run(*worker, plan_of("random", std::uint64_t(i)));
    if (execution.kind != OutcomeKind::kNone)
      fail(fmt::format("seed {}: {}", i, outcome_text(execution.kind)));
    if (i != count / 10 && i != count) continue;
    pid = last_process(*worker, pid);
    if (i == count) break;
    first = pid;
    early = size_at_rest(pid);
  }
  const bool same_process = first == pid;
  const Size late = size_at_rest(pid);
  fmt::print(
      "{} of {} restored, {} process; resident {} KB, then {}; mapped {} KB, then {}; {} "
      "descriptors, then {}{}\n",
      worker->restored().count(), count, same_process ? "one" : "more than one", early.resident_kb,
      late.resident_kb, early.mapped_kb, late.mapped_kb, early.descriptors, late.descriptors,
      worker->restored().why_not().empty() ? "" : "; forked: " + worker->restored().why_not());
  constexpr long kSlack = 256;  // pages that were touched for the first time later
  const bool flat = late.resident_kb <= early.resident_kb + kSlack &&
                    late.mapped_kb == early.mapped_kb && late.descriptors == early.descriptors;
  return same_process && flat && worker->restored().why_not().empty() ? 0 : 1;
}

}  // namespace
}  // namespace raddle

int main(int argc, char** argv) {
  using namespace raddle;
  if (argc >= 4 && std::string_view(argv[1]) == "--compare")
    return compare_executions(std::atoi(argv[2]), {argv + 3, argv + argc});
  if (argc >= 4 && std::string_view(argv[1]) == "--long")
    return run_long(std::atoi(argv[2]), {argv + 3, argv + argc});
  if (argc != 1) fail("usage: restoring [--compare SEEDS | --long COUNT] [PROG ARGS...]");
  print_table();
}
