// C++ names and types as tokens, so that what somebody writes and what a demangler prints become
// the same: `const Fork &` and `Fork const&`, `std::string` and `std::__cxx11::basic_string<char,
// ...>`. The tool and the compiler's pass use this; nothing here throws or has state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace raddle::pointcut {

// Words and punctuation. In a pattern a word may hold `*`, which stands for any letters; the word
// "*" stands for any type.
using Tokens = std::vector<std::string>;

enum class Source {
  text,     // a name without wildcards: `*` is a pointer
  pattern,  // `Fork*` is a pointer, `*` alone, `*Fork` and `Fo*k` are wildcards
  name      // the name of a function in a pattern: `add*` is a wildcard, too
};

bool is_word(const std::string& token);
bool in_word(char c);

Tokens tokens_of(std::string_view text, Source source);

// The parts between separators (`,` or `::`) that are in no brackets. Empty for no tokens.
std::vector<Tokens> split(const Tokens& tokens, const char* separator);

// `*` in the pattern stands for any letters.
bool same_word(std::string_view pattern, std::string_view word);

// Whether the type is one that the pattern names. Template arguments that the pattern leaves out,
// all or the last ones, may be any.
bool same_type(const Tokens& pattern, const Tokens& type);

std::string text_of(const Tokens& tokens);

}  // namespace raddle::pointcut
