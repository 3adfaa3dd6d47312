// What the text printers share: colours, padding, wrapping. Called by text.cpp and columns.cpp.
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

std::string thread_title(const ThreadLine& thread);  // T1 "teller-1"

// One step of one thread, in the order of execution.
struct MergedStep {
  const ThreadLine* thread;
  const StepLine* step;
};
std::vector<MergedStep> merged_steps(const Failure& failure);

}  // namespace raddle
