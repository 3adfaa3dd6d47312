// Which functions, inlined ones included, are at one code address, according to DWARF. Called by
// the symbolizer; separate from it because this part knows DWARF and nothing about processes.
#pragma once

#include <elfutils/libdwfl.h>

#include <string>
#include <vector>

#include "host/symbols/dwarf_scopes.hpp"

namespace raddle {

struct DwarfFrame {
  std::string function;  // shortened; empty if DWARF has no name
  std::string path;      // as DWARF has it, absolute where possible
  int line = 0;
  bool inlined = false;
  bool unwritten = false;  // in a function that the compiler made, at the class's line
  // From a linkage name. Without one (internal linkage, C) the symbol table, where it knows the
  // function, is to be preferred: it has template arguments and lambdas' numbers.
  bool exact = false;
};

// Name of a function's entry, shortened.
std::string dwarf_function(Dwarf_Die* function);

// Innermost first; empty if the module has no debug information for the address.
std::vector<DwarfFrame> dwarf_frames(Dwfl_Module* module, Dwarf_Addr address,
                                     FunctionIndex& functions);

}  // namespace raddle
