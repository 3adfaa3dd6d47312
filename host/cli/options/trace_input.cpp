#include "host/cli/options/trace_input.hpp"

#include <fmt/format.h>

#include <fstream>

#include "host/base/printable.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/trace/rapid_format.hpp"

namespace raddle {
namespace {

// "T0|r(V1)|345"
bool looks_like_std(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[256] = {};
  file.read(start, sizeof start - 1);
  std::string_view line(start, static_cast<std::size_t>(file.gcount()));
  line = line.substr(0, line.find('\n'));
  const std::size_t first = line.find('|');
  const std::size_t open = line.find('(');
  const std::size_t last = line.rfind('|');
  return first != std::string_view::npos && open != std::string_view::npos && first < open &&
         open < last;
}

}  // namespace

Result<ReadSummary> read_input(const TraceInput& input, EventSink& sink) {
  const ReadOptions options{.salvage = input.salvage};
  const bool as_std =
      input.from == "std" ||
      (input.from == "auto" && !has_trace_magic(input.file) && looks_like_std(input.file));
  return as_std ? read_std(input.file, sink, options) : read_trace(input.file, sink, options);
}

void note_input(const TraceInput& input, const ReadSummary& summary) {
  if (summary.damage) {
    error_line(fmt::format("{}: damaged at byte {}: {}; what came before it was read",
                           printable(input.file), summary.damage->offset,
                           printable(summary.damage->what)));
  }
  if (summary.live) {
    error_line(
        fmt::format("{} is still being recorded: read as far as it went", printable(input.file)));
  }
}

}  // namespace raddle
