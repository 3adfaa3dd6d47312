// How far a campaign is: one line that rewrites itself on a terminal, else a plain line every few
// seconds. On standard error.
#pragma once

#include "host/campaign/fuzz/fuzz.hpp"

namespace raddle {

class ProgressLine {
 public:
  explicit ProgressLine(std::uint64_t executions);
  ~ProgressLine();  // leaves no trace on a terminal
  void update(const FuzzCounts& counts, double seconds);

 private:
  const std::uint64_t executions_;
  const bool terminal_;
  double next_;
  bool shown_ = false;
};

}  // namespace raddle
