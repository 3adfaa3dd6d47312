// What an execution added to what was known before it, as bytes: the steps behind its prefix, who
// could move at each, and how it ended. For the journal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/explore/executor.hpp"

namespace raddle {

// An Explored that owns its memory.
struct KeptExecution {
  std::vector<StepRecord> log;
  std::vector<Pending> pending;
  std::vector<std::uint32_t> first;
  std::vector<std::uint8_t> marks;
  Explored explored;

  // After the vectors have changed.
  void point() {
    explored.log = log;
    explored.pending = pending;
    explored.first = first;
    explored.marks = marks;
  }
};

// The steps from `known` on.
void encode_steps(const Explored& execution, std::size_t known, std::string* out);

// Appends them to `kept`, which has the steps before; false if the bytes are not what
// encode_steps() writes.
bool decode_steps(std::string_view bytes, KeptExecution* kept);

}  // namespace raddle
