// The lines of source that a report shows. Used by the page's data.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "host/symbols/frame.hpp"

namespace raddle {

// Collects the places that are shown, then reads the lines around them.
class ShownSources {
 public:
  void add(const Where& where);
  // [{file, parts: [{first, lines}]}]; without the files that cannot be read.
  nlohmann::ordered_json json() const;

 private:
  std::map<std::string, std::set<std::uint32_t>> lines_;  // by file
};

}  // namespace raddle
