// The text of source lines, for reports. The files are those that debug information and traces
// name: they may be gone, be another version, or be no text at all.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace raddle {

class SourceLines {
 public:
  // The line without the white space around it, fit for a terminal; empty if the file is not there,
  // is no regular file, is too large to be a source file, or has no such line. Files are read once
  // and kept.
  std::string line(const std::string& file, std::uint32_t number);

 private:
  static constexpr std::size_t kMostBytes = 16 << 20;  // of one file
  static constexpr std::size_t kMostFiles = 64;        // kept at a time
  struct File {
    std::string text;
    std::vector<std::size_t> begins;  // of each line
  };
  static File read(const std::string& path);
  std::unordered_map<std::string, File> files_;
};

}  // namespace raddle
