// What an execution costs where none needs a process of its own. Each figure is a ratio of two
// things measured in this one run, in turns, the best of several rounds, everything on one core:
//
//   build/bench/inprocess          the table of the README
#include <fmt/core.h>
#include <sched.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <boost/context/detail/fcontext.hpp>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "campaign/worker.hpp"
#include "raddle/check.hpp"

namespace raddle {
namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constexpr int kRounds = 9;

[[noreturn]] void fail(const std::string& message) {
  fmt::print(stderr, "bench: {}\n", message);
  std::exit(1);
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int g_pairs;

void two_threads() {
  static std::mutex mutex;
  const auto pairs = [] {
    for (int i = 0; i < g_pairs; ++i) std::lock_guard lock(mutex);
  };
  std::thread a(pairs);
  std::thread b(pairs);
  a.join();
  b.join();
}

// Seconds of one execution.
double in_process(int pairs, std::uint64_t executions) {
  g_pairs = pairs;
  Options options;
  options.executions = executions;
  options.max_steps = 10'000'000;
  return check(options, two_threads).seconds / static_cast<double>(executions);
}

std::unique_ptr<Worker> start_fork_server(const std::string& build) {
  WorkerOptions options;
  options.command.program = build + "/bench/programs/lock_pairs";
  options.command.arguments = {options.command.program};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    options.command.environment.emplace_back(*variable);
  }
  options.library = build + "/bin/libraddle.so";
  auto worker = Worker::start(std::move(options));
  if (!worker) fail(worker.error());
  return std::move(*worker);
}

double forked(Worker& worker, int executions) {
  Plan plan{};
  std::strcpy(plan.strategy, "random");
  plan.livelock_steps = 10'000;
  return seconds_of([&] {
           for (int i = 1; i <= executions; ++i) {
             plan.seed = static_cast<std::uint64_t>(i);
             const auto execution = worker.run(plan, {}, {});
             if (!execution || execution->kind != OutcomeKind::kNone) fail("an execution failed");
           }
         }) /
         executions;
}

// A fiber that does nothing but switch back: stack and FS base, as the runtime's own switch does.
void set_fs_base(void* pointer) { asm volatile("wrfsbase %0" : : "r"(pointer) : "memory"); }

void* fs_base() {
  void* pointer;
  asm("movq %%fs:16, %0" : "=r"(pointer));
  return pointer;
}

__attribute__((optimize("no-stack-protector"))) void bounce(transfer_t transfer) {
  for (;;) {
    set_fs_base(transfer.data);
    transfer = jump_fcontext(transfer.fctx, transfer.data);
  }
}

// Seconds of one switch.
__attribute__((optimize("no-stack-protector"))) double bare_switch(int switches) {
  std::vector<char> stack(64 * 1024);
  fcontext_t other = make_fcontext(stack.data() + stack.size(), stack.size(), bounce);
  void* const self = fs_base();
  return seconds_of([&] {
           for (int i = 0; i < switches; i += 2) {
             set_fs_base(self);
             other = jump_fcontext(other, self).fctx;
           }
         }) /
         switches;
}

struct Best {
  double a = 1e9;
  double b = 1e9;
  void round(double first, double second) {
    a = std::min(a, first);
    b = std::min(b, second);
  }
};

void print_executions(const std::string& build) {
  const std::unique_ptr<Worker> worker = start_fork_server(build);
  Best best;
  for (int i = 0; i < kRounds; ++i) best.round(in_process(6, 100'000), forked(*worker, 500));
  fmt::print(
      "| executions a second, 2 threads of 6 lock/unlock pairs: in-process against fork server | "
      "{:.0f} | {:.0f} | "
      "{:.0f}x |\n",
      1 / best.a, 1 / best.b, best.b / best.a);
}

void print_decision() {
  if ((getauxval(AT_HWCAP2) & 2) == 0) fail("this processor or kernel has no wrfsbase");
  Best best;
  for (int i = 0; i < kRounds; ++i) {
    // A pair is two decisions, and there are two threads; what else an execution costs cancels out.
    const double decision = (in_process(1000, 100) - in_process(100, 100)) / (4 * 900);
    best.round(decision, bare_switch(2'000'000));
  }
  fmt::print(
      "| a decision, with the switch that follows half of them: against a bare fiber switch | "
      "{:.1f} ns | {:.1f} ns | {:.2f}x |\n",
      best.a * 1e9, best.b * 1e9, best.a / best.b);
}

void pin_to_one_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof one, &one);
}

}  // namespace
}  // namespace raddle

int main() {
  using namespace raddle;
  pin_to_one_core();
  const std::string build =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  fmt::print("| what | | against | ratio |\n|---|---|---|---|\n");
  print_executions(build);
  print_decision();
}
