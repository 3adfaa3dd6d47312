// The text of /proc/PID/maps as the objects loaded there. Called by the symbolizer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace raddle {

// One loaded object: neighbouring mappings of one file, at least one of them executable. Also
// "[vdso]", which has no file.
struct LoadedObject {
  std::string path;
  std::string identity;    // device and inode: a rebuilt file is another object
  std::uint64_t low = 0;   // load address
  std::uint64_t high = 0;  // end of the last mapping; zero-initialised data may lie beyond

  bool operator==(const LoadedObject&) const = default;
};

// Lines that make no sense are skipped: the text may be cut short.
std::vector<LoadedObject> parse_maps(std::string_view maps);

}  // namespace raddle
