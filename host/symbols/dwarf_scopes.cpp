#include "host/symbols/dwarf_scopes.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace raddle {

namespace {

constexpr int kDeepest = 200;

// The functions that contain the address, outermost first. Not dwarf_getscopes(): that does not
// look into namespaces, where clang puts the definitions.
bool find_below(Dwarf_Die* parent, Dwarf_Addr address, int depth, std::vector<Dwarf_Die>& path) {
  Dwarf_Die die;
  if (depth > kDeepest || dwarf_child(parent, &die) != 0) return false;
  do {
    const int tag = dwarf_tag(&die);
    if (is_named_scope(tag)) {
      if (find_below(&die, address, depth + 1, path)) return true;
    } else if (is_function(tag) || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
               tag == DW_TAG_catch_block) {
      if (dwarf_haspc(&die, address) <= 0) continue;
      if (is_function(tag)) path.push_back(die);
      find_below(&die, address, depth + 1, path);
      return true;
    }
  } while (dwarf_siblingof(&die, &die) == 0);
  return false;
}

}  // namespace

// The compilation unit of an address. clang writes no .debug_aranges unless asked, so what is not
// found there is searched for in the units' own ranges.
Dwarf_Die* unit_of(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr* bias) {
  if (Dwarf_Die* unit = dwfl_module_addrdie(module, address, bias)) return unit;
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, bias)) != nullptr) {
    if (dwarf_haspc(unit, address - *bias) > 0) return unit;
  }
  return nullptr;
}

bool is_function(int tag) {
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_entry_point;
}

bool is_named_scope(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_union_type;
}

bool find_functions(Dwarf_Die* unit, Dwarf_Addr address, std::vector<Dwarf_Die>& path) {
  return find_below(unit, address, 0, path);
}

void FunctionIndex::collect(Dwarf_Die* parent, int depth, std::vector<Function>& functions) {
  Dwarf_Die die;
  if (depth > kDeepest || dwarf_child(parent, &die) != 0) return;
  do {
    const int tag = dwarf_tag(&die);
    if (is_named_scope(tag)) {
      collect(&die, depth + 1, functions);
    } else if (tag == DW_TAG_subprogram) {
      Dwarf_Addr base = 0, low = 0, high = 0;
      for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &low, &high)) > 0;)
        functions.push_back({low, high, die});
    }
  } while (dwarf_siblingof(&die, &die) == 0);
}

bool FunctionIndex::find(Dwarf_Die* unit, Dwarf_Addr address, std::vector<Dwarf_Die>& path) {
  const auto [found, is_new] = units_.try_emplace(unit->addr);
  std::vector<Function>& functions = found->second;
  if (is_new) {
    collect(unit, 0, functions);
    std::sort(functions.begin(), functions.end(),
              [](const Function& a, const Function& b) { return a.low < b.low; });
  }
  auto after = std::upper_bound(
      functions.begin(), functions.end(), address,
      [](Dwarf_Addr wanted, const Function& function) { return wanted < function.low; });
  if (after == functions.begin() || address >= std::prev(after)->high) return false;
  Dwarf_Die& function = std::prev(after)->die;
  path.push_back(function);
  find_below(&function, address, 1, path);
  return true;
}

}  // namespace raddle
