// Runs the scheduled tests and their twins, and appends a line to the file in SCHEDULES_TIMES for
// each run of a test: its name, its microseconds, and "ok", "failed" or "hung". The rest is
// GoogleTest's.
//
//   SCHEDULES_SLEEPS       the file with the sleeps of the twins, a name and microseconds a line
//   SCHEDULES_SLEEP        microseconds for all twins instead
//   SCHEDULES_STOP         no more runs after so many failures
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "bench/schedules/nap.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kPatience = 5;  // seconds, then a test counts as hung

std::chrono::nanoseconds unit;
int times_file = -1;
std::string running;

void say(const std::string& line) {
  if (times_file < 0) return;
  const ssize_t written = write(times_file, line.data(), line.size());
  if (written != ssize_t(line.size())) std::perror("SCHEDULES_TIMES");
}

// Nothing else ends a twin that waits for an event which has passed.
void on_alarm(int) {
  const std::string line = running + "\t0\thung\n";
  say(line);
  _exit(3);
}

std::map<std::string, double> read_sleeps(const char* path) {
  std::map<std::string, double> sleeps;
  std::ifstream file(path != nullptr ? path : "/dev/null");
  std::string name;
  for (double sleep = 0; file >> name >> sleep;) sleeps[name] = sleep;
  return sleeps;
}

class Times final : public testing::EmptyTestEventListener {
 public:
  Times() : sleeps_(read_sleeps(std::getenv("SCHEDULES_SLEEPS"))) {}

  void OnTestStart(const testing::TestInfo& test) override {
    running = std::string(test.test_suite_name()) + "." + test.name();
    const char* given = std::getenv("SCHEDULES_SLEEP");
    const double sleep = given != nullptr ? std::atof(given) : sleeps_[running];
    unit = std::chrono::nanoseconds(static_cast<long>(sleep * 1000));
    if (times_file >= 0) alarm(kPatience);
    begin_ = Clock::now();
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    const std::chrono::duration<double, std::micro> took = Clock::now() - begin_;
    alarm(0);
    const bool failed = test.result()->Failed();
    say(running + "\t" + std::to_string(took.count()) + (failed ? "\tfailed\n" : "\tok\n"));
    const char* most = std::getenv("SCHEDULES_STOP");
    if (failed && most != nullptr && ++failures_ == std::atoi(most)) _exit(1);
  }

 private:
  std::map<std::string, double> sleeps_;
  Clock::time_point begin_;
  int failures_ = 0;
};

}  // namespace

void twins::nap(int times) { std::this_thread::sleep_for(times * unit); }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new Times);
  if (const char* path = std::getenv("SCHEDULES_TIMES")) {
    times_file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (times_file < 0) {
      std::perror(path);
      return 2;
    }
    signal(SIGALRM, on_alarm);
    delete listeners.Release(listeners.default_result_printer());
  }
  return RUN_ALL_TESTS();
}
