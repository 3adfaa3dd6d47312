// Who is woken when an event happens: exactly those whose event may go now, or all that wait, as
// the definition says (figure 3.10 of Luo's dissertation). Threads share forks that have one user
// each, and hold them for a moment without running.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "prevent/logics/logic.hpp"
#include "prevent/monitor/gate.hpp"
#include "raddle/enforce.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRuns = 5;
constexpr int kRounds = 20;
constexpr int kForks = 4;
constexpr std::chrono::microseconds kHeld{500};

struct Measured {
  double milliseconds;
  double switches;  // of threads, for each event
};

raddle::enforce::Property* one_fork() {
  static const auto compiled = raddle::logics::find_logic("fsm")->compile(
      {"free [ acquire -> busy ] busy [ release -> free ]",
       {"acquire", "release"},
       {"nonfail"},
       true});
  static const raddle::logics::Program& program = std::get<raddle::logics::Program>(compiled);
  static const raddle::enforce::EventInfo events[] = {
      {"acquire", 1, true, nullptr, nullptr, nullptr},
      {"release", 1, false, nullptr, nullptr, nullptr}};
  static void (*const handlers[])(raddle::enforce::Handling&) = {nullptr};
  static const raddle::enforce::Specification specification = [] {
    raddle::enforce::Specification out{};
    out.name = "OneFork";
    out.file = "waking.cpp";
    out.enforced = true;
    out.program = program.data();
    out.events = events;
    out.event_count = 2;
    out.parameter_count = 1;
    out.category_count = 1;
    out.handlers = handlers;
    return out;
  }();
  static raddle::enforce::Property* property = raddle::enforce::begin(specification);
  return property;
}

long switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

Measured run(int threads, bool all) {
  raddle::enforce::Property* property = one_fork();
  raddle::monitor::Gate::get().wake_all_always(all);
  static int forks[kForks];
  const long before = switches();
  const Clock::time_point begin = Clock::now();
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([property, i] {
      const void* fork[] = {&forks[i % kForks]};
      for (int round = 0; round < kRounds; ++round) {
        raddle::enforce::happens(property, 0, fork, nullptr, nullptr);
        std::this_thread::sleep_for(kHeld);
        raddle::enforce::happens(property, 1, fork, nullptr, nullptr);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  const double milliseconds =
      std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return {milliseconds, double(switches() - before) / (2.0 * kRounds * threads)};
}

Measured median(std::vector<Measured> runs) {
  const auto middle = runs.begin() + std::ptrdiff_t(runs.size() / 2);
  std::nth_element(runs.begin(), middle, runs.end(), [](const Measured& a, const Measured& b) {
    return a.milliseconds < b.milliseconds;
  });
  return *middle;
}

}  // namespace

int main() {
  std::printf(
      "| threads | those that may go: ms | switches an event | all: ms | switches an event |\n"
      "|---|---|---|---|---|\n");
  for (const int threads : {8, 32, 64}) {
    std::vector<Measured> exact;
    std::vector<Measured> all;
    for (int i = 0; i < kRuns; ++i) {  // in turns: what else the machine does meets both
      exact.push_back(run(threads, false));
      all.push_back(run(threads, true));
    }
    const Measured a = median(exact);
    const Measured b = median(all);
    std::printf("| %d | %.0f | %.1f | %.0f | %.1f |\n", threads, a.milliseconds, a.switches,
                b.milliseconds, b.switches);
  }
}
