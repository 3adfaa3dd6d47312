// From specifications to C++: the events' functions with what they need, a header for calls by
// hand, and the table for the compiler's pass.
#pragma once

#include <string>
#include <vector>

#include "prevent/logics/logic.hpp"
#include "prevent/mop/syntax.hpp"
#include "prevent/pointcut/table.hpp"

namespace raddle::mop {

// A property and its compiled formula.
struct Compiled {
  const Specification* file;
  const Property* property;
  logics::Program program;
};

// Throws Mistake, in the file of the property.
Compiled compile(const Specification& file, const Property& property);

// `name` is that of the file that the text is written to, for #line and #include.
std::string source_text(const std::vector<Compiled>& properties, const std::string& name,
                        const std::string& header_name);
std::string header_text(const std::vector<Compiled>& properties);
pointcut::Table table_of(const std::vector<Compiled>& properties);

// Names in the generated code.
std::string symbol_of(const Property& property, const Event& event);
std::string symbol_of(const Property& property, const Parameter& destroyed);
std::string place_of(const Specification& file, std::size_t at);  // "one_fork.mop:3"

}  // namespace raddle::mop
