// Which local variable lies at an address of a thread's stack, according to DWARF. Called by the
// symbolizer.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <optional>
#include <string>

#include "host/symbols/dwarf_scopes.hpp"

namespace raddle {

struct LocalVariable {
  std::string path;      // "done", "account.m_", "locks[2]"
  std::string function;  // that declares it, inlined ones included: "main"
};

// `pc` is an instruction of the function (for a caller, the call itself); `cfa` is the frame's
// canonical frame address: the stack pointer before the call that made the frame. Knows variables
// at a fixed distance from it or, where the unwind tables tell where that is, from the frame or
// stack pointer: whatever has its address taken, at -O0 to -O3, from gcc and clang.
std::optional<LocalVariable> local_variable(Dwfl_Module* module, std::uint64_t pc,
                                            std::uint64_t cfa, std::uint64_t address,
                                            FunctionIndex& functions);

}  // namespace raddle
