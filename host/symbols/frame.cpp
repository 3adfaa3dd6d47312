#include "host/symbols/frame.hpp"

#include <fmt/format.h>

#include "host/symbols/place.hpp"

namespace raddle {

std::string place_text(const Where& where) {
  if (where.file.empty()) return where.function;
  return where.line == 0 ? where.file : fmt::format("{}:{}", where.file, where.line);
}

std::string short_place(const Where& where) {
  // The optimiser may drop a line: then the function says more than the file.
  const bool lost = where.line == 0 && !where.function.empty();
  if (where.file.empty() || lost) return where.function;
  const std::string file = base_name(where.file);
  return where.line == 0 ? file : fmt::format("{}:{}", file, where.line);
}

}  // namespace raddle
