// What a captured program has as standard output or standard error: of the kind that an execution
// was recorded with, and read by us whatever it is. Called by launch(), by the worker, and to
// prepare gdb.
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/base/unique_fd.hpp"
#include "host/replay/stream_kinds.hpp"

namespace raddle {

struct OutputChannel {
  UniqueFd child;  // for the program
  UniqueFd read;   // what it writes, non-blocking; not open for kFile and kNull
  UniqueFd file;   // kFile: what it writes is there
};

// kOther becomes a pipe.
Result<OutputChannel> make_output_channel(StreamKind kind);

// What the program wrote into `file`, which is empty afterwards, and written from its beginning.
std::string take_contents(const UniqueFd& file);

// The kind of one of our own descriptors; a closed one is kNull, as we open those.
StreamKind stream_kind_of(int fd);

}  // namespace raddle
