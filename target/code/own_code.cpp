#include "target/code/own_code.hpp"

#include <link.h>
#include <string.h>

#include "target/base/base.hpp"
#include "target/code/instrumentation.hpp"

namespace raddle {
namespace {

struct Range {
  std::uint64_t begin;
  std::uint64_t end;
};

constexpr int kMaxRanges = 64;
Range g_own[4];
int g_own_count;
Range g_untouchable[kMaxRanges];
int g_untouchable_count;
Range g_libraries[kMaxRanges];
int g_library_count;

constexpr const char* kLibraries[] = {"libstdc++.so.", "libgcc_s.so.",  "libc++.so.",
                                      "libc++abi.so.", "libunwind.so.", "libpthread.so.",
                                      "libm.so."};

bool contains(const Range* ranges, int count, std::uint64_t pc) {
  for (int i = 0; i < count; ++i) {
    if (pc >= ranges[i].begin && pc < ranges[i].end) return true;
  }
  return false;
}

bool has_base_name(const char* path, const char* prefix) {
  const char* slash = strrchr(path, '/');
  const char* base = slash != nullptr ? slash + 1 : path;
  return strncmp(base, prefix, strlen(prefix)) == 0;
}

int visit(dl_phdr_info* info, std::size_t, void*) {
  bool own = false;
  bool untouchable = has_base_name(info->dlpi_name, "libc.so.") ||
                     has_base_name(info->dlpi_name, "ld-linux") ||
                     has_base_name(info->dlpi_name, "linux-vdso");
  bool library = untouchable;
  for (const char* name : kLibraries) library |= has_base_name(info->dlpi_name, name);
  auto here = reinterpret_cast<std::uint64_t>(&visit);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    std::uint64_t begin = info->dlpi_addr + header.p_vaddr;
    if (here >= begin && here < begin + header.p_memsz) own = true;
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    Range range{info->dlpi_addr + header.p_vaddr,
                info->dlpi_addr + header.p_vaddr + header.p_memsz};
    if (own && g_own_count < 4) g_own[g_own_count++] = range;
    if (library && g_library_count < kMaxRanges) g_libraries[g_library_count++] = range;
    if (untouchable && g_untouchable_count < kMaxRanges)
      g_untouchable[g_untouchable_count++] = range;
  }
  return 0;
}

}  // namespace

void learn_code_ranges() {
  g_own_count = g_untouchable_count = g_library_count = 0;
  dl_iterate_phdr(visit, nullptr);
}

bool is_own_code(std::uint64_t pc) { return contains(g_own, g_own_count, pc); }

bool is_runtime_library(std::uint64_t pc) { return contains(g_libraries, g_library_count, pc); }

bool is_program_code(std::uint64_t pc) {
  return !is_own_code(pc) && !is_runtime_library(pc) && !in_hooks(pc);
}

bool is_preemptible_code(std::uint64_t pc) {
  return !is_own_code(pc) && !contains(g_untouchable, g_untouchable_count, pc) && !in_hooks(pc);
}

}  // namespace raddle
