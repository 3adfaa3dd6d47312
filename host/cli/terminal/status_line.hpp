// One line that rewrites itself on a terminal, and is not there elsewhere: what a long job is at.
// On standard error.
#pragma once

#include <chrono>
#include <string>

namespace raddle {

class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Shows the text, unless another was shown a moment ago.
  void update(const std::string& text);
  void clear();

 private:
  const bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace raddle
