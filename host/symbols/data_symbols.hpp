// The variables in a module's symbol table. Called by the symbolizer.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstddef>
#include <vector>

namespace raddle {

struct DataSymbol;

// Appends those of a module until there are `most`; what the compiler made for itself (virtual
// tables, guards) is left out.
void add_data_symbols(Dwfl_Module* module, std::size_t most, std::vector<DataSymbol>& symbols);

// Sorts by address, and leaves one symbol for each address.
void finish_data_symbols(std::vector<DataSymbol>& symbols);

}  // namespace raddle
