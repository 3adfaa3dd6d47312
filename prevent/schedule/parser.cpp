// Recursive descent, by hand: the library is linked into the tests of others, so it brings no
// parser generator along, and each error is a sentence about the place where it was found.
//
//   schedule  = { rule [","] }
//   rule      = section "!->" section | condition "->" event { "->" event }
//   section   = event ".." event
//   condition = all { "||" all }
//   all       = one { "&&" one }
//   one       = event | "[" event "]" | "(" condition ")"
//   event     = name { "." name } [ "@" name ] [ "#" number | "+" ]
#include <cctype>
#include <optional>
#include <utility>

#include "prevent/schedule/syntax.hpp"

namespace raddle::schedule {
namespace {

constexpr int kDeepest = 100;  // parentheses in parentheses

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  std::variant<Syntax, ParseError> run() {
    Syntax syntax;
    syntax.text = text_;
    space();
    if (at_ == text_.size()) fail("expected an ordering, such as `a -> b`");
    while (!error_ && at_ < text_.size()) {
      rule(syntax);
      if (!take(",") && !at_rule()) fail("expected `->`, `,` or the end of the schedule");
    }
    if (error_) return *error_;
    return syntax;
  }

 private:
  // At the begin of one, or at the end of the text.
  bool at_rule() const {
    return at_ == text_.size() || begins_name(text_[at_]) || ahead("[") || ahead("(");
  }

  void rule(Syntax& syntax) {
    const std::size_t begin = at_;
    Condition condition = either(0);
    if (error_) return;
    if (ahead("..")) {
      at_ = begin;
      return exclusion(syntax);
    }
    if (!take("->")) {
      return fail(ahead("!->")
                      ? "expected `..` before `!->`, which is between sections: `a..b !-> c..d`"
                      : "expected `->`, `&&` or `||` after `" + condition.text() + "`");
    }
    EventRef target = event("after `->`");
    while (!error_) {
      syntax.orderings.push_back({std::move(condition), target});
      if (!take("->")) return;
      condition = {Condition::Kind::event, target, {}};
      target = event("after `->`");
    }
  }

  void exclusion(Syntax& syntax) {
    Section first = section();
    if (!error_ && !take("!->"))
      fail("expected `!->` and a second section after `" + first.text() + "`");
    if (error_) return;
    Section second = section();
    if (!error_) syntax.exclusions.push_back({std::move(first), std::move(second)});
  }

  Section section() {
    Section out;
    out.begin = plain_event("at the beginning of a section");
    if (!error_ && !take(".."))
      fail("expected `..` and the event that ends the section after `" + out.begin.text() + "`");
    if (!error_) out.end = plain_event("after `..`");
    if (!error_ && same_event(out.begin, out.end)) {
      fail_at(out.end.at, "expected another event: a section begins and ends with different ones");
    }
    return out;
  }

  EventRef plain_event(const char* where) {
    EventRef out = event(where);
    if (!error_ && (out.every || out.number > 1)) {
      fail_at(out.at,
              "expected an event without a number: a section counts each time its events happen");
    }
    return out;
  }

  Condition either(int depth) { return chain(depth, "||", Condition::Kind::either); }
  Condition both(int depth) { return chain(depth, "&&", Condition::Kind::both); }

  Condition chain(int depth, const char* op, Condition::Kind kind) {
    const bool outer = kind == Condition::Kind::either;
    Condition first = outer ? both(depth) : one(depth);
    if (error_ || !ahead(op)) return first;
    Condition out{kind, {}, {}};
    out.parts.push_back(std::move(first));
    while (!error_ && take(op)) out.parts.push_back(outer ? both(depth) : one(depth));
    return out;
  }

  Condition one(int depth) {
    if (depth > kDeepest) fail("expected fewer parentheses inside each other");
    if (error_) return {};
    if (take("(")) {
      Condition inner = either(depth + 1);
      if (!error_ && !take(")")) fail("expected `)`, `&&` or `||` after `" + inner.text() + "`");
      return inner;
    }
    if (take("[")) {
      Condition out{Condition::Kind::block, event("after `[`"), {}};
      if (!error_ && !take("]")) fail("expected `]` after `" + out.event.text() + "`");
      return out;
    }
    return {Condition::Kind::event, event(nullptr), {}};
  }

  EventRef event(const char* where) {
    EventRef out;
    if (error_) return out;
    out.at = at_;
    out.name = name();
    if (out.name.empty()) {
      fail(where != nullptr ? std::string("expected an event ") + where
                            : "expected an event, `[` or `(`");
      return out;
    }
    while (at_ + 1 < text_.size() && text_[at_] == '.' && begins_name(text_[at_ + 1])) {
      ++at_;
      out.name += "." + name();
    }
    if (take_here('@')) {
      out.thread = name();
      if (out.thread.empty()) fail("expected the name of a thread after `@`");
    } else if (out.name == "start" || out.name == "end") {
      fail("expected `@` and the name of a thread after `" + out.name +
           "`, which is an event of threads");
    }
    if (!error_) repetition(out);
    space();
    return out;
  }

  void repetition(EventRef& out) {
    if (take_here('+')) {
      out.every = true;
    } else if (take_here('#')) {
      const std::size_t begin = at_;
      unsigned number = 0;
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 &&
             number < 100'000)
        number = number * 10 + unsigned(text_[at_++] - '0');
      if (number == 0 || number > 100'000)
        return fail_at(begin, "expected a number from 1 to 100000 after `#`");
      out.number = number;
      if (at_ < text_.size() && text_[at_] == '@')
        fail("expected `@` before `#`: `" + out.name + "@thread#" + std::to_string(number) + "`");
    }
  }

  std::string name() {
    const std::size_t begin = at_;
    if (at_ < text_.size() && begins_name(text_[at_]))
      while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool ahead(const char* token) const {
    return text_.compare(at_, std::char_traits<char>::length(token), token) == 0;
  }
  bool take(const char* token) {
    if (error_ || !ahead(token)) return false;
    at_ += std::char_traits<char>::length(token);
    space();
    return true;
  }
  bool take_here(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void fail(std::string expected) { fail_at(at_, std::move(expected)); }
  void fail_at(std::size_t at, std::string expected) {
    // What is missing at the end is missing after the last word, not on an empty line.
    const std::size_t last = text_.find_last_not_of(" \t\r\n");
    if (at == text_.size() && last != std::string::npos) at = last + 1;
    if (!error_) error_ = ParseError{at, std::move(expected)};
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::optional<ParseError> error_;
};

}  // namespace

std::variant<Syntax, ParseError> parse(const std::string& text) { return Parser(text).run(); }

}  // namespace raddle::schedule
