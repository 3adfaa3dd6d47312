// Whose code an address belongs to.
#pragma once

#include <cstdint>

namespace raddle {

// libraddle.so itself.
bool is_own_code(std::uint64_t pc);

// A place where a thread may be stopped for another: the program or its libraries, but not libc,
// the loader, the vdso or libraddle.so, which may hold locks that nobody can wait for.
bool is_preemptible_code(std::uint64_t pc);

// The C and C++ libraries and the unwinder.
bool is_runtime_library(std::uint64_t pc);
// The program's own code, as opposed to that of libc, the C++ library and their kin.
bool is_program_code(std::uint64_t pc);

// Called once before control is taken, and again by what loads libraries.
void learn_code_ranges();

}  // namespace raddle
