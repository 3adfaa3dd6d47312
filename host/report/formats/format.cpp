#include "host/report/formats/format.hpp"

namespace raddle {

Formats formats() {
#define RADDLE_FORMAT_ENTRY(name) &name##_format,
  static constexpr const Format* kFormats[] = {RADDLE_FORMATS(RADDLE_FORMAT_ENTRY)};
#undef RADDLE_FORMAT_ENTRY
  return kFormats;
}

const Format* find_format(Formats formats, std::string_view name) {
  for (const Format* format : formats) {
    if (name == format->name) return format;
  }
  return nullptr;
}

}  // namespace raddle
