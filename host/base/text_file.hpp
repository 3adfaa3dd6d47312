// Small text files that a user wrote: suppressions, baselines.
#pragma once

#include <string>
#include <string_view>

#include "host/base/result.hpp"

namespace raddle {

// The whole file, which may be a pipe; an error for more than a few megabytes, since a device would
// never end. The error is one line that names the file.
Result<std::string> read_text_file(const std::string& path);

// Takes the first line off the text: without its end, and without white space around it.
std::string_view take_line(std::string_view& text);

// A part of the text in quotes for a message: short, without control characters.
std::string in_quotes(std::string_view text);

}  // namespace raddle
