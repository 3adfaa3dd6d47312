#include "target/snapshot/own_memory.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "target/base/base.hpp"

namespace raddle {

bool OwnMemory::map(std::uint64_t where, std::size_t bytes) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  const long result =
      raw_syscall(SYS_mmap, long(where), long(bytes), PROT_READ | PROT_WRITE, kFlags, -1, 0);
  // A kernel that does not know the flag takes the address for a hint.
  if (result != long(where)) {
    if (result > 0) raw_syscall(SYS_munmap, result, long(bytes));
    return false;
  }
  begin_ = next_ = where;
  end_ = begin_ + bytes;
  return true;
}

void OwnMemory::unmap() {
  if (end_ != 0) raw_syscall(SYS_munmap, long(begin_), long(end_ - begin_));
  begin_ = next_ = end_ = 0;
}

void* OwnMemory::allocate(std::size_t bytes) {
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t alignment = bytes >= kPage ? kPage : 64;
  const std::uint64_t at = (next_ + alignment - 1) & ~(alignment - 1);
  if (at + bytes > end_) return nullptr;
  next_ = at + bytes;
  return reinterpret_cast<void*>(at);
}

void OwnMemory::protect(bool from_writes) const {
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t used = (next_ - begin_ + kPage - 1) / kPage * kPage;
  raw_syscall(SYS_mprotect, long(begin_), long(used),
              from_writes ? PROT_READ : PROT_READ | PROT_WRITE);
}

}  // namespace raddle
