// The frame around everything in a trace file: a header with a checksum of its own, then the
// contents. Records are stored as they are, with a checksum; everything else is one zstd frame,
// with zstd's. A block is whole or it is damage.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "host/base/result.hpp"

namespace raddle {

inline constexpr std::string_view kTraceMagic = "raddle trace\n";
inline constexpr std::uint32_t kTraceVersion = 3;
inline constexpr std::size_t kTraceStart = kTraceMagic.size() + 4;  // where the first block begins

enum class BlockKind : std::uint8_t { kHeader = 1, kDefinitions = 2, kRecords = 3, kEnd = 4 };

inline constexpr std::size_t kBlockHeaderBytes = 16;
// Of the contents. Linux gives a new program at most 6 MB of arguments; escaped in JSON that grows.
inline constexpr std::uint32_t kMaxHeaderContents = 16 << 20;
inline constexpr std::uint32_t kMaxContents = 4 << 20;

struct BlockHeader {
  BlockKind kind{};
  std::uint32_t stored = 0;    // bytes in the file
  std::uint32_t contents = 0;  // bytes that they stand for
};

// How the contents of a block of records begin; the records follow.
struct RecordsHeader {
  std::uint64_t before = 0;  // bytes of records in the blocks before this one
  bool fresh = false;        // the model is as new at the first record
};
inline constexpr std::size_t kRecordsHeaderBytes = 16;
// The bytes of a block before its records.
std::string records_block_start(const RecordsHeader& header, std::string_view records);
// Null and `*header` set, or what is wrong with the contents of such a block.
const char* parse_records(std::string_view contents, RecordsHeader* header);

// Null and `*header` set, or what is wrong with these kBlockHeaderBytes bytes, as a phrase.
const char* parse_block_header(std::string_view bytes, BlockHeader* header);

// The first bytes of a file, up to the first block.
std::string trace_start();

class BlockCompressor {
 public:
  BlockCompressor();
  // The whole block, of any kind but records; valid until the next call. The contents must not be
  // larger than the kind allows. The error is a phrase: zstd has no memory.
  Result<std::string_view> seal(BlockKind kind, std::string_view contents);

 private:
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
  std::string buffer_;
};

class BlockDecompressor {
 public:
  BlockDecompressor();
  // Null and `*contents` filled, or a phrase. `*contents` gets header.contents bytes, and keeps
  // what capacity it has.
  const char* open(const BlockHeader& header, std::string_view stored, std::string* contents);

 private:
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_;
};

}  // namespace raddle
