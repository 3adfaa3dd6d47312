#include "host/symbols/names.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <algorithm>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

namespace raddle {

namespace {

// A space that belongs to the name itself, as in "(anonymous namespace)": the plain ones separate
// the return type from the name.
constexpr char kNameSpace = '\x01';
constexpr std::size_t kLongestArguments = 24;
constexpr std::size_t kLongestName = 160;

bool starts_at(std::string_view text, std::size_t at, std::string_view prefix) {
  return text.substr(at).substr(0, prefix.size()) == prefix;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Index after the bracket that closes the one at `at`; the end of the text if none does.
std::size_t after_brackets(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '<' || c == '{' || c == '[') ++depth;
    const bool arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if ((c == ')' || c == '>' || c == '}' || c == ']') && !arrow && --depth == 0) return i + 1;
  }
  return text.size();
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// One pass over a demangled name, from left to right.
class Shortener {
 public:
  explicit Shortener(std::string_view in) : in_(in) {}

  std::string run() {
    while (at_ < in_.size()) step();
    return std::move(out_);
  }

 private:
  void step() {
    const char c = in_[at_];
    const bool new_word = at_ == 0 || !is_word(in_[at_ - 1]);
    if (new_word && starts_at(in_, at_, "operator") && !is_word(next(8))) {
      operator_name();
    } else if (starts_at(in_, at_, "(anonymous namespace)")) {
      out_ += std::string("(anonymous") + kNameSpace + "namespace)";
      at_ += 21;
    } else if (starts_at(in_, at_, "(anonymous class)")) {
      lambda(at_ + 17, "");
    } else if (starts_at(in_, at_, "{lambda(") || starts_at(in_, at_, "<lambda(")) {
      const std::size_t end = after_brackets(in_, at_);
      const std::string_view body = in_.substr(at_, end - at_);
      const std::size_t hash = body.rfind('#');
      const bool numbered = hash != std::string_view::npos && body.back() == '}';
      lambda(end, numbered ? body.substr(hash, body.size() - hash - 1) : std::string_view());
    } else if (starts_at(in_, at_, "$_")) {
      clang_lambda();
    } else if (c == '(') {
      parameters();
    } else if (c == '<') {
      template_arguments();
    } else if (starts_at(in_, at_, "[abi:")) {
      at_ = after_brackets(in_, at_);
    } else {
      out_ += c;
      ++at_;
    }
  }

  char next(std::size_t offset) const {
    return at_ + offset < in_.size() ? in_[at_ + offset] : '\0';
  }

  // Everything from "operator" to its parameter list is the name, spaces included.
  void operator_name() {
    out_ += "operator";
    at_ += 8;
    if (starts_at(in_, at_, "()") || starts_at(in_, at_, "[]")) {
      out_ += in_.substr(at_, 2);
      at_ += 2;
      return;
    }
    if (next(0) == ' ') {
      while (at_ < in_.size() && in_[at_] != '(') {
        out_ += in_[at_] == ' ' ? kNameSpace : in_[at_];
        ++at_;
      }
      return;
    }
    const std::size_t length = symbol_length(in_.substr(at_));
    out_ += in_.substr(at_, length);
    at_ += length;
    // "operator< <int>": the space belongs to neither.
    if (length != 0 && next(0) == ' ' && next(1) == '<') ++at_;
  }

  // Of the operator that the text begins with. The brackets of "operator<=><int>" are not all its
  // own.
  static std::size_t symbol_length(std::string_view text) {
    constexpr std::string_view kLong[] = {
        "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "==", "!=", "&&",
        "||",  "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "^=", "&=", "|="};
    for (const std::string_view symbol : kLong)
      if (text.starts_with(symbol)) return symbol.size();
    constexpr std::string_view kShort = "<>=!+-*/%^&|~,";
    return !text.empty() && kShort.find(text.front()) != std::string_view::npos ? 1 : 0;
  }

  void lambda(std::size_t end, std::string_view number) {
    out_ += "{lambda";
    out_ += number;
    out_ += '}';
    at_ = end;
    constexpr std::string_view kCall = "::operator()";
    if (starts_at(in_, at_, kCall)) at_ += kCall.size();
    if (next(0) == '<') at_ = after_brackets(in_, at_);
  }

  // clang numbers the lambdas of internal functions from 0, as "$_0".
  void clang_lambda() {
    std::size_t end = at_ + 2;
    unsigned number = 0;
    while (end < in_.size() && in_[end] >= '0' && in_[end] <= '9' && number < 100'000) {
      number = number * 10 + static_cast<unsigned>(in_[end++] - '0');
    }
    lambda(end, fmt::format("#{}", number + 1));
  }

  void parameters() {
    at_ = after_brackets(in_, at_);
    for (bool again = true; again;) {
      again = false;
      for (std::string_view word : {" const", " volatile", " noexcept", " &&", " &"}) {
        if (!starts_at(in_, at_, word)) continue;
        at_ += word.size();
        again = true;
      }
    }
  }

  void template_arguments() {
    const std::size_t end = after_brackets(in_, at_);
    const std::size_t name = out_.find_last_of(' ') + 1;  // npos + 1 is 0
    const bool library = starts_at(out_, name, "std::") || starts_at(out_, name, "__gnu_cxx::");
    if (!library && end > at_ + 2) {
      std::string arguments = argument_list(in_.substr(at_ + 1, end - at_ - 2));
      if (arguments.size() > kLongestArguments) arguments = "...";
      out_ += '<' + arguments + '>';
    }
    at_ = end;
  }

  static std::string argument_list(std::string_view list) {
    std::string joined;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= list.size(); ++i) {
      if (i < list.size() && (list[i] == '<' || list[i] == '(' || list[i] == '{')) {
        i = after_brackets(list, i) - 1;
        continue;
      }
      if (i < list.size() && list[i] != ',') continue;
      if (!joined.empty()) joined += ", ";
      joined += short_type(list.substr(begin, i - begin));
      begin = i + 1;
    }
    for (char& c : joined) c = c == ' ' ? kNameSpace : c;
    return joined;
  }

  std::string_view in_;
  std::size_t at_ = 0;
  std::string out_;
};

std::string finish(std::string name) {
  for (char& c : name) c = c == kNameSpace ? ' ' : c;
  replace_all(name, "std::__cxx11::", "std::");
  replace_all(name, "std::__1::", "std::");
  replace_all(name, "std::basic_string", "std::string");
  if (name.size() > kLongestName) name = name.substr(0, kLongestName - 3) + "...";
  return name;
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : std::string();
}

}  // namespace

std::string short_function(std::string_view demangled) {
  // " [with T = int]", clang's " [T = int]", " [clone .cold]".
  for (std::string_view tail : {" [", "@@", "@plt"}) {
    demangled = demangled.substr(0, demangled.find(tail));
  }
  std::string name = Shortener(demangled).run();
  while (!name.empty() && name.back() == ' ') name.pop_back();
  const std::size_t space = name.find_last_of(' ');
  if (space != std::string::npos) name.erase(0, space + 1);
  // "void *work(void *)": clang writes the star next to the name.
  name.erase(0, std::min(name.find_first_not_of("*&"), name.size()));
  return finish(std::move(name));
}

std::string short_type(std::string_view demangled) {
  while (!demangled.empty() && demangled.front() == ' ') demangled.remove_prefix(1);
  while (!demangled.empty() && demangled.back() == ' ') demangled.remove_suffix(1);
  return finish(Shortener(demangled).run());
}

std::string function_name(const std::string& symbol) {
  if (symbol.rfind("_Z", 0) == 0) {
    std::string text = demangled(symbol);
    // Parts of what the optimiser took apart have a number: "_ZL5ready.0".
    if (text.empty()) text = demangled(symbol.substr(0, symbol.find('.')));
    if (!text.empty()) return short_function(text);
  }
  // C: the compiler numbers static locals ("m.0") and clones ("f.part.0").
  return symbol.substr(0, symbol.find_first_of(".@", 1));
}

std::string type_name(const std::string& mangled) {
  // GCC marks types with internal linkage by a star.
  const std::string plain = mangled.rfind('*', 0) == 0 ? mangled.substr(1) : mangled;
  const std::string text = demangled(plain);
  return short_type(text.empty() ? plain : text);
}

std::string display_path(std::string_view path) {
  namespace fs = std::filesystem;
  if (path.empty()) return {};
  const std::string& normal = normal_path(path);
  if (normal.front() != '/') return normal;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return normal;
  const std::string relative = fs::path(normal).lexically_relative(here).string();
  const bool below = !relative.empty() && relative.rfind("..", 0) != 0;
  const bool shorter = !relative.empty() && relative.size() < normal.size();
  return below || shorter ? relative : normal;
}

std::string unqualified(const std::string& function) {
  const std::size_t at = function.rfind("::");
  const std::string name = at == std::string::npos ? function : function.substr(at + 2);
  return name.empty() || name.front() == '{' ? function : name;
}

std::string without_template_arguments(std::string_view function) {
  std::string out;
  for (std::size_t at = 0; at < function.size();) {
    constexpr std::string_view kOperator = "operator";
    const bool new_word = at == 0 || !is_word(function[at - 1]);
    std::size_t end = at + 1;
    if (new_word && starts_at(function, at, kOperator)) {
      end = at + kOperator.size();
      for (const std::string_view symbol :
           {"<=>", "<<=", ">>=", "->*", "<<", ">>", "->", "<=", ">=", "<", ">"}) {
        if (!starts_at(function, end, symbol)) continue;
        end += symbol.size();
        break;
      }
    } else if (function[at] == '<') {
      at = after_brackets(function, at);
      continue;
    }
    out += function.substr(at, end - at);
    at = end;
  }
  return out;
}

bool is_library_primitive(std::string_view function) {
  constexpr std::string_view kPrimitives[] = {"std::barrier",
                                              "std::__tree_barrier",
                                              "std::latch",
                                              "std::counting_semaphore",
                                              "std::__atomic_semaphore",
                                              "std::__platform_semaphore"};
  return std::any_of(std::begin(kPrimitives), std::end(kPrimitives),
                     [&](std::string_view name) { return function.starts_with(name); });
}

bool is_destructor(std::string_view function) {
  return function.find('~') != std::string_view::npos;
}

bool is_constructor(std::string_view function) {
  const std::string plain = without_template_arguments(function);
  const std::size_t at = plain.rfind("::");
  if (at == std::string::npos) return false;
  const std::string name = plain.substr(at + 2);
  const std::size_t before = plain.rfind("::", at - 1);
  const std::size_t begin = at == 0 || before == std::string::npos ? 0 : before + 2;
  return plain.compare(begin, at - begin, name) == 0;
}

}  // namespace raddle
