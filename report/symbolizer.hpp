// Code and data addresses of a target -> names, with elfutils libdw. Works from the text of
// /proc/PID/maps, so the process may be gone; files are read from disk, separate debug files where
// installed. Results are cached: address randomisation is off, so the same maps come again and
// again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "report/failure.hpp"

namespace raddle {

class Symbolizer {
 public:
  Symbolizer();
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // Uses these maps from now on; cheap when they are the same as before.
  void set_maps(const std::string& maps);

  // The frames at a code address, innermost inlined function first; never empty. `return_address`:
  // the instruction before it is meant.
  std::vector<Frame> frames(std::uint64_t pc, bool return_address);

  // Name of the global variable that holds this data address ("a", "account+0x8"), or empty.
  std::string data_name(std::uint64_t address);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace raddle
