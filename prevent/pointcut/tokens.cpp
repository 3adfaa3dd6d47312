#include "prevent/pointcut/tokens.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace raddle::pointcut {
namespace {

// Not `*`, which is a word of patterns.
const char kPointer[] = "^";

bool is_cv(const std::string& token) { return token == "const" || token == "volatile"; }

// Names of the same type, and inline namespaces, which nobody writes.
void replace_aliases(Tokens& tokens) {
  static const std::pair<const char*, Tokens> kStd[] = {
      {"string", {"basic_string", "<", "char", ">"}},
      {"wstring", {"basic_string", "<", "wchar_t", ">"}},
      {"string_view", {"basic_string_view", "<", "char", ">"}},
      {"ostream", {"basic_ostream", "<", "char", ">"}},
      {"istream", {"basic_istream", "<", "char", ">"}},
      {"iostream", {"basic_iostream", "<", "char", ">"}},
      {"ofstream", {"basic_ofstream", "<", "char", ">"}},
      {"ifstream", {"basic_ifstream", "<", "char", ">"}},
      {"fstream", {"basic_fstream", "<", "char", ">"}},
      {"ostringstream", {"basic_ostringstream", "<", "char", ">"}},
      {"istringstream", {"basic_istringstream", "<", "char", ">"}},
      {"stringstream", {"basic_stringstream", "<", "char", ">"}},
  };
  static const std::pair<const char*, Tokens> kNumbers[] = {
      {"size_t", {"unsigned", "long"}},
      {"ssize_t", {"long"}},
      {"ptrdiff_t", {"long"}},
      {"int8_t", {"signed", "char"}},
      {"uint8_t", {"unsigned", "char"}},
      {"int16_t", {"short"}},
      {"uint16_t", {"unsigned", "short"}},
      {"int32_t", {"int"}},
      {"uint32_t", {"unsigned", "int"}},
      {"int64_t", {"long"}},
      {"uint64_t", {"unsigned", "long"}},
      {"intptr_t", {"long"}},
      {"uintptr_t", {"unsigned", "long"}},
  };
  Tokens out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    const bool qualified = i + 1 < tokens.size() && tokens[i + 1] == "::";
    if (qualified &&
        (token == "__cxx11" || token == "__1" || token == "_V2" || token == "__ndk1")) {
      ++i;
      continue;
    }
    const bool of_std = out.size() >= 2 && out.back() == "::" && out[out.size() - 2] == "std" &&
                        (out.size() == 2 || out[out.size() - 3] != "::");
    const bool plain = out.empty() || out.back() != "::";
    bool replaced = false;
    if (of_std) {
      for (const auto& [name, tokens_of_it] : kStd) {
        if (token != name) continue;
        out.insert(out.end(), tokens_of_it.begin(), tokens_of_it.end());
        replaced = true;
      }
    }
    if (!replaced && (of_std || plain) && !qualified) {
      for (const auto& [name, tokens_of_it] : kNumbers) {
        if (token != name) continue;
        if (of_std) out.resize(out.size() - 2);
        out.insert(out.end(), tokens_of_it.begin(), tokens_of_it.end());
        replaced = true;
      }
    }
    if (!replaced) out.push_back(token);
  }
  tokens = std::move(out);
}

// `unsigned` is `unsigned int`; `long int` is `long`.
void unify_numbers(Tokens& tokens) {
  Tokens out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    const std::string next = i + 1 < tokens.size() ? tokens[i + 1] : "";
    if (token == "int" && !out.empty() && (out.back() == "long" || out.back() == "short")) continue;
    out.push_back(token);
    if (token == "unsigned" && next != "int" && next != "long" && next != "short" &&
        next != "char" && next != "__int128") {
      out.emplace_back("int");
    }
  }
  tokens = std::move(out);
}

std::size_t skip_brackets(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    const std::string& token = tokens[at];
    if (token == "<" || token == "(" || token == "[" || token == "{") ++depth;
    if (token == ">" || token == ")" || token == "]" || token == "}") --depth;
    if (depth <= 0) return at + 1;
  }
  return at;
}

// The type that begins at `at`, with `const` behind what it belongs to: `Fork const&`.
void move_qualifiers(Tokens& tokens) {
  Tokens out;
  std::vector<std::string> pending;
  for (std::size_t i = 0; i < tokens.size();) {
    const bool begins = out.empty() || out.back() == "<" || out.back() == "," || out.back() == "(";
    if (begins && is_cv(tokens[i])) {
      pending.push_back(tokens[i++]);
      continue;
    }
    if (pending.empty()) {
      out.push_back(tokens[i++]);
      continue;
    }
    // The name: words and `::`, with template arguments, which have qualifiers of their own.
    while (i < tokens.size() &&
           (is_word(tokens[i]) || tokens[i] == "::" || tokens[i] == "<" || tokens[i] == "+")) {
      if (is_cv(tokens[i])) break;
      if (tokens[i] != "<") {
        out.push_back(tokens[i++]);
        continue;
      }
      const std::size_t end = skip_brackets(tokens, i);
      Tokens inner(tokens.begin() + long(i), tokens.begin() + long(end));
      Tokens arguments(inner.begin() + 1, inner.end() - (inner.back() == ">" ? 1 : 0));
      move_qualifiers(arguments);
      out.emplace_back("<");
      out.insert(out.end(), arguments.begin(), arguments.end());
      if (inner.back() == ">") out.emplace_back(">");
      i = end;
    }
    std::sort(pending.begin(), pending.end());
    out.insert(out.end(), pending.begin(), pending.end());
    pending.clear();
  }
  out.insert(out.end(), pending.begin(), pending.end());
  tokens = std::move(out);
}

class Scanner {
 public:
  Scanner(std::string_view text, Source source) : text_(text), source_(source) {}

  Tokens run() {
    Tokens out;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
        continue;
      }
      if (text_.compare(at_, 21, "(anonymous namespace)") == 0) {
        at_ += 21;
        if (text_.compare(at_, 2, "::") == 0) at_ += 2;
        continue;
      }
      if (text_.compare(at_, 5, "[abi:") == 0) {
        const std::size_t end = text_.find(']', at_);
        at_ = end == std::string_view::npos ? text_.size() : end + 1;
        continue;
      }
      if (begins_word()) {
        out.push_back(word());
        if (is_keyword(out.back())) out.pop_back();
        continue;
      }
      out.push_back(punctuation());
    }
    if (!out.empty() && out.front() == "::") out.erase(out.begin());
    return out;
  }

 private:
  static bool is_keyword(const std::string& word) {
    return word == "class" || word == "struct" || word == "union" || word == "enum" ||
           word == "typename";
  }

  char next(std::size_t by = 1) const { return at_ + by < text_.size() ? text_[at_ + by] : '\0'; }
  bool after_type() const {
    for (std::size_t i = at_; i > 0; --i) {
      const char c = text_[i - 1];
      if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
      return in_word(c) || c == '>' || c == '*' || c == ')' || c == '+';
    }
    return false;
  }
  // The `*` at at_ stands for letters, not for a pointer.
  bool is_wildcard(bool in_a_word) const {
    if (source_ == Source::text) return false;
    if (source_ == Source::name && depth_ == 0) return true;
    std::size_t i = at_ + 1;
    if (i < text_.size() && text_[i] == ':') return true;
    if (i < text_.size() && in_word(text_[i]) && text_.compare(i, 5, "const") != 0) return true;
    return !in_a_word && !after_type();
  }
  bool begins_word() const {
    return in_word(text_[at_]) || (text_[at_] == '*' && is_wildcard(false));
  }

  std::string word() {
    std::string out;
    while (at_ < text_.size() &&
           (in_word(text_[at_]) || (text_[at_] == '*' && is_wildcard(!out.empty())))) {
      out += text_[at_++];
    }
    return out;
  }

  std::string punctuation() {
    for (const char* two : {"::", "&&", ".."}) {
      if (text_.compare(at_, 2, two) != 0) continue;
      at_ += 2;
      return two;
    }
    if (text_[at_] == '<') ++depth_;
    if (text_[at_] == '>') --depth_;
    // As Java writes it: `Collection+.add`.
    if (text_[at_] == '.' && source_ != Source::text) {
      ++at_;
      return "::";
    }
    const char c = text_[at_++];
    return c == '*' ? kPointer : std::string(1, c);
  }

  std::string_view text_;
  Source source_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

struct Range {
  const Tokens& tokens;
  std::size_t at;
  std::size_t end;
};

bool same_range(Range pattern, Range type);

// `at` are behind the `<` of both.
bool same_arguments(const Tokens& pattern, const Tokens& type) {
  const std::vector<Tokens> wanted = split(pattern, ",");
  const std::vector<Tokens> given = split(type, ",");
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].size() == 1 && wanted[i][0] == "..") return true;
    if (i >= given.size() || !same_type(wanted[i], given[i])) return false;
  }
  return true;
}

bool same_range(Range pattern, Range type) {
  while (pattern.at < pattern.end) {
    const std::string& wanted = pattern.tokens[pattern.at];
    if (wanted == "*") {
      for (std::size_t used = type.at + 1; used <= type.end; ++used) {
        if (same_range({pattern.tokens, pattern.at + 1, pattern.end},
                       {type.tokens, used, type.end}))
          return true;
      }
      return false;
    }
    if (type.at >= type.end) return false;
    const std::string& given = type.tokens[type.at];
    if (wanted == "<") {
      if (given != "<") return false;
      const std::size_t pattern_end = skip_brackets(pattern.tokens, pattern.at);
      const std::size_t type_end = skip_brackets(type.tokens, type.at);
      if (pattern_end > pattern.end || type_end > type.end) return false;
      const auto inner = [](const Tokens& tokens, std::size_t from, std::size_t to) {
        return Tokens(tokens.begin() + long(from) + 1, tokens.begin() + long(to) - 1);
      };
      if (!same_arguments(inner(pattern.tokens, pattern.at, pattern_end),
                          inner(type.tokens, type.at, type_end)))
        return false;
      pattern.at = pattern_end;
      type.at = type_end;
      continue;
    }
    if (!same_word(wanted, given)) return false;
    ++pattern.at;
    ++type.at;
    const bool leaves_out = is_word(wanted) && type.at < type.end && type.tokens[type.at] == "<" &&
                            (pattern.at >= pattern.end || pattern.tokens[pattern.at] != "<");
    if (leaves_out) type.at = skip_brackets(type.tokens, type.at);
  }
  return type.at >= type.end;
}

}  // namespace

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

bool is_word(const std::string& token) {
  return !token.empty() && (in_word(token[0]) || token[0] == '*');
}

Tokens tokens_of(std::string_view text, Source source) {
  Tokens tokens = Scanner(text, source).run();
  replace_aliases(tokens);
  unify_numbers(tokens);
  move_qualifiers(tokens);
  return tokens;
}

std::vector<Tokens> split(const Tokens& tokens, const char* separator) {
  std::vector<Tokens> out;
  if (tokens.empty()) return out;
  out.emplace_back();
  int depth = 0;
  for (const std::string& token : tokens) {
    if (token == "<" || token == "(" || token == "[" || token == "{") ++depth;
    if (token == ">" || token == ")" || token == "]" || token == "}") --depth;
    if (depth == 0 && token == separator) {
      out.emplace_back();
    } else {
      out.back().push_back(token);
    }
  }
  return out;
}

bool same_word(std::string_view pattern, std::string_view word) {
  std::size_t p = 0;
  std::size_t w = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  if (pattern == word) return true;
  while (w < word.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = w;
    } else if (p < pattern.size() && pattern[p] == word[w]) {
      ++p;
      ++w;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      w = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool same_type(const Tokens& pattern, const Tokens& type) {
  return same_range({pattern, 0, pattern.size()}, {type, 0, type.size()});
}

std::string text_of(const Tokens& tokens) {
  std::string out;
  for (const std::string& token : tokens) {
    if (!out.empty() && is_word(token) && (in_word(out.back()) || out.back() == '>')) out += ' ';
    out += token == kPointer ? "*" : token;
    if (token == ",") out += ' ';
  }
  return out;
}

}  // namespace raddle::pointcut
