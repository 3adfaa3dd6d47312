#include "prevent/pointcut/signature.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace raddle::pointcut {
namespace {

bool space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string joined(const std::vector<Tokens>& scope) {
  std::string out;
  for (const Tokens& part : scope) out += (out.empty() ? "" : "::") + text_of(part);
  return out;
}

bool any_number(const Tokens& tokens) { return tokens.size() == 1 && tokens[0] == ".."; }

bool same_parameters(const std::vector<Tokens>& wanted, std::size_t w,
                     const std::vector<Tokens>& given, std::size_t g) {
  if (w == wanted.size()) return g == given.size();
  if (any_number(wanted[w])) {
    for (std::size_t i = g; i <= given.size(); ++i)
      if (same_parameters(wanted, w + 1, given, i)) return true;
    return false;
  }
  return g < given.size() && (given[g].empty() || same_type(wanted[w], given[g])) &&
         same_parameters(wanted, w + 1, given, g + 1);
}

bool same_scope(const std::vector<Tokens>& wanted, const std::vector<Tokens>& given) {
  // A `*` in front is any scope.
  if (wanted.size() > 1 && wanted[0] == Tokens{"*"} && given.size() > wanted.size()) {
    const std::vector<Tokens> rest(wanted.begin() + 1, wanted.end());
    return same_scope(rest, {given.end() - long(rest.size()), given.end()});
  }
  if (wanted.size() == 1 && wanted[0] == Tokens{"*"}) return !given.empty();
  if (wanted.size() != given.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!same_type(wanted[i], given[i])) return false;
  return true;
}

bool any_base(const ClassPattern& pattern, const std::string& cls, const Bases& bases,
              std::set<std::string>& seen) {
  if (!seen.insert(cls).second || !bases) return false;
  for (const std::string& base : bases(cls)) {
    if (same_scope(pattern.scope, split(tokens_of(base, Source::text), "::"))) return true;
    if (any_base(pattern, base, bases, seen)) return true;
  }
  return false;
}

// The text of call(...) taken apart: `returns name(parameters) const`.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), end_(text.size()) {}

  std::variant<Signature, SignatureError> run() {
    Signature out;
    out.text = text_;
    trailing_words(out);
    if (!error_.expected.empty()) return error_;
    const std::size_t open = parameters(out);
    if (!error_.expected.empty()) return error_;
    name(out, open);
    if (!error_.expected.empty()) return error_;
    return out;
  }

 private:
  void fail(std::size_t at, std::string expected) {
    if (error_.expected.empty()) error_ = {at, std::move(expected)};
  }
  void trim() {
    while (end_ > 0 && space(text_[end_ - 1])) --end_;
  }
  void trailing_words(Signature& out) {
    trim();
    for (const std::string_view word : {"noexcept", "const"}) {
      if (end_ < word.size() || text_.substr(end_ - word.size(), word.size()) != word) continue;
      end_ -= word.size();
      out.only_const |= word == "const";
      trim();
    }
    if (end_ == 0 || text_[end_ - 1] != ')')
      fail(end_, "expected the parameters of a function, such as `(..)`");
  }

  // Returns where they begin.
  std::size_t parameters(Signature& out) {
    std::size_t open = end_;
    int depth = 0;
    do {
      --open;
      if (text_[open] == ')') ++depth;
      if (text_[open] == '(') --depth;
    } while (open > 0 && depth > 0);
    if (depth != 0) {
      fail(end_ - 1, "expected a `(` that this `)` belongs to");
      return 0;
    }
    const std::string_view inside = text_.substr(open + 1, end_ - open - 2);
    const Tokens tokens = tokens_of(inside, Source::pattern);
    out.parameters = split(tokens, ",");
    for (const Tokens& parameter : out.parameters) {
      if (parameter.empty()) fail(open + 1, "expected a type, `*` or `..` between commas");
      if (any_number(parameter)) continue;
      if (std::find(parameter.begin(), parameter.end(), "..") != parameter.end() &&
          std::find(parameter.begin(), parameter.end(), "<") == parameter.end())
        fail(open + 1, "expected a comma before or after `..`");
    }
    if (out.parameters.size() == 1 && out.parameters[0] == Tokens{"void"}) out.parameters.clear();
    return open;
  }

  // Where the qualified name begins that ends at `end`: behind the last space that is in no
  // brackets.
  std::size_t name_begin(std::size_t end) const {
    int depth = 0;
    for (std::size_t i = end; i > 0; --i) {
      const char c = text_[i - 1];
      if (c == '>' || c == ')') ++depth;
      if (c == '<' || c == '(') --depth;
      if (depth <= 0 && space(c)) {
        // Spaces around `::` belong to the name.
        std::size_t before = i - 1;
        while (before > 0 && space(text_[before - 1])) --before;
        const bool joins =
            (before > 0 && (text_[before - 1] == ':')) || (i < end && text_[i] == ':');
        if (!joins) return i;
      }
    }
    return 0;
  }

  void name(Signature& out, std::size_t open) {
    std::size_t end = open;
    while (end > 0 && space(text_[end - 1])) --end;
    std::string_view base;  // of an operator
    std::size_t split_at = end;
    const std::size_t at = operator_at(end);
    if (at != std::string_view::npos) {
      base = text_.substr(at, end - at);
      split_at = at;
    }
    std::size_t begin = name_begin(split_at);
    std::string_view returns = text_.substr(0, begin);
    // `Fork *Pool::get()`: the star belongs to the type.
    std::string pointers;
    const Tokens before = tokens_of(returns, Source::pattern);
    const bool typed = !before.empty() && before != Tokens{"*"};
    while (typed && begin + 1 < split_at && (text_[begin] == '*' || text_[begin] == '&') &&
           text_[begin + 1] != ':')
      pointers += text_[begin++];
    out.returns = tokens_of(std::string(returns) + pointers, Source::pattern);
    if (out.returns == Tokens{"*"}) out.returns.clear();
    if (!base.empty()) {
      std::string compact;  // "operator bool", "operator[]"
      for (std::size_t i = 0; i < base.size(); ++i) {
        if (!space(base[i])) {
          compact += base[i];
        } else if (i + 1 < base.size() && in_word(base[i + 1]) && in_word(compact.back())) {
          compact += ' ';
        }
      }
      out.name = compact;
      scope(out, text_.substr(begin, split_at - begin), begin);
      return;
    }
    const std::string_view whole = text_.substr(begin, end - begin);
    Tokens tokens = tokens_of(whole, Source::name);
    std::vector<Tokens> parts = split(tokens, "::");
    if (parts.empty() || parts.back().empty())
      return fail(begin, "expected the name of a function");
    Tokens last = parts.back();
    parts.pop_back();
    if (last[0] == "~" && last.size() > 1) {
      last[1] = "~" + last[1];
      last.erase(last.begin());
    }
    if (!is_word(last[0]) && last[0][0] != '~')
      return fail(begin, "expected the name of a function");
    out.name = last[0];
    out.arguments.assign(last.begin() + 1, last.end());
    if (!out.arguments.empty() && out.arguments[0] != "<")
      return fail(begin, "expected `(` after `" + out.name + "`");
    set_scope(out, std::move(parts), begin);
    if (!parts_.empty() && out.name == "new") {
      out.constructor = true;
      out.name = parts_.back()[0];
    }
  }

  // The offset of the word `operator` in the last part of the name.
  std::size_t operator_at(std::size_t end) const {
    const std::size_t at = text_.rfind("operator", end);
    if (at == std::string_view::npos || at + 8 > end) return std::string_view::npos;
    if (at > 0 && in_word(text_[at - 1])) return std::string_view::npos;
    if (at + 8 < end && in_word(text_[at + 8])) return std::string_view::npos;
    return at;
  }

  void scope(Signature& out, std::string_view text, std::size_t at) {
    Tokens tokens = tokens_of(text, Source::name);
    if (!tokens.empty() && tokens.back() == "::") tokens.pop_back();
    set_scope(out, split(tokens, "::"), at);
  }

  void set_scope(Signature& out, std::vector<Tokens> parts, std::size_t at) {
    for (Tokens& part : parts) {
      if (part.empty() || !is_word(part[0]))
        return fail(at, "expected the name of a class or namespace before `::`");
      if (part.back() == "+") {
        part.pop_back();
        if (&part != &parts.back())
          return fail(at, "expected `+` only after the class that the function is a member of");
        out.scope.derived = true;
      }
      if (part.size() > 1 && part[1] != "<")
        return fail(at, "expected `::` after `" + part[0] + "`");
    }
    parts_ = parts;
    out.scope.scope = std::move(parts);
  }

  std::string_view text_;
  std::size_t end_;
  SignatureError error_{0, ""};
  std::vector<Tokens> parts_;
};

std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t above = row[k];
      const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                        std::tolower(static_cast<unsigned char>(b[k - 1]));
      row[k] = std::min({above + 1, row[k - 1] + 1, corner + (same ? 0 : 1)});
      corner = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Function::qualified() const {
  return (scope.empty() ? "" : joined(scope) + "::") + name + text_of(arguments);
}

std::string Function::text() const {
  std::string out = qualified() + "(";
  for (std::size_t i = 0; i < parameters.size(); ++i)
    out += (i == 0 ? "" : ", ") + (parameters[i].empty() ? "?" : text_of(parameters[i]));
  return out + (is_const ? ") const" : ")");
}

Function make_function(std::string_view scope, std::string_view name, std::string_view parameters,
                       std::string_view returns, bool is_const) {
  Function out;
  out.scope = split(tokens_of(scope, Source::text), "::");
  // A namespace without a name.
  out.scope.erase(std::remove(out.scope.begin(), out.scope.end(), Tokens{}), out.scope.end());
  const std::size_t tag = name.find("[abi:");
  name = name.substr(0, tag);
  const std::size_t bracket =
      name.compare(0, 8, "operator") == 0 ? std::string_view::npos : name.find('<');
  out.name = name.substr(0, bracket);
  if (bracket != std::string_view::npos)
    out.arguments = tokens_of(name.substr(bracket), Source::text);
  if (parameters.size() >= 2 && parameters.front() == '(' && parameters.back() == ')')
    parameters = parameters.substr(1, parameters.size() - 2);
  out.parameters = split(tokens_of(parameters, Source::text), ",");
  if (out.parameters.size() == 1 && out.parameters[0] == Tokens{"void"}) out.parameters.clear();
  out.returns = tokens_of(returns, Source::text);
  out.is_const = is_const;
  return out;
}

ClassPattern make_class_pattern(std::string_view text) {
  ClassPattern out;
  Tokens tokens = tokens_of(text, Source::pattern);
  // `const Fork&` and `Fork*` name the class as well.
  while (!tokens.empty() && tokens.back() != ">" && !is_word(tokens.back())) {
    out.derived |= tokens.back() == "+";
    tokens.pop_back();
  }
  while (!tokens.empty() && (tokens.back() == "const" || tokens.back() == "volatile"))
    tokens.pop_back();
  out.scope = split(tokens, "::");
  return out;
}

bool ClassPattern::matches(const std::vector<Tokens>& cls, const Bases& bases) const {
  if (same_scope(scope, cls)) return true;
  std::set<std::string> seen;
  return derived && !cls.empty() && any_base(*this, joined(cls), bases, seen);
}

std::variant<Signature, SignatureError> parse_signature(std::string_view text) {
  return Parser(text).run();
}

bool Signature::matches(const Function& function, const Bases& bases) const {
  if (constructor) {
    if (function.scope.empty() || function.scope.back().empty() ||
        function.name != function.scope.back()[0])
      return false;
  } else if (!same_word(name, function.name)) {
    return false;
  }
  if (!arguments.empty() && !same_type(arguments, function.arguments)) return false;
  if (only_const && !function.is_const) return false;
  if (!same_parameters(parameters, 0, function.parameters, 0)) return false;
  if (!returns.empty() && !function.returns.empty() && !same_type(returns, function.returns))
    return false;
  return scope.matches(function.scope, bases);
}

std::size_t distance(const Signature& signature, const Function& function) {
  const auto short_name = [](const std::vector<Tokens>& scope) {
    return scope.empty() || scope.back().empty() ? std::string() : scope.back()[0];
  };
  return edits(signature.name, function.name) * 2 +
         edits(short_name(signature.scope.scope), short_name(function.scope));
}

}  // namespace raddle::pointcut
