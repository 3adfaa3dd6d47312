// What raddle/schedule.hpp calls.
#include "raddle/schedule.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <variant>

#include "prevent/schedule/cycles.hpp"
#include "prevent/schedule/schedule_monitor.hpp"

namespace raddle::schedule {
namespace {

using monitor::Gate;
using monitor::Monitor;

const detail::ScheduleReporter* g_reporter = nullptr;

char* copy(const std::string& text) {
  char* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out != nullptr) std::memcpy(out, text.c_str(), text.size() + 1);
  return out;
}

void report(const ScheduleMonitor& schedule) {
  std::string text = schedule.title();
  for (const std::string& failure : schedule.failures()) text += "\n" + failure;
  if (g_reporter != nullptr)
    return g_reporter->fail(text.c_str(), schedule.file(), schedule.line());
  std::fprintf(stderr, "raddle: %s\n", text.c_str());
  std::abort();
}

// Why the schedule cannot be active beside those that are; empty if it can.
std::string refusal(const ScheduleMonitor& schedule, const std::vector<Monitor*>& active) {
  const std::string own = find_cycle({{&schedule.syntax(), schedule.title()}});
  if (!own.empty()) return schedule.title() + " is cyclic: its events can never all happen\n" + own;
  std::vector<NamedSyntax> all{{&schedule.syntax(), schedule.title()}};
  for (const Monitor* monitor : active) {
    if (const auto* other = dynamic_cast<const ScheduleMonitor*>(monitor))
      all.push_back({&other->syntax(), other->title()});
  }
  const std::string cycle = find_cycle(all);
  if (cycle.empty()) return "";
  return schedule.title() + " contradicts what is active\n" + cycle;
}

}  // namespace
}  // namespace raddle::schedule

using namespace raddle::schedule;  // NOLINT(google-build-using-namespace)

extern "C" {

void* raddle_schedule_begin(const char* text, int checking, const char* file, unsigned line,
                            char** error) {
  const auto parsed = parse(text);
  if (const auto* at = std::get_if<ParseError>(&parsed)) {
    *error =
        copy(std::string(file) + ":" + std::to_string(line) +
             ": the schedule cannot be read: " + at->expected + "\n" + with_caret(text, at->at));
    return nullptr;
  }
  auto schedule =
      std::make_unique<ScheduleMonitor>(std::get<Syntax>(parsed), checking != 0, file, line);
  Gate& gate = Gate::get();
  schedule->made_by(gate.self());
  std::string wrong;
  const bool added = gate.add(*schedule, [&](const std::vector<Monitor*>& active) {
    wrong = refusal(*schedule, active);
    return wrong.empty();
  });
  if (added) return schedule.release();
  *error = copy(wrong);
  return nullptr;
}

void raddle_schedule_forget_error(char* error) { std::free(error); }

void raddle_schedule_end(void* handle, int unwinding) {
  const std::unique_ptr<ScheduleMonitor> schedule(static_cast<ScheduleMonitor*>(handle));
  const bool early = unwinding != 0 || (g_reporter != nullptr && g_reporter->ended_early());
  Gate::get().remove(*schedule, [&] { schedule->finish(early); });
  if (!schedule->failures().empty()) report(*schedule);
}

void raddle_schedule_event(const char* name) {
  Gate::get().pass(name, __builtin_return_address(0));
}
void raddle_schedule_name_thread(const char* name) {
  // Debuggers and Raddle's reports show it; but the main thread's is the name of the process.
  if (syscall(SYS_gettid) != getpid()) {
    const std::string start = std::string(name).substr(0, 15);
    pthread_setname_np(pthread_self(), start.c_str());
  }
  Gate::get().name_thread(name, __builtin_return_address(0));
}
void raddle_schedule_reporter(const raddle::detail::ScheduleReporter* reporter) {
  g_reporter = reporter;
}
}
