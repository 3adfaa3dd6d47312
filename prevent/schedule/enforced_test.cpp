// Random programs of real threads under random schedules: what happened satisfies the schedule, by
// the definition in testing/oracle.hpp. The trace comes from a second monitor, which allows
// everything and sees the events in the order in which the gate let them through.
#include <gtest/gtest.h>
#include <semaphore.h>

#include <thread>

#include "prevent/monitor/watch.hpp"
#include "prevent/schedule/cycles.hpp"
#include "prevent/schedule/schedule_monitor.hpp"
#include "prevent/schedule/testing/oracle.hpp"
#include "prevent/schedule/testing/random_schedule.hpp"

namespace raddle::schedule {
namespace {

using monitor::Answer;
using monitor::Event;
using monitor::Gate;

class Recorder final : public monitor::Monitor {
 public:
  bool concerns(const Event&) const override { return true; }
  Answer ask(const Event&) override { return Answer::go; }
  void commit(const Event& event) override {
    trace.push_back({std::string(event.name), event.thread.name});
  }
  void give_up(const std::string&) override {}
  std::string reason(const Event&) override { return ""; }
  std::string title() const override { return "the recorder"; }
  bool asks(const Event&) const override { return false; }
  const char* file() const override { return ""; }
  unsigned line() const override { return 0; }

  Trace trace;
};

constexpr unsigned kThreads = 3;

struct Step {
  enum Kind { event, wait, post } kind;
  std::string name;
  std::size_t semaphore;
};

// Programs that cannot deadlock by themselves, and one trace that they can have: a thread that
// waits is woken before it has another step in that trace.
struct Program {
  std::vector<Step> steps[kThreads];
  std::size_t semaphores = 0;
  Trace possible;
};

Program random_program(std::mt19937& random) {
  Program out;
  bool started[kThreads] = {};
  const auto name = [](unsigned t) { return "t" + std::to_string(t); };
  const auto start = [&](unsigned t) {
    if (!started[t]) out.possible.push_back({"start", name(t)});
    started[t] = true;
  };
  const auto event = [&](unsigned t) {
    const std::string letter(1, char('a' + below(random, 5)));
    start(t);
    out.steps[t].push_back({Step::event, letter, 0});
    out.possible.push_back({letter, name(t)});
  };
  for (unsigned i = 0; i < 6; ++i) {
    const unsigned t = below(random, kThreads);
    event(t);
    if (below(random, 2) != 0) continue;
    const unsigned other = (t + 1 + below(random, kThreads - 1)) % kThreads;
    out.steps[t].push_back({Step::wait, "", out.semaphores});
    out.possible.push_back({"block", name(t)});
    event(other);
    out.steps[other].push_back({Step::post, "", out.semaphores++});
    out.possible.push_back({"unblock", name(t)});
  }
  for (unsigned t = 0; t < kThreads; ++t) {
    start(t);
    out.possible.push_back({"end", name(t)});
  }
  return out;
}

class Execution {
 public:
  Execution(const Program& program, const Syntax& syntax)
      : program_(program), semaphores_(program.semaphores), schedule_(syntax, false, "random", 0) {
    for (sem_t& semaphore : semaphores_) sem_init(&semaphore, 0, 0);
  }

  // The trace; empty if the schedule had to give up.
  Trace run() {
    Gate& gate = Gate::get();
    const auto accept = [](const std::vector<monitor::Monitor*>&) { return true; };
    gate.add(recorder_, accept);
    gate.add(schedule_, accept);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t) threads.emplace_back([this, t] { body(t); });
    for (std::thread& thread : threads) thread.join();
    gate.remove(schedule_, [] {});
    gate.remove(recorder_, [] {});
    return schedule_.failures().empty() ? recorder_.trace : Trace();
  }

 private:
  void body(unsigned t) {
    Gate& gate = Gate::get();
    const std::string name = "t" + std::to_string(t);
    gate.name_thread(name.c_str(), nullptr);
    for (const Step& step : program_.steps[t]) {
      switch (step.kind) {
        case Step::event:
          gate.pass(step.name.c_str(), nullptr);
          break;
        case Step::post:
          sem_post(&semaphores_[step.semaphore]);
          break;
        case Step::wait:
          note("block", name);
          while (sem_wait(&semaphores_[step.semaphore]) != 0) {
          }
          note("unblock", name);
          break;
      }
    }
  }
  // Before it really waits, and after: the thread is blocked at most in between.
  void note(const char* what, const std::string& thread) {
    const std::lock_guard<std::mutex> lock(Gate::get().mutex());
    recorder_.trace.push_back({what, thread});
  }

  const Program& program_;
  std::vector<sem_t> semaphores_;
  Recorder recorder_;
  ScheduleMonitor schedule_;
};

TEST(Enforced, EveryExecutionSatisfiesItsSchedule) {
  monitor::pace().look_ms = 2;  // schedules that paint themselves into a corner end sooner
  monitor::pace().stacks = false;
  std::mt19937 random(3);
  unsigned whole = 0;
  unsigned with_blocks = 0;
  for (unsigned i = 0; i < 300;) {
    const Program program = random_program(random);
    const std::string text = random_schedule(random, 4);
    const Syntax syntax = std::get<Syntax>(parse(text));
    if (!satisfies(program.possible, syntax) || !find_cycle({{&syntax, text}}).empty()) continue;
    ++i;
    const Trace trace = Execution(program, syntax).run();
    if (trace.empty()) continue;
    ++whole;
    if (text.find('[') != std::string::npos) ++with_blocks;
    ASSERT_TRUE(satisfies(trace, syntax)) << text << "\n" << text_of(trace);
  }
  monitor::pace() = monitor::Pace();
  // Some give up: they let a section or a wait begin too early, or their thread never blocked.
  EXPECT_GT(whole, 150U);
  EXPECT_GT(with_blocks, 15U);
}

}  // namespace
}  // namespace raddle::schedule
