// What a program printed: the first and the last part of it, and how much there was between. Filled
// from a pipe that is emptied all the time, so that the program never waits for us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace raddle {

inline constexpr std::size_t kCapturePart = 64 * 1024;

class Capture {
 public:
  void clear();
  void add(std::string_view data);

  // Reads everything that a non-blocking descriptor has now, at most `limit` bytes so that a
  // program that prints without end cannot hold the host. False at the end of the file.
  bool drain(int fd, std::size_t limit);

  // The kept text; what was left out is a line in the middle.
  std::string text() const;

 private:
  std::string head_;
  std::string tail_;  // up to twice kCapturePart; text() shows the last kCapturePart
  std::uint64_t bytes_ = 0;
};

}  // namespace raddle
