// What raddle/schedule.hpp calls.
#include "raddle/schedule.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <variant>

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
  std::string text;
  for (const std::string& failure : schedule.failures) text += (text.empty() ? "" : "\n") + failure;
  text = "schedule " + schedule.title() + "\n" + text;
  if (g_reporter != nullptr) return g_reporter->fail(text.c_str(), schedule.file, schedule.line);
  std::fprintf(stderr, "raddle: %s\n", text.c_str());
  std::abort();
}

void add_missing(ScheduleMonitor& schedule) {
  std::string names;
  for (const EventRef& event : schedule.automaton().missing())
    names += (names.empty() ? "`" : ", `") + event.text() + "`";
  if (!names.empty()) schedule.failures.push_back("never happened: " + names);
}

}  // namespace
}  // namespace raddle::schedule

using namespace raddle::schedule;  // NOLINT(google-build-using-namespace)

extern "C" {

void* raddle_schedule_begin(const char* text, int checking, const char* file, unsigned line,
                            char** error) {
  const auto parsed = parse(text);
  if (const auto* wrong = std::get_if<ParseError>(&parsed)) {
    *error = copy("the schedule cannot be read: " + wrong->expected + "\n" +
                  with_caret(text, wrong->at));
    return nullptr;
  }
  auto schedule =
      std::make_unique<ScheduleMonitor>(std::get<Syntax>(parsed), checking != 0, file, line);
  Gate& gate = Gate::get();
  schedule->made_by(gate.self());
  gate.add(*schedule, [](const std::vector<Monitor*>&) { return true; });
  return schedule.release();
}

void raddle_schedule_forget_error(char* error) { std::free(error); }

void raddle_schedule_end(void* handle, int unwinding) {
  const std::unique_ptr<ScheduleMonitor> schedule(static_cast<ScheduleMonitor*>(handle));
  const bool early = unwinding != 0 || (g_reporter != nullptr && g_reporter->ended_early());
  Gate::get().remove(*schedule, [&] {
    if (!early) add_missing(*schedule);
  });
  if (!schedule->failures.empty()) report(*schedule);
}

void raddle_schedule_event(const char* name) { Gate::get().pass(name); }
void raddle_schedule_name_thread(const char* name) { Gate::get().name_thread(name); }
void raddle_schedule_reporter(const raddle::detail::ScheduleReporter* reporter) {
  g_reporter = reporter;
}
}
