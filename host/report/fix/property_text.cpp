#include <algorithm>
#include <cctype>

#include "host/report/fix/fix.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

constexpr std::size_t kNamesInName = 2;

std::string execution(const std::string& function) { return "execution(* " + function + "(..))"; }

std::string executions(const std::vector<std::string>& functions) {
  std::string out;
  for (const std::string& function : functions)
    out += (out.empty() ? "" : "\n        || ") + execution(function);
  return functions.size() == 1 ? out : "(" + out + ")";
}

std::string identifier(const std::string& function) {
  std::string out;
  for (const char c : unqualified(function)) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (fits) out += c;
  }
  return out;
}

std::string exclusion(const Fix& fix) {
  const std::string places = executions(fix.functions);
  const std::string name = property_name(fix);
  return "namespace {\n"
         "thread_local unsigned depth_" +
         name +
         " = 0;  // of these functions that the thread is in\n"
         "}\n\n"
         "enforce " +
         name +
         "() {\n"
         "  // Who is inside may enter again. A condition without variables of the property is "
         "asked\n"
         "  // once for each event, before the thread waits.\n"
         "  event enter before() : " +
         places + "\n      && condition(depth_" + name +
         "++ == 0) {}\n"
         "  event leave after() : " +
         places + "\n      && condition(--depth_" + name +
         " == 0) {}\n\n"
         "  fsm : free [ enter -> busy ]\n"
         "        busy [ leave -> free ]\n"
         "  @nonfail {}\n"
         "}\n";
}

std::string order(const Fix& fix) {
  return "enforce " + property_name(fix) +
         "() {\n"
         "  event init after() : " +
         execution(fix.functions[0]) +
         " {}\n"
         "  event use before() : " +
         execution(fix.functions[1]) +
         " {}\n\n"
         "  fsm : early [ init -> ready ]\n"
         "        ready [ init -> ready, use -> ready ]\n"
         "  @nonfail {}\n"
         "}\n";
}

}  // namespace

std::string property_name(const Fix& fix) {
  std::string out = fix.kind == FixKind::kOrder ? "InOrder" : "OneAtATime";
  for (std::size_t i = 0; i < std::min(fix.functions.size(), kNamesInName); ++i)
    out += "_" + identifier(fix.functions[i]);
  return out;
}

std::string property_text(const Fix& fix, const std::vector<std::string>& comment) {
  std::string out;
  for (const std::string& line : comment) out += "// " + line + "\n";
  switch (fix.kind) {
    case FixKind::kNone:
      return {};
    case FixKind::kExclusion:
      return out + exclusion(fix);
    case FixKind::kOrder:
      return out + order(fix);
  }
  return {};
}

}  // namespace raddle
