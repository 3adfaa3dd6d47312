#include "host/report/document/source_root.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace raddle {
namespace fs = std::filesystem;
namespace {

fs::path absolute(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  return (here / path).lexically_normal();
}

std::string checkout() {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  for (fs::path folder = here; !folder.empty(); folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", error)) return folder.string();
    if (folder == folder.parent_path()) break;
  }
  return here.string();
}

std::string escaped(const std::string& path) {
  std::string uri;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '-' || c == '.' || c == '_' || c == '~' || c == '+';
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

}  // namespace

std::string source_root(const Document& document) {
  const std::string folder =
      document.source_root.empty() ? checkout() : absolute(document.source_root).string();
  return folder.ends_with('/') ? folder : folder + "/";
}

std::string source_path(const std::string& root, const std::string& file) {
  const std::string path = absolute(file).string();
  return path.starts_with(root) ? path.substr(root.size()) : path;
}

std::string file_uri(const std::string& absolute) { return "file://" + escaped(absolute); }

SourceUri source_uri(const std::string& root, const std::string& file) {
  const std::string path = source_path(root, file);
  return path.starts_with('/') ? SourceUri{file_uri(path), false} : SourceUri{escaped(path), true};
}

}  // namespace raddle
