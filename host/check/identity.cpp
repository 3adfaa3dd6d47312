#include "host/check/identity.hpp"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "host/base/unique_fd.hpp"

namespace raddle {
namespace {

class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  std::uint32_t bits24() const {
    return static_cast<std::uint32_t>(value_ ^ (value_ >> 24) ^ (value_ >> 48)) & 0xffffff;
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

std::size_t aligned4(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

// The first object is the program itself: stops there.
int find_build_id(dl_phdr_info* info, std::size_t, void* data) {
  auto& id = *static_cast<std::string_view*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are what the loader has
    const char* at = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
    const char* end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const char* content = name + aligned4(note.n_namesz);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
          std::memcmp(name, "GNU", 4) == 0) {
        id = {content, note.n_descsz};
        return 1;
      }
      at = content + aligned4(note.n_descsz);
    }
  }
  return 1;
}

std::uint32_t build_hash() {
  Hash hash;
  std::string_view id;
  dl_iterate_phdr(find_build_id, &id);
  hash.add(id);
  if (!id.empty()) return hash.bits24();
  const UniqueFd fd(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  std::string buffer(1 << 16, '\0');
  for (ssize_t n = 1; fd && n > 0;) {
    n = read(fd.get(), buffer.data(), buffer.size());
    if (n > 0) hash.add({buffer.data(), static_cast<std::size_t>(n)});
  }
  return hash.bits24();
}

}  // namespace

TestIdentity identity_of(std::string_view test, std::string_view file, unsigned line) {
  static const std::uint32_t build = build_hash();
  Hash hash;
  hash.add(test);
  hash.add(file.substr(file.rfind('/') + 1));
  hash.add(":" + std::to_string(line));
  return {hash.bits24(), build};
}

}  // namespace raddle
