#include "target/snapshot/exit_call.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "target/base/base.hpp"

namespace raddle {

const char* redirect_exit(void (*instead)(int status)) {
  auto* code = static_cast<unsigned char*>(next_symbol("_exit"));
  const auto address = reinterpret_cast<std::uint64_t>(instead);
  // movabs $address, %rax; jmp *%rax
  unsigned char jump[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  for (int i = 0; i < 8; ++i) jump[2 + i] = static_cast<unsigned char>(address >> (8 * i));
  const std::uint64_t begin = reinterpret_cast<std::uint64_t>(code) & ~std::uint64_t{4095};
  const std::uint64_t end =
      (reinterpret_cast<std::uint64_t>(code) + sizeof(jump) + 4095) & ~std::uint64_t{4095};
  if (raw_syscall(SYS_mprotect, long(begin), long(end - begin),
                  PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return "libc's code cannot be changed here";
  for (std::size_t i = 0; i < sizeof(jump); ++i) code[i] = jump[i];
  raw_syscall(SYS_mprotect, long(begin), long(end - begin), PROT_READ | PROT_EXEC);
  return nullptr;
}

}  // namespace raddle
