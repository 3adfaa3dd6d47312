// What an ELF file says about itself, as far as Raddle needs to know before it starts it. Reads the
// file with bounds on everything: it may be truncated, damaged or made to confuse. Called by
// host/process/program/target.cpp alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace raddle {

struct ElfFile {
  bool is_64_bit = false;
  bool is_little_endian = false;
  std::uint16_t type = 0;     // ET_EXEC, ET_DYN, ...
  std::uint16_t machine = 0;  // EM_X86_64, ...
  // The rest is read from 64-bit little-endian files only.
  std::string interpreter;          // PT_INTERP; empty: statically linked, or a library
  std::string soname;               // DT_SONAME
  bool is_pie = false;              // DF_1_PIE
  std::vector<std::string> needed;  // DT_NEEDED, in order
  std::string build_id;             // hex, empty if there is none
  bool has_debug_info = false;      // .debug_info
  bool has_debug_link = false;      // .gnu_debuglink
  bool has_go_info = false;         // .go.buildinfo
  bool defines_asan = false;        // AddressSanitizer's runtime is linked into it
  bool defines_tsan = false;        // ThreadSanitizer's
  bool calls_clone = false;         // the C library's clone()
};

// True if the first bytes of a file are those of an ELF file.
bool is_elf(const std::string& start);

// `fd` is open for reading and has `size` bytes. The error is a phrase about the file: "its program
// headers lie beyond its end". Damage that the loader would not notice either (in the section
// headers) is no error: those facts are missing then.
Result<ElfFile> read_elf(int fd, std::uint64_t size);

}  // namespace raddle
