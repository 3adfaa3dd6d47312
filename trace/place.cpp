#include "trace/place.hpp"

#include <filesystem>

namespace raddle {

std::string base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

bool is_system_header(std::string_view path) {
  // clang finds gcc's headers as "/usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/...".
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  for (std::string_view folder : {"/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm-"}) {
    if (normal.rfind(folder, 0) == 0) return true;
  }
  return false;
}

}  // namespace raddle
