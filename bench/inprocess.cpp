// Measures what an execution costs without a process of its own. Each figure is a ratio of two
// times from this one run: the two sides take turns on one core, and medians of many rounds are
// compared. A round is so short that even a busy machine rarely disturbs it.
//
//   build/bench/inprocess          the table of docs/benchmarks.md
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

#include "host/process/worker.hpp"
#include "raddle/check.hpp"

namespace raddle {
namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constexpr int kRounds = 150;

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

// Two fibers that do nothing but give way to each other. A switch exchanges the stack and the FS
// base, as the runtime's own switch does. give_way() is a function, as in every use of fibers: it
// returns on the other fiber, which the processor cannot predict.
struct Fiber {
  fcontext_t context;
  void* thread_pointer;
};
Fiber g_fibers[2];

void* thread_pointer_of_caller() {
  void* pointer;
  asm("movq %%fs:16, %0" : "=r"(pointer));
  return pointer;
}

__attribute__((noinline, optimize("no-stack-protector"))) void give_way(Fiber& from, Fiber& to) {
  asm volatile("wrfsbase %0" : : "r"(to.thread_pointer) : "memory");
  const transfer_t transfer = jump_fcontext(to.context, &from);
  static_cast<Fiber*>(transfer.data)->context = transfer.fctx;
}

void other_fiber(transfer_t transfer) {
  static_cast<Fiber*>(transfer.data)->context = transfer.fctx;
  for (;;) give_way(g_fibers[1], g_fibers[0]);
}

// Seconds of one switch.
double bare_switch(int switches) {
  std::vector<char> stack(64 * 1024);
  g_fibers[0].thread_pointer = g_fibers[1].thread_pointer = thread_pointer_of_caller();
  g_fibers[1].context = make_fcontext(stack.data() + stack.size(), stack.size(), other_fiber);
  return seconds_of([&] {
           for (int i = 0; i < switches; i += 2) give_way(g_fibers[0], g_fibers[1]);
         }) /
         switches;
}

class Median {
 public:
  void add(double value) { values_.push_back(value); }
  double value() {
    const auto middle = values_.begin() + static_cast<std::ptrdiff_t>(values_.size() / 2);
    std::nth_element(values_.begin(), middle, values_.end());
    return *middle;
  }

 private:
  std::vector<double> values_;
};

void print_executions(const std::string& build) {
  const std::unique_ptr<Worker> worker = start_fork_server(build);
  Median ours;
  Median theirs;
  for (int i = 0; i < kRounds; ++i) {
    ours.add(in_process(6, 2000));
    theirs.add(forked(*worker, 20));
  }
  fmt::print(
      "| executions a second, 2 threads of 6 lock/unlock pairs: in-process against fork server | "
      "{:.0f} | {:.0f} | "
      "{:.0f}x |\n",
      1 / ours.value(), 1 / theirs.value(), theirs.value() / ours.value());
}

void need_wrfsbase() {
  if ((getauxval(AT_HWCAP2) & 2) == 0) fail("this processor or kernel has no wrfsbase");
}

// What the work of an execution comes to, in a measure that does not depend on the machine.
void print_execution() {
  need_wrfsbase();
  Median ours;
  Median bare;
  for (int i = 0; i < kRounds; ++i) {
    ours.add(in_process(6, 2000));
    bare.add(bare_switch(20'000));
  }
  fmt::print(
      "| an execution, 2 threads of 6 lock/unlock pairs: in bare fiber switches | {:.2f} us | "
      "{:.1f} "
      "ns | {:.0f}x |\n",
      ours.value() * 1e6, bare.value() * 1e9, ours.value() / bare.value());
}

void print_decision() {
  need_wrfsbase();
  Median few;
  Median many;
  Median bare;
  for (int i = 0; i < kRounds; ++i) {
    few.add(in_process(100, 100));
    many.add(in_process(1000, 10));
    bare.add(bare_switch(100'000));
  }
  // A pair is two decisions, and there are two threads. The other costs of an execution cancel out.
  const double decision = (many.value() - few.value()) / (4 * 900);
  fmt::print(
      "| a decision, with the switch that follows half of them: against a bare fiber switch | "
      "{:.1f} ns | {:.1f} ns | {:.2f}x |\n",
      decision * 1e9, bare.value() * 1e9, decision / bare.value());
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
  print_execution();
  print_decision();
}
