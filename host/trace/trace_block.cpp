#include "host/trace/trace_block.hpp"

#include "host/base/bytes.hpp"
#include "host/base/crc32.hpp"
#include "host/base/crc32c.hpp"

namespace raddle {
namespace {

constexpr std::size_t kSummedBytes = kBlockHeaderBytes - 4;  // the checksum is behind them

// A frame begins with a magic number and a descriptor, in which one bit says that a checksum of
// the contents follows them.
bool has_checksum(std::string_view frame) {
  return frame.size() > 4 && (static_cast<unsigned char>(frame[4]) & 4) != 0;
}

std::string block_header(BlockKind kind, std::size_t stored, std::size_t contents) {
  std::string header;
  put_fixed(&header, static_cast<std::uint32_t>(kind));
  put_fixed(&header, static_cast<std::uint32_t>(stored));
  put_fixed(&header, static_cast<std::uint32_t>(contents));
  put_fixed(&header, crc32(header));
  return header;
}

constexpr std::uint32_t kFresh = 1;

}  // namespace

std::string records_block_start(const RecordsHeader& header, std::string_view records) {
  const std::size_t contents = kRecordsHeaderBytes + records.size();
  std::string start = block_header(BlockKind::kRecords, contents, contents);
  put_fixed(&start, header.before);
  put_fixed(&start, header.fresh ? kFresh : 0);
  const std::string_view summed = std::string_view(start).substr(kBlockHeaderBytes);
  put_fixed(&start, crc32c(records, crc32c(summed)));
  return start;
}

const char* parse_records(std::string_view contents, RecordsHeader* header) {
  ByteReader reader(contents);
  header->before = reader.fixed<std::uint64_t>();
  const auto flags = reader.fixed<std::uint32_t>();
  const auto sum = reader.fixed<std::uint32_t>();
  if (!reader.ok()) return "a block of records is too short";
  const std::string_view summed = contents.substr(0, kRecordsHeaderBytes - sizeof sum);
  if (sum != crc32c(reader.rest(), crc32c(summed))) return "the checksum of records is wrong";
  if (flags > kFresh) return "a block is not as this raddle writes them";
  header->fresh = flags == kFresh;
  return nullptr;
}

std::string trace_start() {
  std::string bytes(kTraceMagic);
  put_fixed(&bytes, kTraceVersion);
  return bytes;
}

const char* parse_block_header(std::string_view bytes, BlockHeader* header) {
  ByteReader reader(bytes);
  const auto kind = reader.fixed<std::uint32_t>();
  header->stored = reader.fixed<std::uint32_t>();
  header->contents = reader.fixed<std::uint32_t>();
  if (reader.fixed<std::uint32_t>() != crc32(bytes.substr(0, kSummedBytes))) {
    return "the checksum of a block's header is wrong";
  }
  if (kind < 1 || kind > 4) return "a block is of an unknown kind";
  header->kind = static_cast<BlockKind>(kind);
  const std::uint32_t most = header->kind == BlockKind::kHeader ? kMaxHeaderContents : kMaxContents;
  if (header->contents > most || header->stored > ZSTD_compressBound(most)) {
    return "a block is larger than it can be";
  }
  if (header->kind == BlockKind::kRecords && header->stored != header->contents) {
    return "a block of records says two lengths";
  }
  return nullptr;
}

BlockCompressor::BlockCompressor() : context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
  if (!context_) return;
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, 1);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
}

Result<std::string_view> BlockCompressor::seal(BlockKind kind, std::string_view contents) {
  if (!context_) return Error{"there is not enough memory to compress"};
  const std::size_t bound = ZSTD_compressBound(contents.size());
  if (buffer_.size() < kBlockHeaderBytes + bound) buffer_.resize(kBlockHeaderBytes + bound);
  const std::size_t stored = ZSTD_compress2(context_.get(), buffer_.data() + kBlockHeaderBytes,
                                            bound, contents.data(), contents.size());
  if (ZSTD_isError(stored)) return Error{ZSTD_getErrorName(stored)};
  const std::string header = block_header(kind, stored, contents.size());
  buffer_.replace(0, header.size(), header);
  return std::string_view(buffer_).substr(0, kBlockHeaderBytes + stored);
}

BlockDecompressor::BlockDecompressor() : context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {}

const char* BlockDecompressor::open(const BlockHeader& header, std::string_view stored,
                                    std::string* contents) {
  if (!context_) return "there is not enough memory to read it";
  if (!has_checksum(stored)) return "a block has no checksum";
  contents->resize(header.contents);
  const std::size_t size = ZSTD_decompressDCtx(context_.get(), contents->data(), contents->size(),
                                               stored.data(), stored.size());
  if (ZSTD_isError(size)) return ZSTD_getErrorName(size);
  return size == header.contents ? nullptr : "a block is shorter than its header says";
}

}  // namespace raddle
