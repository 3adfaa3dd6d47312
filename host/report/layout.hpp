// What the text printers share: colours, padding, wrapping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/describe/failure.hpp"
#include "host/report/text.hpp"

namespace raddle {

enum class Paint { kPlain, kVerdict, kThread, kFaint };

std::string painted(std::string text, Paint paint, const TextOptions& options);

// The text in lines of at most `width` columns, broken at spaces where there are any; lines after
// the first are indented. Never empty.
std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t indent);

std::string padded(std::string text, std::size_t width);

// Removes spaces at the end, then ends the line.
void end_line(std::string& out);

std::size_t usable_width(const TextOptions& options);

// The text as a paragraph of its own: wrapped to the screen, all of it indented, lines after the
// first by `hanging` more.
void add_lines(std::string& out, const std::string& text, std::size_t indent, std::size_t hanging,
               Paint paint, const TextOptions& options);

// The text where the output stands, which is at column `at`; what does not fit into `width` goes
// below it.
void add_wrapped(std::string& out, const std::string& text, std::size_t at, std::size_t width,
                 Paint paint, const TextOptions& options);

// One step of one thread, in the order of execution.
struct MergedStep {
  const ThreadLine* thread;
  const StepLine* step;
};
std::vector<MergedStep> merged_steps(const Failure& failure);

}  // namespace raddle
