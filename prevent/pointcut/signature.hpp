// What `call(...)` and `execution(...)` say: which functions are meant. The tool parses signatures
// to report mistakes; the compiler's pass compares them with the functions of a program.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "prevent/pointcut/tokens.hpp"

namespace raddle::pointcut {

// A function of the program, from its demangled name.
struct Function {
  std::vector<Tokens> scope;       // namespaces and classes around it, the outermost first
  std::string name;                // "push", "operator[]", "~Fork"
  Tokens arguments;                // of the template, with the brackets; mostly empty
  std::vector<Tokens> parameters;  // empty: of an unknown type
  Tokens returns;                  // empty: unknown
  bool is_const = false;

  std::string qualified() const;  // "std::vector<int>::push_back"
  std::string text() const;       // the same with its parameters
};

// From what a demangler prints: "std::vector<int>", "push_back", "(int const&)", "", false.
Function make_function(std::string_view scope, std::string_view name, std::string_view parameters,
                       std::string_view returns, bool is_const);

// The names of the direct bases of a class.
using Bases = std::function<std::vector<std::string>(const std::string& cls)>;

// A class in a pattern: `Fork`, `std::vector<int>`, `Shape+` with the classes derived from it.
struct ClassPattern {
  std::vector<Tokens> scope;
  bool derived = false;

  // Also for a namespace: the whole scope of a function.
  bool matches(const std::vector<Tokens>& cls, const Bases& bases) const;
};
ClassPattern make_class_pattern(std::string_view text);

struct Signature {
  std::string text;
  Tokens returns;  // empty: any
  ClassPattern scope;
  std::string name;
  Tokens arguments;
  std::vector<Tokens> parameters;  // {".."}: any number of them
  bool only_const = false;
  bool constructor = false;  // `Fork::new(..)`

  bool matches(const Function& function, const Bases& bases) const;
};

struct SignatureError {
  std::size_t at;  // offset in the text
  std::string expected;
};

std::variant<Signature, SignatureError> parse_signature(std::string_view text);

// How unlike the function is what the signature names; 0 if only parameters or the like differ.
std::size_t distance(const Signature& signature, const Function& function);

}  // namespace raddle::pointcut
