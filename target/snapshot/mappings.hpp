// What the process has mapped, as the kernel says it. Reads /proc/self/maps without any memory of
// its own: the caller brings the buffer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace raddle {

struct Mapping {
  std::uint64_t begin;
  std::uint64_t end;
  bool readable;
  bool writable;
  bool shared;
  bool file;             // what no access has touched yet is the file's, and not zero
  bool stack;            // of the main thread: it grows
  bool kernel;           // the kernel's own pages (vdso, vvar)
  std::uint64_t inode;   // of the file
  std::uint64_t offset;  // in the file, of `begin`
};

// All mappings in the order of addresses; at most `capacity`. Returns how many, or -1 if they do
// not fit or cannot be read.
int read_mappings(Mapping* out, int capacity, char* buffer, std::size_t buffer_size);

}  // namespace raddle
