#include "host/symbols/class_types.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <utility>

#include "host/symbols/dwarf_scopes.hpp"
#include "host/symbols/names.hpp"

namespace raddle {

namespace {

constexpr int kMostEntries = 2'000'000;
constexpr int kDeepest = 32;

bool is_class(int tag) {
  return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

bool may_hold_classes(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
         is_class(tag);
}

bool is_declaration(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  bool flag = false;
  return dwarf_formflag(dwarf_attr(die, DW_AT_declaration, &attribute), &flag) == 0 && flag;
}

void collect(Dwarf_Die* parent, const std::string& prefix, int depth, int& budget,
             ClassTypes& classes) {
  Dwarf_Die die;
  if (depth > kDeepest || dwarf_child(parent, &die) != 0) return;
  do {
    if (--budget < 0) return;
    const int tag = dwarf_tag(&die);
    if (!may_hold_classes(tag)) continue;
    std::string scope = prefix;
    const char* name = dwarf_diename(&die);
    if (tag == DW_TAG_namespace || is_class(tag)) {
      if (name == nullptr && tag != DW_TAG_namespace) continue;
      const std::string part = name == nullptr ? "(anonymous namespace)" : name;
      // The library's own classes are of no interest, and there are many.
      if (prefix.empty() && (part == "std" || part == "__gnu_cxx")) continue;
      scope += scope.empty() ? part : "::" + part;
    } else if (tag == DW_TAG_subprogram && name != nullptr) {
      scope += scope.empty() ? std::string(name) : std::string("::") + name;
    }
    if (is_class(tag) && !is_declaration(&die)) classes.try_emplace(class_key(scope), die);
    collect(&die, scope, depth + 1, budget, classes);
  } while (dwarf_siblingof(&die, &die) == 0);
}

}  // namespace

std::string class_key(std::string_view name) {
  std::string key = short_type(name);
  // Longest first.
  constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
      {"long long unsigned int", "unsigned long long"},
      {"long unsigned int", "unsigned long"},
      {"short unsigned int", "unsigned short"},
      {"long long int", "long long"},
      {"long int", "long"},
      {"short int", "short"},
  };
  for (const auto& [from, to] : kSpellings) {
    for (std::size_t at = 0; (at = key.find(from, at)) != std::string::npos; at += to.size()) {
      key.replace(at, from.size(), to);
    }
  }
  return key;
}

void add_classes(Dwfl_Module* module, ClassTypes& classes) {
  int budget = kMostEntries;
  Dwarf_Die* unit = nullptr;
  Dwarf_Addr bias = 0;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr && budget > 0) {
    collect(unit, "", 0, budget, classes);
  }
}

}  // namespace raddle
