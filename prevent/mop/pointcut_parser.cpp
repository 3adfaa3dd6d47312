#include <algorithm>

#include "prevent/mop/syntax.hpp"

namespace raddle::mop {
namespace {

constexpr int kDeepest = 100;  // parentheses in parentheses

struct Word {
  const char* name;
  Primitive primitive;
};
constexpr Word kWords[] = {
    {"call", Primitive::call},
    {"execution", Primitive::execution},
    {"target", Primitive::target},
    {"this", Primitive::self},
    {"args", Primitive::args},
    {"condition", Primitive::condition},
    {"threadName", Primitive::thread_name},
    {"threadBlocked", Primitive::thread_blocked},
    {"startThread", Primitive::start_thread},
    {"endThread", Primitive::end_thread},
    {"endProgram", Primitive::end_program},
};
constexpr char kExpected[] =
    "expected a pointcut: call(..), execution(..), target(x), this(x), args(x), condition(e), "
    "threadName(\"t\"), threadBlocked(t), startThread(), endThread(), endProgram(), `!` or `(`";

class Parser {
 public:
  Parser(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  Pointcut either(int depth) { return chain(depth, "||", Pointcut::Kind::either); }
  std::size_t at() const { return at_; }

 private:
  bool take(const char* token) {
    at_ = skip_space(text_, at_);
    const std::string_view wanted(token);
    if (text_.compare(at_, wanted.size(), wanted) != 0) return false;
    at_ += wanted.size();
    return true;
  }

  Pointcut chain(int depth, const char* op, Pointcut::Kind kind) {
    const bool outer = kind == Pointcut::Kind::either;
    const auto part = [&] { return outer ? chain(depth, "&&", Pointcut::Kind::both) : one(depth); };
    Pointcut first = part();
    if (!take(op)) return first;
    Pointcut out;
    out.kind = kind;
    out.at = first.at;
    out.parts.push_back(std::move(first));
    do {
      out.parts.push_back(part());
    } while (take(op));
    return out;
  }

  Pointcut one(int depth) {
    at_ = skip_space(text_, at_);
    const std::size_t begin = at_;
    if (depth > kDeepest) throw Mistake{at_, "expected fewer parentheses inside each other"};
    if (take("!")) {
      Pointcut out;
      out.kind = Pointcut::Kind::negation;
      out.at = begin;
      out.parts.push_back(one(depth + 1));
      return out;
    }
    if (take("(")) {
      Pointcut inner = either(depth + 1);
      if (!take(")")) throw Mistake{at_, "expected `)`, `&&` or `||`"};
      return inner;
    }
    return primitive();
  }

  Pointcut primitive() {
    Pointcut out;
    out.at = at_;
    std::size_t end = at_;
    while (end < text_.size() && in_identifier(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    const auto* word = std::find_if(std::begin(kWords), std::end(kWords),
                                    [&](const Word& w) { return name == w.name; });
    if (word == std::end(kWords)) throw Mistake{at_, kExpected};
    out.primitive = word->primitive;
    at_ = end;
    if (!take("(")) throw Mistake{at_, "expected `(` after `" + std::string(name) + "`"};
    const std::size_t open = at_ - 1;
    // Java's specifications, whose call(..) may lack a parenthesis, are not C++ either.
    const std::size_t close = skip_brackets(text_, open);
    out.code = {std::string(text_.substr(open + 1, close - open - 2)), open + 1};
    at_ = close;
    read_inside(out);
    return out;
  }

  static void read_inside(Pointcut& out) {
    switch (out.primitive) {
      case Primitive::call:
      case Primitive::execution: {
        auto parsed = pointcut::parse_signature(out.code.text);
        if (const auto* error = std::get_if<pointcut::SignatureError>(&parsed))
          throw Mistake{out.code.at + error->at, error->expected};
        out.signature = std::move(std::get<pointcut::Signature>(parsed));
        return;
      }
      case Primitive::target:
      case Primitive::self:
        names(out);
        if (out.names.size() != 1 || !begins_identifier(out.names[0][0]))
          throw Mistake{out.code.at, "expected the name of one parameter of the event"};
        return;
      case Primitive::args:
        return names(out);
      case Primitive::condition:
      case Primitive::thread_blocked:
        if (is_blank(out.code.text)) throw Mistake{out.code.at, "expected an expression"};
        return;
      case Primitive::thread_name: {
        const std::size_t begin = skip_space(out.code.text, 0);
        if (begin >= out.code.text.size() || out.code.text[begin] != '"')
          throw Mistake{out.code.at + begin, "expected the name of a thread, such as \"worker\""};
        return;
      }
      case Primitive::start_thread:
      case Primitive::end_thread:
      case Primitive::end_program:
        if (!is_blank(out.code.text)) throw Mistake{out.code.at, "expected `)`"};
        return;
    }
  }

  // Comma between names, `*` and `..`.
  static void names(Pointcut& out) {
    const std::string& text = out.code.text;
    std::size_t at = skip_space(text, 0);
    if (at == text.size()) return;
    for (bool several = false;;) {
      std::size_t end = at;
      while (end < text.size() && in_identifier(text[end])) ++end;
      if (end == at && text.compare(at, 2, "..") == 0) end += 2;
      if (end == at && text.compare(at, 1, "*") == 0) ++end;
      if (end == at)
        throw Mistake{out.code.at + at, "expected the name of a parameter, `*` or `..`"};
      out.names.push_back(text.substr(at, end - at));
      if (out.names.back() == "..") {
        if (several) throw Mistake{out.code.at + at, "expected `..` only once"};
        several = true;
      }
      at = skip_space(text, end);
      if (at == text.size()) return;
      if (text[at] != ',') throw Mistake{out.code.at + at, "expected `,` or `)`"};
      at = skip_space(text, at + 1);
    }
  }

  std::string_view text_;
  std::size_t at_;
};

std::vector<Case> cases(const Pointcut& pointcut, bool negated) {
  std::vector<Case> out;
  switch (pointcut.kind) {
    case Pointcut::Kind::primitive:
      return {{{&pointcut, negated}}};
    case Pointcut::Kind::negation:
      return cases(pointcut.parts[0], !negated);
    case Pointcut::Kind::both:
    case Pointcut::Kind::either:
      break;
  }
  const bool either = (pointcut.kind == Pointcut::Kind::either) != negated;
  if (!either) out.emplace_back();
  for (const Pointcut& part : pointcut.parts) {
    std::vector<Case> more = cases(part, negated);
    if (either) {
      std::move(more.begin(), more.end(), std::back_inserter(out));
    } else {
      std::vector<Case> product;
      for (const Case& one : out) {
        for (const Case& other : more) {
          product.push_back(one);
          product.back().insert(product.back().end(), other.begin(), other.end());
          if (product.size() > kMostCases) break;
        }
      }
      out = std::move(product);
    }
    if (out.size() > kMostCases)
      throw Mistake{pointcut.at, "expected at most " + std::to_string(kMostCases) +
                                     " alternatives in one event, with `||` between them"};
  }
  return out;
}

}  // namespace

Pointcut parse_pointcut(std::string_view text, std::size_t& at) {
  Parser parser(text, at);
  Pointcut out = parser.either(0);
  at = skip_space(text, parser.at());
  return out;
}

std::vector<Case> cases_of(const Pointcut& pointcut) { return cases(pointcut, false); }

}  // namespace raddle::mop
