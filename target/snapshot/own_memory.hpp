// Memory of the code that puts a process back: never put back itself. It lies far from everything
// else, so that the program's own mappings get the addresses that they have in a forked process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace raddle {

// Handed out once and never given back; pages that nobody touches cost nothing.
class OwnMemory {
 public:
  // False if something else is there.
  bool map(std::uint64_t where, std::size_t bytes);
  void unmap();
  // Null when there is no more. Zero, and aligned to pages if it is a page or larger.
  void* allocate(std::size_t bytes);
  bool contains(std::uint64_t address) const { return address >= begin_ && address < end_; }
  // A program gone wild writes to it no more than to any other memory that it does not have. Of
  // what was handed out: the kernel goes through all of it.
  void protect(bool from_writes) const;

 private:
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t next_ = 0;
};

inline constexpr std::uint64_t kFrameMemory =
    0x6b08'0000'0000;  // what every execution's end writes
inline constexpr std::uint64_t kOwnMemory = 0x6b00'0000'0000;
inline constexpr std::size_t kOwnMemorySize = std::size_t{64} << 20;
inline constexpr std::uint64_t kStoreMemory = 0x6b10'0000'0000;  // the contents of pages
inline constexpr std::uint64_t kPointMemory = 0x6b20'0000'0000;  // points in the middle

}  // namespace raddle
