#include "host/symbols/place.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <unordered_map>

namespace raddle {

std::string base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

const std::string& normal_path(std::string_view path) {
  constexpr std::size_t kMost = 4096;
  thread_local std::unordered_map<std::string, std::string> known;
  if (known.size() >= kMost) known.clear();
  const auto [entry, fresh] = known.try_emplace(std::string(path));
  if (fresh) entry->second = std::filesystem::path(path).lexically_normal().string();
  return entry->second;
}

bool is_system_header(std::string_view path) {
  // clang finds gcc's headers as "/usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/...".
  const std::string& normal = normal_path(path);
  for (std::string_view folder : {"/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm-"}) {
    if (normal.rfind(folder, 0) == 0) return true;
  }
  return false;
}

bool is_library_module(std::string_view module) {
  constexpr std::string_view kLibraries[] = {"libc.so",  "libc-2.",      "ld-linux",   "ld-2.",
                                             "ld-musl",  "libstdc++.so", "libc++.so",  "libc++abi",
                                             "libgcc_s", "libunwind",    "libpthread", "libm.so",
                                             "libdl.so", "librt.so",     "libraddle",  "[vdso]"};
  return std::any_of(std::begin(kLibraries), std::end(kLibraries),
                     [&](std::string_view prefix) { return module.rfind(prefix, 0) == 0; });
}

std::string without_long_arguments(std::string_view name) {
  constexpr std::size_t kLongest = 24;
  const bool library = name.rfind("std::", 0) == 0 || name.rfind("__gnu_cxx::", 0) == 0;
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    if (name[at] != '<' || out.ends_with("operator") || out.ends_with("operator<")) {
      out += name[at++];
      continue;
    }
    int depth = 0;
    std::size_t end = at;
    do {
      if (name[end] == '<') ++depth;
      if (name[end] == '>' && name[end - 1] != '-') --depth;
      ++end;
    } while (end < name.size() && depth > 0);
    const std::string_view arguments = name.substr(at, end - at);
    if (!library) out += arguments.size() <= kLongest ? arguments : "<...>";
    at = end;
  }
  return out;
}

}  // namespace raddle
