#include "prevent/logics/reading/tokens.hpp"

#include <algorithm>
#include <cctype>

namespace raddle::logics {
namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool in_word(char c) { return starts_word(c) || is_digit(c); }

}  // namespace

Tokens::Tokens(std::string_view text, std::vector<std::string_view> signs)
    : text_(text), signs_(std::move(signs)) {
  std::sort(signs_.begin(), signs_.end(),
            [](std::string_view a, std::string_view b) { return a.size() > b.size(); });
  advance();
}

void Tokens::skip_space() {
  while (next_ < text_.size()) {
    const std::string_view rest = text_.substr(next_);
    if (std::isspace(static_cast<unsigned char>(rest[0])) != 0) {
      ++next_;
    } else if (rest.substr(0, 2) == "//") {
      next_ = std::min(text_.find('\n', next_), text_.size());
    } else if (rest.substr(0, 2) == "/*") {
      const std::size_t end = text_.find("*/", next_ + 2);
      if (end == std::string_view::npos)
        throw ReadingError(next_, "this comment has no end: expected `*/`");
      next_ = end + 2;
    } else {
      return;
    }
  }
}

void Tokens::advance() {
  skip_space();
  token_ = {Token::Kind::end, {}, next_};
  if (next_ == text_.size()) return;
  const std::string_view rest = text_.substr(next_);
  std::size_t length = 0;
  for (const std::string_view sign : signs_) {
    if (!starts_word(sign[0]) && rest.substr(0, sign.size()) == sign) {
      token_.kind = Token::Kind::sign;
      length = sign.size();
      break;
    }
  }
  if (length == 0 && in_word(rest[0])) {
    token_.kind = is_digit(rest[0]) ? Token::Kind::number : Token::Kind::word;
    while (length < rest.size() && in_word(rest[length])) ++length;
  }
  if (length == 0)
    throw ReadingError(next_, "`" + std::string(1, rest[0]) + "` means nothing in this logic");
  token_.text = rest.substr(0, length);
  next_ += length;
}

Token Tokens::take() {
  const Token out = token_;
  advance();
  return out;
}

bool Tokens::accept(std::string_view text) {
  if (!is(text)) return false;
  advance();
  return true;
}

void Tokens::expect(std::string_view text, const char* after) {
  if (!accept(text)) fail("`" + std::string(text) + "` " + after);
}

Token Tokens::expect_word(const char* what) {
  if (!is_word()) fail(what);
  return take();
}

void Tokens::fail(const std::string& what) const {
  const std::string found = at_end() ? "the end" : "`" + std::string(token_.text) + "`";
  throw ReadingError(token_.at, "expected " + what + ", found " + found);
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "`" : ", `") + name + "`";
  return out.empty() ? "none" : out;
}

EventId event_of(const Token& word, const std::vector<std::string>& events) {
  const auto found = std::find(events.begin(), events.end(), word.text);
  if (found == events.end())
    throw ReadingError(word.at, "`" + std::string(word.text) +
                                    "` is no event of this property; its events are " +
                                    list_of(events));
  return EventId(found - events.begin());
}

}  // namespace raddle::logics
