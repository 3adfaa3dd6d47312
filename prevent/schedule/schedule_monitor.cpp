#include "prevent/schedule/schedule_monitor.hpp"

#include "prevent/schedule/nearest.hpp"

namespace raddle::schedule {
namespace {

using monitor::Answer;
using monitor::Event;
using monitor::Gate;
using monitor::Thread;

Thread& thread_at(ThreadNumber number) { return *Gate::get().threads()[number]; }

class FromGate final : public BlockedThreads {
 public:
  bool blocked(ThreadNumber thread) const override { return Gate::get().blocked(thread); }
  bool ended(ThreadNumber thread) const override { return thread_at(thread).ended; }
};

class AllBlocked final : public BlockedThreads {
 public:
  bool blocked(ThreadNumber thread) const override { return !thread_at(thread).ended; }
};

std::string quoted(const std::string& text) { return "`" + text + "`"; }

std::string times(unsigned count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

}  // namespace

ScheduleMonitor::ScheduleMonitor(const Syntax& syntax, bool checking, const char* file,
                                 unsigned line)
    : automaton_(syntax), checking_(checking), file_(file), line_(line) {}

std::string ScheduleMonitor::title() const {
  return "schedule " + quoted(syntax().text) + " (" + file_ + ":" + std::to_string(line_) + ")";
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
  if (checking_ || gave_up_) return Answer::go;
  const Happening next = happening(event);
  if (automaton_.violated(next, FromGate()) < 0) return Answer::go;
  const int never = automaton_.hopeless(next, FromGate());
  if (never >= 0) {
    give_up(quoted(std::string(event.name)) + " cannot happen: " + violation_text(event, never));
    return Answer::gave_up;
  }
  return automaton_.violated(next, AllBlocked()) < 0 ? Answer::poll : Answer::wait;
}

bool ScheduleMonitor::asks(const Event& event) const { return automaton_.asks_blocked(event.name); }

void ScheduleMonitor::commit(const Event& event) {
  const Happening next = happening(event);
  if (checking_) {
    const int rule = automaton_.violated(next, FromGate());
    if (rule >= 0) {
      failures_.push_back("violated: " + quoted(std::string(event.name)) + " happened in " +
                          event.thread.title() + " when " + violation_text(event, rule));
    }
  }
  automaton_.happens(next);
}

void ScheduleMonitor::give_up(const std::string& why) {
  if (checking_ || gave_up_) return;
  gave_up_ = true;
  failures_.push_back(why);
}

bool ScheduleMonitor::is_section(int rule) const {
  return std::size_t(rule) >= automaton_.ordering_count();
}

std::string ScheduleMonitor::rule_text(int rule) const {
  const std::size_t orderings = automaton_.ordering_count();
  if (std::size_t(rule) < orderings) return syntax().orderings[std::size_t(rule)].text();
  const Exclusion& exclusion = syntax().exclusions[std::size_t(rule) - orderings];
  return exclusion.first.text() + " !-> " + exclusion.second.text();
}

// Why a leaf of a condition does not hold.
std::string ScheduleMonitor::unmet_text(const Condition& leaf) const {
  const unsigned count = automaton_.count(leaf.event);
  if (count < leaf.event.number)
    return quoted(leaf.event.text()) + " had not happened" + suggestion(leaf.event);
  if (leaf.kind == Condition::Kind::event)  // `a+`, and the last a was before the last target
    return quoted(leaf.event.name) + " had not happened again";
  const Thread& thread = thread_at(automaton_.thread_of(leaf.event));
  const char* why = thread.ended ? " had ended" : " was not blocked";
  if (thread.held_at != nullptr) why = " was held by the schedule, which is not blocked";
  return thread.title() + ", the thread of " + quoted(leaf.event.text()) + "," + why;
}

std::string ScheduleMonitor::violation_text(const Event&, int rule) const {
  std::string out;
  for (const Condition* leaf : automaton_.unmet(rule, FromGate()))
    out += (out.empty() ? "" : ", and ") + unmet_text(*leaf);
  if (out.empty())
    out = is_section(rule) ? "the other section was open" : "a thread was not blocked";
  return out + " (" + quoted(rule_text(rule)) + ")";
}

std::string ScheduleMonitor::reason(const Event& event) {
  const int rule = automaton_.violated(happening(event), FromGate());
  if (rule < 0 || checking_ || gave_up_) return "";
  std::string out;
  for (const Condition* leaf : automaton_.unmet(rule, FromGate())) {
    const bool block = leaf->kind == Condition::Kind::block;
    out += (out.empty() ? "" : ", ") + quoted(leaf->text());
    const bool there = automaton_.count(leaf->event) >= leaf->event.number;
    if (!there) out += suggestion(leaf->event);
    if (there && block) out += " (" + unmet_text(*leaf) + ")";
  }
  if (out.empty()) out = is_section(rule) ? "the other section to end" : "a thread to block";
  return "waits for " + out + ", by " + quoted(rule_text(rule));
}

std::string ScheduleMonitor::suggestion(const EventRef& event) const {
  const Gate& gate = Gate::get();
  const std::string near = nearest(event.name, gate.strangers());
  if (!near.empty()) return " (did you mean " + quoted(near) + ", which happened?)";
  if (event.thread.empty()) return "";
  std::vector<std::string> names;
  bool known = event.thread == "main";
  for (const std::shared_ptr<Thread>& thread : gate.threads()) {
    names.push_back(thread->title());
    known = known || thread->name == event.thread;
  }
  if (known) return "";
  const std::string name = nearest(event.thread, names);
  return name.empty() ? " (no thread is called " + quoted(event.thread) + ")"
                      : " (no thread is called " + quoted(event.thread) + "; did you mean " +
                            quoted(name) + "?)";
}

std::string ScheduleMonitor::missing_text(const EventRef& event) const {
  for (const std::shared_ptr<Thread>& thread : Gate::get().threads()) {
    if (thread->held_at != nullptr && event.name == thread->held_at)
      return quoted(event.text()) + " never happened: the schedule ended while " + thread->title() +
             " was held at it; join the threads of the test before that";
  }
  const unsigned count = automaton_.count(event);
  if (count > 0)
    return quoted(event.text()) + " never happened: " + quoted(event.name) + " happened " +
           times(count);
  return quoted(event.text()) + " never happened" + suggestion(event);
}

void ScheduleMonitor::finish(bool early) {
  if (early || gave_up_) return;
  for (const EventRef& event : automaton_.missing()) failures_.push_back(missing_text(event));
}

}  // namespace raddle::schedule
