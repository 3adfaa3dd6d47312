#include "host/replay/replay_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "host/base/atomic_file.hpp"
#include "host/base/crc32.hpp"
#include "host/replay/replay_metadata.hpp"

namespace raddle {
namespace {

constexpr char kAgain[] =
    "record it again with `raddle hunt -- PROGRAM' or `raddle run --save FILE -- "
    "PROGRAM'";

// The fixed part of the file; docs/replay_format.md has the offsets.
constexpr std::size_t kVersionOffset = kReplayMagic.size();
constexpr std::size_t kHeaderSize = kReplayMagic.size() + 2 * 4 + 3 * 8;
constexpr std::size_t kTrailerSize = 4;
constexpr std::uint64_t kMaxCompressedLog = kMaxLogSteps * (kMaxPackedStep + 1);

struct Header {
  std::uint64_t metadata_bytes = 0;
  std::uint64_t steps = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t compressed_bytes = 0;
};

template <class Integer>
void put(std::string* out, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out->push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }
}

template <class Integer>
Integer get(std::string_view bytes, std::size_t offset) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[offset + i])} << (8 * i);
  }
  return static_cast<Integer>(value);
}

Error truncated(const std::string& name, std::uint64_t size) {
  return Error{fmt::format("{} is truncated at byte {}: {}", name, size, kAgain)};
}

Error damaged(const std::string& name, const std::string& why) {
  return Error{fmt::format("{} is damaged: {}; {}", name, why, kAgain)};
}

// `start`: the first bytes of a file of `size` bytes, all of the header if the file has that many.
// On success the file has exactly the size that the header says.
Result<Header> parse_header(std::string_view start, std::uint64_t size, const std::string& name) {
  if (size == 0) return Error{fmt::format("{} is empty: {}", name, kAgain)};
  const std::string_view magic = start.substr(0, kReplayMagic.size());
  if (magic != kReplayMagic.substr(0, magic.size())) {
    return Error{fmt::format(
        "{} is not a replay file: give one that `raddle hunt', `raddle fuzz' or `raddle run "
        "--save' wrote",
        name)};
  }
  if (start.size() < kVersionOffset + 4) return truncated(name, size);
  const std::uint32_t version = get<std::uint32_t>(start, kVersionOffset);
  if (version > kReplayVersion) {
    return Error{
        fmt::format("{} was written by a newer raddle (version {}, this one reads {}): "
                    "replay it with that raddle, or {}",
                    name, version, kReplayVersion, kAgain)};
  }
  if (version == 0) return damaged(name, "no version 0 exists");
  if (version < kReplayVersion) {
    return Error{
        fmt::format("{} was written by an older raddle (version {}, this one reads {}): {}", name,
                    version, kReplayVersion, kAgain)};
  }
  if (start.size() < kHeaderSize) return truncated(name, size);

  Header header;
  header.metadata_bytes = get<std::uint32_t>(start, kVersionOffset + 4);
  header.steps = get<std::uint64_t>(start, kVersionOffset + 8);
  header.packed_bytes = get<std::uint64_t>(start, kVersionOffset + 16);
  header.compressed_bytes = get<std::uint64_t>(start, kVersionOffset + 24);
  if (header.metadata_bytes > kMaxReplayMetadata || header.compressed_bytes > kMaxCompressedLog ||
      header.steps > kMaxLogSteps) {
    return damaged(name, "its header claims more than a replay file can hold");
  }
  const std::uint64_t expected =
      kHeaderSize + header.metadata_bytes + header.compressed_bytes + kTrailerSize;
  if (size < expected) return truncated(name, size);
  if (size > expected) {
    return damaged(name, fmt::format("it should end at byte {} but has {}", expected, size));
  }
  return header;
}

Result<ReplayFile> parse_checked(std::string_view bytes, const std::string& name) {
  const Result<Header> header =
      parse_header(bytes.substr(0, std::min(bytes.size(), kHeaderSize)), bytes.size(), name);
  if (!header) return Error{header.error()};
  const std::size_t body = bytes.size() - kTrailerSize;
  if (get<std::uint32_t>(bytes, body) != crc32(bytes.substr(0, body))) {
    return damaged(name, "its checksum does not match");
  }
  Result<ReplayFile> file = parse_metadata(bytes.substr(kHeaderSize, header->metadata_bytes));
  if (!file) return damaged(name, file.error());
  Result<std::vector<StepRecord>> log =
      decompress_log(header->steps, header->packed_bytes,
                     bytes.substr(kHeaderSize + header->metadata_bytes, header->compressed_bytes));
  if (!log) return damaged(name, log.error());
  file->log = std::move(*log);
  return file;
}

Error out_of_memory(const std::string& name) {
  return Error{fmt::format("{} does not fit into memory: replay it where there is more", name)};
}

// Closes on every way out of read_replay().
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

// Reads until the end or until `size` bytes are there; errno on failure.
int read_some(int fd, std::uint64_t size, std::string* bytes) {
  bytes->resize(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = read(fd, bytes->data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes->resize(done);
  return 0;
}

Error cannot_read(const std::string& path, int error) {
  const char* advice = error == ENOENT ? "check the name; `raddle fuzz' prints it for each finding"
                                       : "check its permissions";
  return Error{fmt::format("cannot read {}: {}; {}", path, std::strerror(error), advice)};
}

Result<ReplayFile> read_checked(const std::string& path) {
  // O_NONBLOCK: a named pipe must not make us wait before we can refuse it.
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat info{};
  if (file.fd < 0 || fstat(file.fd, &info) != 0) return cannot_read(path, errno);
  if (!S_ISREG(info.st_mode)) {
    return Error{fmt::format(
        "{} is {}, not a replay file: give one that `raddle hunt', `raddle fuzz' or `raddle "
        "run --save' wrote",
        path, S_ISDIR(info.st_mode) ? "a folder" : "a device or pipe")};
  }
  std::string bytes;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  int error = read_some(file.fd, std::min<std::uint64_t>(size, kHeaderSize), &bytes);
  if (error != 0) return cannot_read(path, error);
  const Result<Header> header = parse_header(bytes, size, path);
  if (!header) return Error{header.error()};
  std::string rest;
  error = read_some(file.fd, size - bytes.size(), &rest);
  if (error != 0) return cannot_read(path, error);
  return parse_replay(bytes + rest, path);
}

}  // namespace

std::string frame_replay(std::string_view metadata, const CompressedLog& log) {
  std::string bytes(kReplayMagic);
  bytes.reserve(kHeaderSize + metadata.size() + log.bytes.size() + kTrailerSize);
  put(&bytes, kReplayVersion);
  put(&bytes, static_cast<std::uint32_t>(metadata.size()));
  put(&bytes, log.steps);
  put(&bytes, log.packed_bytes);
  put(&bytes, static_cast<std::uint64_t>(log.bytes.size()));
  bytes.append(metadata);
  bytes.append(log.bytes);
  put(&bytes, crc32(bytes));
  return bytes;
}

Result<std::string> serialize_replay(const ReplayFile& file) {
  const Result<std::string> metadata = format_metadata(file);
  if (!metadata) return Error{metadata.error()};
  if (metadata->size() > kMaxReplayMetadata) {
    return Error{"arguments and environment are too large for a replay file"};
  }
  const Result<CompressedLog> log = compress_log(file.log);
  if (!log) return Error{log.error()};
  return frame_replay(*metadata, *log);
}

Result<ReplayFile> parse_replay(std::string_view bytes, const std::string& name) {
  try {
    return parse_checked(bytes, name);
  } catch (const std::bad_alloc&) {
    return out_of_memory(name);
  }
}

Result<std::monostate> write_replay(const std::string& path, const ReplayFile& file) {
  const Result<std::string> bytes = serialize_replay(file);
  if (!bytes) return Error{fmt::format("cannot write {}: {}", path, bytes.error())};
  return write_file_atomically(path, *bytes);
}

Result<ReplayFile> read_replay(const std::string& path) {
  try {
    return read_checked(path);
  } catch (const std::bad_alloc&) {
    return out_of_memory(path);
  }
}

}  // namespace raddle
