// Where the text goes, and how it may look there.
#pragma once

#include <cstdio>
#include <string_view>

#include "host/report/text.hpp"

namespace raddle {

// Descriptors 0 to 2 that are closed would be taken by files of ours; call this first of all.
void open_missing_streams();

bool is_terminal(std::FILE* stream);

// Colour on a terminal without NO_COLOR; its width, or 80.
TextOptions text_options(std::FILE* stream);

// Writes to standard output / standard error at once.
void print(std::string_view text);
void complain(std::string_view text);

// "raddle: TEXT" on standard error.
void error_line(std::string_view text);

// The same, and the exit status for it: something is wrong with what the user gave.
int fail(std::string_view error);

// False if something written with print() got lost; says so on standard error.
bool output_complete();

}  // namespace raddle
