// A specification file as text: where something is, how a mistake is shown, and where pieces of C++
// in it end. Positions are offsets in the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace raddle::mop {

// What is wrong with a specification. Thrown inside the tool; whoever has the file makes a message.
struct Mistake {
  std::size_t at = 0;
  std::string expected;  // a sentence: "expected `{` after the header"
};

struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

Position position_of(std::string_view text, std::size_t at);

// "file:3:12: error: expected ...", the line and a caret under the place.
std::string message(const std::string& file, std::string_view text, const Mistake& mistake);

bool begins_identifier(char c);
bool in_identifier(char c);

// Behind spaces and comments.
std::size_t skip_space(std::string_view text, std::size_t at);

// Behind the string, character or comment that begins here; `at` itself if none does.
std::size_t skip_literal(std::string_view text, std::size_t at);

// Behind the bracket that closes the one at `at`, as C++ reads it. Throws Mistake.
std::size_t skip_brackets(std::string_view text, std::size_t at);

// The same text with spaces instead of comments.
std::string without_comments(std::string_view text);

// Whether C++ code uses the identifier.
bool mentions(std::string_view code, std::string_view identifier);

bool is_blank(std::string_view code);

}  // namespace raddle::mop
