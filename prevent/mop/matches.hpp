// Which events match a call somewhere in a program: the compiler's pass notes it in a section of
// every object file, and the linker puts the sections together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "prevent/pointcut/table.hpp"

namespace raddle::mop {

// The text of the section in an ELF file; empty if there is none.
std::string notes_in(std::string_view elf);

// A warning for each event that nothing in the notes matches, with the functions whose names are
// nearest.
std::vector<std::string> unmatched(const pointcut::Table& table, std::string_view notes,
                                   const std::string& program);

}  // namespace raddle::mop
