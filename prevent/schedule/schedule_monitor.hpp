// A schedule as a monitor: enforced, or checked only.
#pragma once

#include <string>
#include <vector>

#include "prevent/monitor/gate.hpp"
#include "prevent/schedule/automaton.hpp"

namespace raddle::schedule {

class ScheduleMonitor final : public monitor::Monitor {
 public:
  ScheduleMonitor(const Syntax& syntax, bool checking, const char* file, unsigned line);

  bool concerns(const monitor::Event& event) const override;
  monitor::Answer ask(const monitor::Event& event) override;
  void commit(const monitor::Event& event) override;
  void thread_ended(monitor::Thread& thread) override;
  std::string reason(const monitor::Event& event) override;

  // The thread that made the schedule: "main", unless it has a name.
  void made_by(const monitor::Thread& thread) { maker_ = &thread; }

  const Automaton& automaton() const { return automaton_; }
  bool checking() const { return checking_; }
  std::string title() const;  // `a -> b` (queue_test.cpp:12)

  // What went wrong so far, in the order in which it did.
  std::vector<std::string> failures;
  const char* file;
  unsigned line;

 private:
  Happening happening(const monitor::Event& event) const;
  std::string rule_text(int rule) const;

  Automaton automaton_;
  bool checking_;
  const monitor::Thread* maker_ = nullptr;
};

}  // namespace raddle::schedule
