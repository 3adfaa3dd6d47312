// The classes of a module by name. Called by the symbolizer.
#pragma once

#include <elfutils/libdwfl.h>

#include <string>
#include <string_view>
#include <unordered_map>

namespace raddle {

// "bank::Account" -> its type; names as class_key() has them. The first definition of several.
using ClassTypes = std::unordered_map<std::string, Dwarf_Die>;

// One spelling for a class: compilers and demanglers differ in "Queue<long int>" and "Queue<long>".
std::string class_key(std::string_view name);

// Adds the classes of a module, those inside functions included. Gives up on what is left of a very
// large program.
void add_classes(Dwfl_Module* module, ClassTypes& classes);

}  // namespace raddle
