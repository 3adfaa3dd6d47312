// Where the text goes, and how it may look there.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "host/base/printable.hpp"
#include "host/report/text.hpp"

namespace raddle {

// Descriptors 0 to 2 that are closed would be taken by files of ours; call this first of all.
void open_missing_streams();

bool is_terminal(std::FILE* stream);

// Colour on a terminal without NO_COLOR; its width, or 80.
TextOptions text_options(std::FILE* stream);

// The text in bold, or as it is.
std::string bold(std::string_view text, const TextOptions& options);

// "1 thread", "3 threads".
std::string counted(unsigned long long number, const char* noun);

// Breaks words so that lines fit, indented by `indent`; ends with '\n'.
std::string paragraph(std::string_view text, std::size_t width, std::size_t indent);

// This tool as the user called it, for commands to be pasted.
std::string tool_name();

// Writes to standard output / standard error at once.
void print(std::string_view text);
void complain(std::string_view text);

// "raddle: TEXT" on standard error.
void error_line(std::string_view text);

// False if something written with print() got lost; says so on standard error.
bool output_complete();

}  // namespace raddle
