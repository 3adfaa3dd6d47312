#include "host/symbols/debug_files.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace raddle {

namespace {

// The CRC-32 of .gnu_debuglink over the whole file.
GElf_Word file_crc(int fd) {
  GElf_Word crc = 0xffffffffu;
  std::vector<unsigned char> block(1 << 16);
  off_t offset = 0;
  for (;;) {
    const ssize_t got = ::pread(fd, block.data(), block.size(), offset);
    if (got <= 0) break;
    offset += got;
    for (ssize_t i = 0; i < got; ++i) {
      crc ^= block[static_cast<std::size_t>(i)];
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
    }
  }
  return ~crc;
}

bool same_build_id(int fd, const unsigned char* bits, int length) {
  std::unique_ptr<Elf, decltype(&elf_end)> elf(elf_begin(fd, ELF_C_READ_MMAP, nullptr), &elf_end);
  if (!elf) return false;
  const void* found = nullptr;
  const ssize_t found_length = dwelf_elf_gnu_build_id(elf.get(), &found);
  return found_length == length && std::memcmp(found, bits, static_cast<std::size_t>(length)) == 0;
}

}  // namespace

int find_local_debug_file(Dwfl_Module* module, void** user_data, const char* module_name,
                          Dwarf_Addr base, const char* file_name, const char* debuglink_file,
                          GElf_Word debuglink_crc, char** debug_file_name) {
  const int by_id = dwfl_build_id_find_debuginfo(module, user_data, module_name, base, file_name,
                                                 debuglink_file, debuglink_crc, debug_file_name);
  if (by_id >= 0) ::fcntl(by_id, F_SETFD, FD_CLOEXEC);
  if (by_id >= 0 || file_name == nullptr || debuglink_file == nullptr) return by_id;

  namespace fs = std::filesystem;
  const fs::path link = fs::path(debuglink_file).filename();
  const fs::path folder = fs::path(file_name).parent_path();
  const std::array<fs::path, 3> candidates = {
      folder / link, folder / ".debug" / link,
      fs::path("/usr/lib/debug") / folder.relative_path() / link};
  const unsigned char* bits = nullptr;
  GElf_Addr id_address = 0;
  const int id_length = dwfl_module_build_id(module, &bits, &id_address);
  for (const fs::path& candidate : candidates) {
    if (candidate == fs::path(file_name)) continue;
    const int fd = ::open(candidate.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    const bool fits =
        id_length > 0 ? same_build_id(fd, bits, id_length) : file_crc(fd) == debuglink_crc;
    if (fits) {
      *debug_file_name = ::strdup(candidate.c_str());
      return fd;
    }
    ::close(fd);
  }
  errno = 0;  // libdwfl: "there is none", as opposed to "it cannot be read"
  return -1;
}

}  // namespace raddle
