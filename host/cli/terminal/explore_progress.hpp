// How far an exploration is: one line that rewrites itself on a terminal, else a plain line every
// few seconds. On standard error.
#pragma once

#include "host/explore/explore.hpp"

namespace raddle {

class ExploreProgressLine {
 public:
  ExploreProgressLine();
  ~ExploreProgressLine();  // leaves no trace on a terminal
  void update(const ExploreProgress& progress);

 private:
  const bool terminal_;
  double next_;
  bool shown_ = false;
};

}  // namespace raddle
