// Output formats: `--format NAME` of every command, and `--NAME FILE` of those that find something.
// A format is a file, in this folder or in one of its own, and a line in RADDLE_FORMATS. It turns a
// finished command's Document into output, and knows no command. Called by cli/, which prints or
// saves what a format returns.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "host/report/document/document.hpp"
#include "host/report/filtered_trace.hpp"

namespace raddle {

struct Format {
  const char* name;     // as the user types it
  const char* summary;  // a few words for --help
  // Standard output has this and nothing else: what the program prints is captured.
  bool owns_output = false;
  // Commands that find something take `--NAME FILE`: what the file is for. Null: they do not.
  const char* to_file = nullptr;
  // The whole output, with its last '\n'. The look is that of the stream that it goes to.
  std::string (*write)(const Document& document, const TextOptions& look) = nullptr;
  // Prints the events of a trace while they are read. A format without it shows a trace as it
  // shows any other document: the figures.
  std::unique_ptr<FilteredTrace> (*trace)(const TraceFilter& filter, const TextOptions& look,
                                          const TextOut& out) = nullptr;
};

// X(name): the format is NAME_format, defined in formats/NAME.cpp or NAME/NAME.cpp. The first is
// the default.
#define RADDLE_FORMATS(X) \
  X(text)                 \
  X(json)                 \
  X(sarif)                \
  X(junit)                \
  X(markdown)             \
  X(gcc)                  \
  X(html)                 \
  X(perfetto)             \
  X(dot)

#define RADDLE_FORMAT_DECLARED(name) extern const Format name##_format;
RADDLE_FORMATS(RADDLE_FORMAT_DECLARED)
#undef RADDLE_FORMAT_DECLARED

using Formats = std::span<const Format* const>;

// All of them, in the order of the table.
Formats formats();

// Null if there is no such format.
const Format* find_format(Formats formats, std::string_view name);

}  // namespace raddle
