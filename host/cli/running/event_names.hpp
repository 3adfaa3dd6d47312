// The events of enforced properties that executions showed, by the names of the specification.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "host/explore/delays/explore_delays.hpp"
#include "host/explore/executor.hpp"
#include "host/report/words/property_words.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

// The program contains the code of raddle-mop, or the library that such code is linked with.
bool has_property(const std::string& path);

class EventNames {
 public:
  // Events that threads were at; cheap.
  void see(const Explored& execution);

  // The names of the properties that these belong to, each once. Events of a schedule of a unit
  // test are of none, nor are those of a program without symbols.
  std::vector<std::string> properties(const std::string& maps);

  DelayReport named(const EventDelays& delays, const std::string& maps);

 private:
  Symbolizer symbols_;
  std::set<std::uint64_t> sites_;
};

}  // namespace raddle
