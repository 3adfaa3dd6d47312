// A trace as JSON: one object a line, so that a long one can be read as it comes. docs/json.md has
// the members.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/report/filtered_trace.hpp"

namespace raddle {

class TraceJson : public FilteredTrace {
 public:
  TraceJson(TraceFilter filter, TextOut out);

  void begin(const TraceHeader& header) override;
  void end(const TraceEnd& end) override;
  void flush() override;

 protected:
  void show(const Event& event) override;

 private:
  void thread_line(ThreadId id);

  const TextOut out_;
  std::string text_;
  std::vector<std::string> named_;  // by thread
};

}  // namespace raddle
