// Return addresses -> the program's own functions, each with the line that it is at. Used by
// finding_story, which has only addresses for the calls on a stack. Reads debug information when it
// is first asked, and keeps what it read; one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "host/symbols/frame.hpp"
#include "host/symbols/maps.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

class CallFrames {
 public:
  struct Found {
    bool known = false;         // false: in no file that is still what it was
    std::vector<Where> frames;  // innermost first; none where a library calls
  };
  // `images` is what was loaded in that execution, which may be long over.
  Found at(std::uint64_t return_address, const std::vector<LoadedObject>& images);

 private:
  void load(const std::vector<LoadedObject>& images);

  std::vector<LoadedObject> asked_;   // as given
  std::vector<LoadedObject> usable_;  // of these, what was not built anew since
  Symbolizer symbols_;
};

}  // namespace raddle
