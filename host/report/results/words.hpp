// Small pieces of text that the reports and the commands share. Pure: nothing here prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/report/text.hpp"

namespace raddle {

// The text in bold, or as it is.
std::string bold(std::string_view text, const TextOptions& options);

// "1 thread", "3 threads".
std::string counted(unsigned long long number, const char* noun);

// "1590 bytes", "12 kB", "3 MB".
std::string size_text(std::uint64_t bytes);

// Breaks words so that lines fit, indented by `indent`; ends with '\n'.
std::string paragraph(std::string_view text, std::size_t width, std::size_t indent);

// This tool as the user called it, for commands to be pasted.
std::string tool_name();

// As a shell would need it: quoted if it has to be.
std::string shell_quoted(const std::string& text);

// What a campaign does not see of a program that is not instrumented, and what would.
std::string synchronisation_only_text();

// That so few executions, in so many seconds, are no search, and what to do; empty if they are
// many.
std::string few_executions_text(std::uint64_t executions, double seconds);

// "   again    raddle replay FILE" and the same with gdb; `gap` spaces after each label.
std::string replay_lines(const std::string& path, std::size_t gap = 4);

}  // namespace raddle
