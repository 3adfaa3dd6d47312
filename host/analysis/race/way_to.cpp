#include "host/analysis/race/way_to.hpp"

#include <fmt/format.h>

#include <vector>

#include "host/symbols/place.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostFrames = 5;

// A name that nothing demangles says less than its caller's.
bool is_named(const SiteFrame& frame) {
  return !frame.function.empty() && !frame.file.empty() && !frame.function.starts_with("std::") &&
         !frame.function.starts_with("__gnu_cxx::") && !frame.function.starts_with("_Z");
}

}  // namespace

std::string way_to(const Site& access, std::span<const SiteId> stack, const ExecutionState& state) {
  std::vector<std::string> parts;
  std::string first_file;
  std::string file;
  std::string function;
  for (const SiteFrame& frame : access.frames) {
    if (!is_named(frame)) continue;
    file = frame.file;
    function = frame.function;
    if (parts.empty()) first_file = file;
    parts.push_back(
        fmt::format("{} ({}:{})", without_long_arguments(function), base_name(file), frame.line));
  }
  for (const SiteId id : stack) {
    if (parts.empty() || !is_system_header(file)) break;
    const std::vector<SiteFrame>& frames = state.site(id).frames;
    if (frames.empty() || !is_named(frames.front()) || frames.front().function == function)
      continue;
    file = frames.front().file;
    function = frames.front().function;
    parts.push_back(without_long_arguments(function));
  }
  if (parts.size() < 2 || file == first_file) return {};
  std::string words = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (i + 1 < kMostFrames || i + 1 == parts.size()) {
      words += " < " + parts[i];
    } else if (i + 1 == kMostFrames) {
      words += " < ...";
    }
  }
  return words;
}

}  // namespace raddle
