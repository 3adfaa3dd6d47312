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
  void give_up(const std::string& why) override;
  std::string reason(const monitor::Event& event) override;
  std::string title() const override;  // schedule `a -> b` (queue_test.cpp:12)
  bool asks(const monitor::Event& event) const override;
  const char* file() const override { return file_; }
  unsigned line() const override { return line_; }

  // The thread that makes the schedule: "main", unless it has a name.
  void made_by(const monitor::Thread& thread) { maker_ = &thread; }

  // The schedule ends: what never happened is a failure, too, unless the test ended early.
  void finish(bool early);

  const Syntax& syntax() const { return automaton_.syntax(); }
  // What went wrong, in the order in which it did.
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  Happening happening(const monitor::Event& event) const;
  bool is_section(int rule) const;
  std::string rule_text(int rule) const;
  std::string unmet_text(const Condition& leaf) const;
  std::string missing_text(const EventRef& event) const;
  std::string violation_text(const monitor::Event& event, int rule) const;
  std::string suggestion(const EventRef& event) const;

  Automaton automaton_;
  bool checking_;
  bool gave_up_ = false;
  const monitor::Thread* maker_ = nullptr;
  std::vector<std::string> failures_;
  const char* file_;
  unsigned line_;
};

}  // namespace raddle::schedule
