// Finding one's way in DWARF: units, functions, scopes. Called by what reads names from it.
#pragma once

#include <elfutils/libdwfl.h>

#include <vector>

namespace raddle {

// The compilation unit of an address of the process; null if there is none.
Dwarf_Die* unit_of(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr* bias);

bool is_function(int tag);     // inlined ones too
bool is_named_scope(int tag);  // namespaces and classes

// Appends the functions of a unit that contain an address (of the file), outermost first: one, and
// what is inlined there. False if there is none.
bool find_functions(Dwarf_Die* unit, Dwarf_Addr address, std::vector<Dwarf_Die>& path);

}  // namespace raddle
