#include "host/describe/call_frames.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "host/base/printable.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

// Linkers write a new file. That of "fe:01 1234" is not the one that ran if its inode is another.
bool is_same_file(const LoadedObject& image) {
  struct stat now{};
  if (stat(image.path.c_str(), &now) != 0) return false;
  const std::size_t space = image.identity.rfind(' ');
  return space != std::string::npos &&
         image.identity.substr(space + 1) == std::to_string(now.st_ino);
}

std::string whole_path(const std::string& file) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return file;
  return std::filesystem::absolute(file, none).lexically_normal();
}

}  // namespace

void CallFrames::load(const std::vector<LoadedObject>& images) {
  if (images == asked_) return;
  asked_ = images;
  usable_.clear();
  std::copy_if(images.begin(), images.end(), std::back_inserter(usable_), is_same_file);
  std::sort(usable_.begin(), usable_.end(),
            [](const LoadedObject& a, const LoadedObject& b) { return a.low < b.low; });
  symbols_.set_objects(usable_);
}

CallFrames::Found CallFrames::at(std::uint64_t return_address,
                                 const std::vector<LoadedObject>& images) {
  load(images);
  Found found;
  for (const LoadedObject& image : usable_) {
    if (return_address <= image.low || return_address > image.high) continue;
    found.known = true;
    // To look through the symbols of the C and C++ libraries takes longer than all the rest.
    if (is_library_module(base_name(image.path))) return found;
  }
  if (!found.known) return found;
  for (const Frame& frame : symbols_.frames(return_address, true)) {
    if (!frame.in_program) continue;
    found.frames.push_back({printable(whole_path(frame.where.file)), frame.where.line,
                            printable(without_long_arguments(frame.where.function))});
  }
  return found;
}

}  // namespace raddle
