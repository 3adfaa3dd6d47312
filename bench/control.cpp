// Measures what control costs. Each figure is a ratio of two times from this one run: the two sides
// take turns on one core, and medians of several rounds are compared.
//
//   build/bench/control            prints the table of docs/benchmarks.md
//
// The benchmark drives the same Worker that the commands use.
#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "host/process/worker.hpp"

namespace raddle {
namespace {

using Seconds = std::chrono::duration<double>;

std::string g_programs;  // build/bench/programs
std::string g_library;

[[noreturn]] void fail(const std::string& message) {
  fmt::print(stderr, "bench: {}\n", message);
  std::exit(1);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double timed(const std::function<void()>& work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return Seconds(std::chrono::steady_clock::now() - start).count();
}

Plan plan_of(const char* strategy, CarrierKind carrier) {
  Plan plan{};
  std::strncpy(plan.strategy, strategy, sizeof(plan.strategy) - 1);
  plan.seed = 1;
  plan.carrier = carrier;
  plan.livelock_steps = ~std::uint64_t{0};
  return plan;
}

std::unique_ptr<Worker> start(std::vector<std::string> arguments) {
  WorkerOptions options;
  options.command.program = arguments[0];
  options.command.arguments = std::move(arguments);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    options.command.environment.emplace_back(*variable);
  }
  options.library = g_library;
  auto worker = Worker::start(std::move(options));
  if (!worker) fail(worker.error());
  return std::move(*worker);
}

Execution run(Worker& worker, const Plan& plan) {
  auto execution = worker.run(plan, {}, {});
  if (!execution) fail(execution.error());
  if (execution->kind != OutcomeKind::kNone) {
    fail(fmt::format("an execution ended as {}", outcome_text(execution->kind)));
  }
  return std::move(*execution);
}

// Time of one step of `program N M`. The start and the end cancel out: a long run less a short one.
double step_cost(const std::string& program, int threads, int rounds, const Plan& plan) {
  auto brief =
      start({g_programs + "/" + program, std::to_string(threads), std::to_string(rounds / 10)});
  auto full = start({g_programs + "/" + program, std::to_string(threads), std::to_string(rounds)});
  std::vector<double> costs;
  for (int round = 0; round < 5; ++round) {
    Execution a = run(*brief, plan);
    Execution b = run(*full, plan);
    costs.push_back((b.seconds - a.seconds) / double(b.steps - a.steps));
  }
  return median(costs);
}

// Time of one switch alone: the same steps, once with a switch at each, once with almost none.
double switch_alone(int rounds, CarrierKind carrier) {
  auto worker = start({g_programs + "/bystanders", "0", std::to_string(rounds)});
  Plan in_turns = plan_of("round-robin", carrier);
  Plan one_by_one = in_turns;
  one_by_one.seed = 1'000'000'000;  // the length of a turn
  std::vector<double> costs;
  for (int round = 0; round < 7; ++round) {
    Execution many = run(*worker, in_turns);
    Execution few = run(*worker, one_by_one);
    costs.push_back((many.seconds - few.seconds) / double(many.switches - few.switches));
  }
  return median(costs);
}

void switch_cost() {
  double fiber = switch_alone(500'000, CarrierKind::kFiber);
  double kernel = switch_alone(25'000, CarrierKind::kKernel);
  fmt::print("| a switch: kernel threads against fibers | {:.0f} ns | {:.0f} ns | {:.0f}x |\n",
             kernel * 1e9, fiber * 1e9, kernel / fiber);
}

void decision_cost() {
  Plan plan = plan_of("random", CarrierKind::kFiber);
  double few = step_cost("bystanders", 0, 300'000, plan);
  double many = step_cost("bystanders", 254, 300'000, plan);
  fmt::print(
      "| a decision, 2 threads enabled: of 256 against of 2 | {:.0f} ns | {:.0f} ns | {:.2f}x |\n",
      many * 1e9, few * 1e9, many / few);
  double two = step_cost("yields", 2, 300'000, plan);
  for (int threads : {16, 64, 256}) {
    double all = step_cost("yields", threads, 600'000 / threads, plan);
    fmt::print(
        "| a decision, all enabled: {} threads against 2 | {:.0f} ns | {:.0f} ns | {:.2f}x |\n",
        threads, all * 1e9, two * 1e9, all / two);
  }
}

void start_cost(const std::string& account) {
  Plan plan = plan_of("random", CarrierKind::kFiber);
  auto worker = start({account});
  std::vector<double> forked;
  std::vector<double> anew;
  constexpr int kForked = 200;
  constexpr int kAnew = 20;
  for (int round = 0; round < 7; ++round) {
    forked.push_back(timed([&] {
                       for (int i = 0; i < kForked; ++i) run(*worker, plan);
                     }) /
                     kForked);
    anew.push_back(timed([&] {
                     for (int i = 0; i < kAnew; ++i) run(*start({account}), plan);
                   }) /
                   kAnew);
  }
  fmt::print(
      "| an execution of examples/account: started anew against forked | {:.0f} us | {:.0f} us | "
      "{:.1f}x |\n",
      median(anew) * 1e6, median(forked) * 1e6, median(anew) / median(forked));
}

void run_native(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  if (posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0)
    fail("cannot start " + arguments[0]);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  waitpid(pid, &status, 0);
  if (status != 0) fail(arguments[0] + " failed");
}

// Text that compresses about as well as prose, the same every time.
std::string make_input(std::size_t bytes) {
  char name[] = "/tmp/raddle-bench-XXXXXX";
  int fd = mkstemp(name);
  if (fd < 0) fail("cannot make a temporary file");
  close(fd);
  std::ofstream out(name, std::ios::binary);
  std::uint64_t state = 42;
  std::string line;
  for (std::size_t written = 0; written < bytes; written += line.size()) {
    line.clear();
    for (int word = 0; word < 12; ++word) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      line += fmt::format("w{:x} ", (state >> 33) % 5000);
    }
    line += '\n';
    out << line;
  }
  return name;
}

void real_program() {
  std::string input = make_input(16 << 20);
  std::vector<std::string> command{"/usr/bin/pbzip2", "-p4", "-k", "-f", input};
  std::vector<double> native;
  std::vector<double> controlled;
  for (int round = 0; round < 5; ++round) {
    native.push_back(timed([&] { run_native(command); }));
    controlled.push_back(
        timed([&] { run(*start(command), plan_of("random", CarrierKind::kFiber)); }));
  }
  unlink(input.c_str());
  unlink((input + ".bz2").c_str());
  fmt::print(
      "| pbzip2 -p4 on 16 MB: under control against natively | {:.2f} s | {:.2f} s | {:.2f}x |\n",
      median(controlled), median(native), median(controlled) / median(native));
}

void print_machine() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line) && line.rfind("model name", 0) != 0) {
  }
  fmt::print("{}, {} cores; everything below on one of them\n\n", line.substr(line.find(':') + 2),
             sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace
}  // namespace raddle

int main(int, char** argv) {
  using namespace raddle;
  std::string self = argv[0];
  std::string build = self.substr(0, self.rfind('/')) + "/..";
  g_programs = build + "/bench/programs";
  g_library = std::filesystem::absolute(build + "/bin/libraddle.so").lexically_normal();
  print_machine();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof(one), &one);
  fmt::print("| what | | against | ratio |\n|---|---|---|---|\n");
  switch_cost();
  real_program();
  start_cost(std::filesystem::absolute(build + "/examples/account_fixed"));
  decision_cost();
}
