#include "prevent/schedule/schedule_monitor.hpp"

namespace raddle::schedule {
namespace {

using monitor::Answer;
using monitor::Event;
using monitor::Gate;
using monitor::Thread;

class FromGate final : public BlockedThreads {
 public:
  bool blocked(ThreadNumber thread) const override { return Gate::get().blocked(thread); }
};

class AllBlocked final : public BlockedThreads {
 public:
  bool blocked(ThreadNumber) const override { return true; }
};

}  // namespace

ScheduleMonitor::ScheduleMonitor(const Syntax& syntax, bool checking, const char* source,
                                 unsigned source_line)
    : file(source), line(source_line), automaton_(syntax), checking_(checking) {}

std::string ScheduleMonitor::title() const {
  return "`" + automaton_.syntax().text + "` (" + file + ":" + std::to_string(line) + ")";
}

Happening ScheduleMonitor::happening(const Event& event) const {
  const Thread& thread = event.thread;
  const bool is_main = thread.name.empty() && &thread == maker_;
  return {event.name, is_main ? std::string_view("main") : std::string_view(thread.name),
          thread.number};
}

bool ScheduleMonitor::concerns(const Event& event) const {
  return automaton_.names(happening(event));
}

Answer ScheduleMonitor::ask(const Event& event) {
  if (checking_) return Answer::go;
  const Happening next = happening(event);
  if (automaton_.violated(next, FromGate()) < 0) return Answer::go;
  return automaton_.violated(next, AllBlocked()) < 0 ? Answer::poll : Answer::wait;
}

void ScheduleMonitor::commit(const Event& event) {
  const Happening next = happening(event);
  if (checking_) {
    const int rule = automaton_.violated(next, FromGate());
    if (rule >= 0)
      failures.push_back("`" + std::string(event.name) + "` happened too early: " + reason(event));
  }
  automaton_.happens(next);
}

void ScheduleMonitor::thread_ended(Thread&) {}

std::string ScheduleMonitor::rule_text(int rule) const {
  const std::size_t orderings = automaton_.ordering_count();
  const Syntax& syntax = automaton_.syntax();
  if (std::size_t(rule) < orderings) return syntax.orderings[std::size_t(rule)].text();
  const Exclusion& exclusion = syntax.exclusions[std::size_t(rule) - orderings];
  return exclusion.first.text() + " !-> " + exclusion.second.text();
}

std::string ScheduleMonitor::reason(const Event& event) {
  const int rule = automaton_.violated(happening(event), FromGate());
  return rule < 0 ? std::string() : "`" + rule_text(rule) + "`";
}

}  // namespace raddle::schedule
