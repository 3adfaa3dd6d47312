#include "prevent/mop/text.hpp"

#include <cctype>
#include <vector>

namespace raddle::mop {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::size_t skip_comment(std::string_view text, std::size_t at) {
  if (text.compare(at, 2, "//") == 0) {
    const std::size_t end = text.find('\n', at);
    return end == std::string_view::npos ? text.size() : end;
  }
  if (text.compare(at, 2, "/*") != 0) return at;
  const std::size_t end = text.find("*/", at + 2);
  if (end == std::string_view::npos) throw Mistake{at, "expected `*/` at the end of this comment"};
  return end + 2;
}

// R"tag( ... )tag"
std::size_t skip_raw_string(std::string_view text, std::size_t at) {
  const std::size_t open = text.find('(', at);
  if (open == std::string_view::npos || open - at > 18)
    throw Mistake{at, "expected `(` after the beginning of a raw string"};
  const std::string end = ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
  const std::size_t close = text.find(end, open);
  if (close == std::string_view::npos)
    throw Mistake{at, "expected `" + end + "` at the end of this string"};
  return close + end.size();
}

std::size_t skip_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  throw Mistake{at, std::string("expected a second `") + quote + "` on this line"};
}

}  // namespace

bool begins_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool in_identifier(char c) {
  return begins_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

Position position_of(std::string_view text, std::size_t at) {
  Position out;
  for (std::size_t i = 0; i < at && i < text.size(); ++i) {
    ++out.column;
    if (text[i] == '\n') {
      ++out.line;
      out.column = 1;
    }
  }
  return out;
}

std::string message(const std::string& file, std::string_view text, const Mistake& mistake) {
  const std::size_t at = mistake.at < text.size() ? mistake.at : text.size();
  const Position position = position_of(text, at);
  std::size_t begin = at;
  while (begin > 0 && text[begin - 1] != '\n') --begin;
  std::size_t end = at;
  while (end < text.size() && text[end] != '\n' && text[end] != '\r') ++end;
  std::string line;
  std::string caret;
  for (std::size_t i = begin; i < end; ++i) {
    const bool control = std::iscntrl(static_cast<unsigned char>(text[i])) != 0;
    line += control ? ' ' : text[i];
    if (i < at) caret += ' ';
  }
  return file + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) +
         ": error: " + mistake.expected + "\n  " + line + "\n  " + caret + "^\n";
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  for (;;) {
    while (at < text.size() && is_space(text[at])) ++at;
    const std::size_t behind = at < text.size() ? skip_comment(text, at) : at;
    if (behind == at) return at;
    at = behind;
  }
}

std::size_t skip_literal(std::string_view text, std::size_t at) {
  if (at >= text.size()) return at;
  const std::size_t behind = skip_comment(text, at);
  if (behind != at) return behind;
  const bool in_word = at > 0 && in_identifier(text[at - 1]);
  if (text.compare(at, 2, "R\"") == 0 && !in_word) return skip_raw_string(text, at);
  if (text[at] == '"') return skip_quoted(text, at);
  // 1'000 has no character in it.
  const bool digits = at > 0 && std::isxdigit(static_cast<unsigned char>(text[at - 1])) != 0 &&
                      at + 1 < text.size() &&
                      std::isxdigit(static_cast<unsigned char>(text[at + 1])) != 0;
  if (text[at] == '\'' && !digits) return skip_quoted(text, at);
  return at;
}

std::size_t skip_brackets(std::string_view text, std::size_t at) {
  struct Open {
    std::size_t at;
    char closes;
  };
  std::vector<Open> open;
  // What is missing belongs to the bracket, however far behind it somebody notices.
  const auto unclosed = [&](const std::string& found) {
    return Mistake{open.back().at, std::string("expected `") + open.back().closes + "` for this `" +
                                       text[open.back().at] + "` before " + found};
  };
  while (at < text.size()) {
    const std::size_t behind = skip_literal(text, at);
    if (behind != at) {
      at = behind;
      continue;
    }
    const char c = text[at];
    if (c == '(' || c == '[' || c == '{')
      open.push_back({at, c == '(' ? ')' : c == '[' ? ']' : '}'});
    if (c == ')' || c == ']' || c == '}') {
      if (open.empty()) throw Mistake{at, std::string("expected `;` before `") + c + "`"};
      if (open.back().closes != c) throw unclosed(std::string("`") + c + "`");
      open.pop_back();
    }
    ++at;
    if (open.empty()) return at;
  }
  throw unclosed("the end of the file");
}

std::string without_comments(std::string_view text) {
  std::string out(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comment = skip_comment(text, at);
    for (std::size_t i = at; i < comment; ++i)
      if (out[i] != '\n') out[i] = ' ';
    at = comment == at ? at + 1 : comment;
  }
  return out;
}

bool mentions(std::string_view code, std::string_view identifier) {
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t behind = skip_literal(code, at);
    if (behind != at) {
      at = behind;
      continue;
    }
    if (!begins_identifier(code[at])) {
      // A number's letters are no identifier.
      const bool digit = std::isdigit(static_cast<unsigned char>(code[at])) != 0;
      ++at;
      while (digit && at < code.size() && in_identifier(code[at])) ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < code.size() && in_identifier(code[at])) ++at;
    if (code.substr(begin, at - begin) == identifier) return true;
  }
  return false;
}

bool is_blank(std::string_view code) { return skip_space(code, 0) == code.size(); }

}  // namespace raddle::mop
