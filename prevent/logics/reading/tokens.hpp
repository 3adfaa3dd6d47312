// The words and signs of a formula, for the parsers of the logics: one token at a time, with its
// offset. White space and // and /* */ comments separate tokens.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "prevent/logics/logic.hpp"

namespace raddle::logics {

// Thrown inside a parser, caught where it is called: Reading never escapes a compile function.
class ReadingError : public std::runtime_error {
 public:
  ReadingError(std::size_t at, const std::string& expected)
      : std::runtime_error(expected), error{at, expected, -1} {}
  CompileError error;
};

struct Token {
  enum class Kind { word, sign, number, end };
  Kind kind = Kind::end;
  std::string_view text;
  std::size_t at = 0;
};

class Tokens {
 public:
  // `signs`: the longest that fits is taken, so "<=>" may stand beside "<".
  Tokens(std::string_view text, std::vector<std::string_view> signs);

  const Token& peek() const { return token_; }
  Token take();
  bool at_end() const { return token_.kind == Token::Kind::end; }
  bool is(std::string_view text) const {
    return token_.kind != Token::Kind::end && token_.text == text;
  }
  bool is_word() const { return token_.kind == Token::Kind::word; }
  // Takes it if it is next.
  bool accept(std::string_view text);
  void expect(std::string_view text, const char* after);
  Token expect_word(const char* what);
  // "expected WHAT, found `x`", at the next token.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void advance();
  void skip_space();

  std::string_view text_;
  std::vector<std::string_view> signs_;
  std::size_t next_ = 0;
  Token token_;
};

// The number of the event that the word names; the error lists those that there are.
EventId event_of(const Token& word, const std::vector<std::string>& events);

std::string list_of(const std::vector<std::string>& names);

}  // namespace raddle::logics
