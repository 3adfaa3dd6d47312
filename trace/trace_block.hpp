// The frame around everything in a trace file: a header with a checksum of its own, then one zstd
// frame with zstd's checksum of the contents. A block is whole or it is damage.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "trace/result.hpp"

namespace raddle {

inline constexpr std::string_view kTraceMagic = "raddle trace\n";
inline constexpr std::uint32_t kTraceVersion = 1;
inline constexpr std::size_t kTraceStart = kTraceMagic.size() + 4;  // where the first block begins

enum class BlockKind : std::uint8_t { kHeader = 1, kData = 2, kEnd = 3 };

inline constexpr std::size_t kBlockHeaderBytes = 16;
// Of the contents. Linux gives a new program at most 6 MB of arguments; escaped in JSON that grows.
inline constexpr std::uint32_t kMaxHeaderContents = 16 << 20;
inline constexpr std::uint32_t kMaxContents = 4 << 20;

struct BlockHeader {
  BlockKind kind{};
  std::uint32_t stored = 0;    // bytes of the zstd frame
  std::uint32_t contents = 0;  // bytes that it decompresses to
};

// Null and `*header` set, or what is wrong with these kBlockHeaderBytes bytes, as a phrase.
const char* parse_block_header(std::string_view bytes, BlockHeader* header);

// The first bytes of a file, up to the first block.
std::string trace_start();

class BlockCompressor {
 public:
  // Fast, by measurement (bench/trace_codec.cpp).
  static constexpr int kLevel = -20;
  explicit BlockCompressor(int level = kLevel);
  // The whole block; valid until the next call. The contents must not be larger than the kind
  // allows. The error is a phrase: zstd has no memory.
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
