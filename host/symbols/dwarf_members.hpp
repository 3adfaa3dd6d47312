// Which part of a global variable lies at an offset: "account" + 8 -> "account.m_". Called by the
// symbolizer. Needs debug information; without it the caller shows the offset instead.
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace raddle {

// Address of a variable in the process -> its type. Valid as long as the module is.
using VariableTypes = std::unordered_map<std::uint64_t, Dwarf_Die>;

// All variables of a module with a fixed address, static and function-local ones included. Gives up
// on what is left of a very large program, rather than make the user wait for a nicer name.
VariableTypes global_variables(Dwfl_Module* module);

// ".m_", "[2].lock", "" if the whole variable is meant or there is nothing to say. Ends at the
// library's own types: the inside of a std::mutex is of no interest.
std::string member_path(const VariableTypes& variables, std::uint64_t variable,
                        std::uint64_t offset);

// The same for an offset of a type, without the leading dot: "m_", "queue.lock", "[2]".
std::string member_path(Dwarf_Die type, std::uint64_t offset);
// The same for a variable that need not have a fixed address, with the dot.
std::string path_in_variable(Dwarf_Die* variable, std::uint64_t offset);

// The data of a class: its members, those of its bases and of members that are classes of the
// program, by offset, without overlap. A thing of the library is one member: the inside of a
// std::map is the map. Elements of short arrays are members of their own. Empty for the library's
// classes.
struct ClassMember {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::string path;  // as member_path() says
};
std::vector<ClassMember> data_members(Dwarf_Die type);

// Bytes; nothing if that is not known.
std::optional<std::uint64_t> size_of_type(Dwarf_Die type);
std::optional<std::uint64_t> size_of_variable(Dwarf_Die* variable);

}  // namespace raddle
