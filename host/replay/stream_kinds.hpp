// What a program's standard streams are connected to. Programs look (isatty), and the C library
// does: it buffers by line on a terminal, in blocks elsewhere. So it is a part of an execution, and
// of the replay file.
#pragma once

#include <cstdint>

namespace raddle {

enum class StreamKind : std::uint8_t {
  kPipe,
  kFile,  // a regular file
  kNull,  // /dev/null
  kTerminal,
  kOther,  // a socket, another device
};

inline constexpr const char* kStreamKindNames[] = {"pipe", "file", "null", "terminal", "other"};

struct StreamKinds {
  StreamKind input = StreamKind::kNull;
  StreamKind output = StreamKind::kPipe;
  StreamKind error = StreamKind::kPipe;
  friend bool operator==(const StreamKinds&, const StreamKinds&) = default;
};

}  // namespace raddle
