// Finding one's way in DWARF: units, functions, scopes. Called by what reads names from it.
#pragma once

#include <elfutils/libdwfl.h>

#include <unordered_map>
#include <vector>

namespace raddle {

// The compilation unit of an address of the process; null if there is none.
Dwarf_Die* unit_of(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr* bias);

bool is_function(int tag);     // inlined ones too
bool is_named_scope(int tag);  // namespaces and classes

// Appends the functions of a unit that contain an address (of the file), outermost first: one, and
// what is inlined there. False if there is none. Searches the unit from its beginning: the
// definition that FunctionIndex is tested against.
bool find_functions(Dwarf_Die* unit, Dwarf_Addr address, std::vector<Dwarf_Die>& path);

// The same, fast: a unit is searched once, for all its functions, since most of it is declarations
// of the C++ library. For as long as the debug information stays open.
class FunctionIndex {
 public:
  bool find(Dwarf_Die* unit, Dwarf_Addr address, std::vector<Dwarf_Die>& path);
  void clear() { units_.clear(); }

 private:
  struct Function {
    Dwarf_Addr low = 0, high = 0;
    Dwarf_Die die{};
  };
  static void collect(Dwarf_Die* parent, int depth, std::vector<Function>& functions);

  std::unordered_map<const void*, std::vector<Function>> units_;  // in order of their addresses
};

}  // namespace raddle
