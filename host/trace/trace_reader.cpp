#include "host/trace/trace_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/base/bytes.hpp"
#include "host/trace/stream_decoder.hpp"
#include "host/trace/trace_block.hpp"
#include "host/trace/trace_definitions.hpp"
#include "host/trace/trace_metadata.hpp"

namespace raddle {
namespace {

constexpr char kAgain[] = "record it again with `raddle record -- PROGRAM'";
constexpr char kSalvage[] = "`--salvage' reads what comes before it";

class File {
 public:
  explicit File(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) errno_ = errno;
  }
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Less than `bytes` at the end of the file, and after an error. Memory grows with what is there.
  void read(std::size_t bytes, std::string* into) {
    into->clear();
    append(bytes, into);
    // The writer may have finished its block in the meantime, and gone.
    if (into->size() < bytes && errno_ == 0 && !locked()) append(bytes, into);
  }
  // A writer is alive; see TraceWriter::create().
  bool locked() const {
    if (fd_ < 0) return false;
    if (flock(fd_, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
    flock(fd_, LOCK_UN);
    return false;
  }
  std::uint64_t offset() const { return offset_; }
  int error() const { return errno_; }

 private:
  void append(std::size_t bytes, std::string* into) {
    constexpr std::size_t kPiece = 256 << 10;
    while (into->size() < bytes && errno_ == 0) {
      const std::size_t start = into->size();
      const std::size_t piece = std::min(bytes - start, kPiece);
      into->resize(start + piece);
      const ssize_t got = ::read(fd_, into->data() + start, piece);
      into->resize(start + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got == 0) return;
      if (got > 0) offset_ += static_cast<std::uint64_t>(got);
      if (got < 0 && errno != EINTR) errno_ = errno;
    }
  }

  int fd_;
  int errno_ = 0;
  std::uint64_t offset_ = 0;
};

// Definitions go to both, records to the decoder.
class Tee final : public StreamSink {
 public:
  Tee(StreamDecoder& decoder, StreamSink& other) : decoder_(decoder), other_(other) {}

  void define_site(SiteId id, const Site& site) override {
    decoder_.define_site(id, site);
    other_.define_site(id, site);
  }
  void define_object(NameAnchor from, std::uint64_t address, std::uint64_t bytes,
                     const std::string& name) override {
    decoder_.define_object(from, address, bytes, name);
    other_.define_object(from, address, bytes, name);
  }
  void define_member(NameAnchor from, const std::string& cls, std::uint32_t offset,
                     const std::string& member) override {
    decoder_.define_member(from, cls, offset, member);
    other_.define_member(from, cls, offset, member);
  }
  void define_code(const CodeRange& range) override {
    decoder_.define_code(range);
    other_.define_code(range);
  }
  void records(std::span<const std::uint8_t> bytes, bool fresh) override {
    decoder_.records(bytes, fresh);
  }

 private:
  StreamDecoder& decoder_;
  StreamSink& other_;
};

class Reader {
 public:
  // `stream`: gets what is in the file, and gives it to the decoder, which gives it to the sink.
  Reader(const std::string& path, EventSink& sink, const ReadOptions& options,
         StreamDecoder& decoder, StreamSink& stream)
      : path_(path),
        file_(path),
        sink_(sink),
        options_(options),
        decoder_(decoder),
        stream_(stream) {}

  Result<ReadSummary> read() {
    if (const std::string problem = read_start(); !problem.empty()) return Error{problem};
    while (read_block()) {
    }
    decoder_.flush();
    summary_.events = decoder_.events();
    if (file_.error() != 0) return Error{cannot_read()};
    if (!begun_) {
      const TraceDamage damage = summary_.damage.value_or(
          TraceDamage{file_.offset(), "the file breaks off before the trace begins"});
      return Error{at(damage.offset, damage.what, kAgain)};
    }
    if (summary_.damage && !options_.salvage) {
      return Error{at(summary_.damage->offset, summary_.damage->what, kSalvage)};
    }
    if (summary_.damage) summary_.end.complete = false;
    summary_.end.events = summary_.events;
    sink_.end(summary_.end);
    return std::move(summary_);
  }

 private:
  std::string at(std::uint64_t offset, std::string_view what, std::string_view advice) const {
    return fmt::format("{}: byte {}: {}: {}", path_, offset, what, advice);
  }
  std::string cannot_read() const {
    const char* why = std::strerror(file_.error());
    if (file_.offset() == 0) return fmt::format("{}: cannot read: {}", path_, why);
    return fmt::format("{}: byte {}: cannot read: {}", path_, file_.offset(), why);
  }

  // Empty, or the error.
  std::string read_start() {
    std::string start;
    if (file_.error() == 0) file_.read(kTraceStart, &start);
    if (file_.error() != 0) return cannot_read();
    if (start.empty()) return at(0, "the file is empty", kAgain);
    const std::string_view magic = std::string_view(start).substr(0, kTraceMagic.size());
    if (magic != kTraceMagic.substr(0, magic.size())) {
      return at(0, "this is not a trace",
                "give a file that `raddle record' wrote, or import one from another tool");
    }
    if (start.size() < kTraceStart) {
      return at(start.size(), "the file breaks off before the trace begins", kAgain);
    }
    ByteReader version(std::string_view(start).substr(kTraceMagic.size()));
    if (const auto number = version.fixed<std::uint32_t>(); number != kTraceVersion) {
      return at(kTraceMagic.size(),
                fmt::format("the trace has version {}, this raddle reads version {}", number,
                            kTraceVersion),
                "read it with the raddle that wrote it, or record it again");
    }
    summary_.bytes = kTraceStart;
    return "";
  }

  // False at the end of what can be read.
  bool read_block() {
    const std::uint64_t start = file_.offset();
    file_.read(kBlockHeaderBytes, &stored_);
    if (stored_.empty() || file_.error() != 0) {
      summary_.live = file_.locked();
      return false;
    }
    if (ended_) return damaged(start, "there is something behind the end of the trace");
    if (stored_.size() < kBlockHeaderBytes) return broken_off(start);
    BlockHeader header;
    if (const char* problem = parse_block_header(stored_, &header)) return damaged(start, problem);
    file_.read(header.stored, &stored_);
    if (stored_.size() < header.stored) return broken_off(start);
    if (header.kind == BlockKind::kRecords) {
      contents_.swap(stored_);
    } else if (const char* problem = decompressor_.open(header, stored_, &contents_)) {
      return damaged(start, fmt::format("a block is damaged ({})", problem));
    }
    if (const std::string problem = take(header.kind); !problem.empty()) {
      return damaged(start, problem);
    }
    summary_.bytes = file_.offset();
    return true;
  }

  // Empty, or what is wrong.
  std::string take(BlockKind kind) {
    if (begun_ == (kind == BlockKind::kHeader)) {
      return begun_ ? "a second trace begins" : "the trace does not begin with its header";
    }
    switch (kind) {
      case BlockKind::kHeader: {
        Result<TraceHeader> header = parse_trace_header(contents_);
        if (!header) return fmt::format("the header is damaged ({})", header.error());
        begun_ = true;
        summary_.header = std::move(*header);
        sink_.begin(summary_.header);
        return "";
      }
      case BlockKind::kDefinitions:
        return take_definitions();
      case BlockKind::kRecords:
        return take_records();
      case BlockKind::kEnd: {
        std::uint64_t expected = 0;
        Result<TraceEnd> end = parse_trace_end(contents_, &expected);
        if (!end) return fmt::format("the end is damaged ({})", end.error());
        if (expected != record_bytes_) {
          return fmt::format("the end speaks of {} bytes of records, there are {}", expected,
                             record_bytes_);
        }
        ended_ = true;
        summary_.end = std::move(*end);
        return "";
      }
    }
    return "a block is of an unknown kind";
  }

  std::string take_definitions() {
    ByteReader reader(contents_);
    while (!reader.empty()) {
      if (const char* problem = take_definition(&reader, &sites_, stream_)) return problem;
    }
    return "";
  }

  std::string take_records() {
    RecordsHeader header;
    if (const char* problem = parse_records(contents_, &header)) return problem;
    if (header.before != record_bytes_) return "a block is missing or out of order";
    if (record_bytes_ == 0 && !header.fresh) return "the records do not begin at their beginning";
    const std::size_t bytes = contents_.size() - kRecordsHeaderBytes;
    record_bytes_ += bytes;
    contents_.resize(contents_.size() + RADDLE_CHUNK_SLACK);
    const auto* records =
        reinterpret_cast<const std::uint8_t*>(contents_.data()) + kRecordsHeaderBytes;
    stream_.records({records, bytes}, header.fresh);
    return decoder_.problem() != nullptr ? decoder_.problem() : "";
  }

  bool damaged(std::uint64_t offset, std::string what) {
    summary_.damage = TraceDamage{offset, std::move(what)};
    return false;
  }
  bool broken_off(std::uint64_t start) {
    if (file_.error() != 0) return false;
    summary_.live = file_.locked();
    if (summary_.live) return false;
    return damaged(file_.offset(),
                   fmt::format("the file breaks off in the middle of the block that begins at "
                               "byte {}",
                               start));
  }

  std::string path_;
  File file_;
  EventSink& sink_;
  ReadOptions options_;
  StreamDecoder& decoder_;
  StreamSink& stream_;
  std::uint32_t sites_ = 0;
  std::uint64_t record_bytes_ = 0;
  BlockDecompressor decompressor_;
  ReadSummary summary_;
  std::string stored_;
  std::string contents_;
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace

Result<ReadSummary> read_trace(const std::string& path, EventSink& sink,
                               const ReadOptions& options) {
  StreamDecoder decoder(sink);
  return Reader(path, sink, options, decoder, decoder).read();
}

Result<ReadSummary> read_trace_records(const std::string& path, EventSink& sink,
                                       StreamSink& definitions, RecordTap& tap,
                                       const ReadOptions& options) {
  StreamDecoder decoder(sink, &tap);
  Tee tee(decoder, definitions);
  return Reader(path, sink, options, decoder, tee).read();
}

bool has_trace_magic(const std::string& path) {
  File file(path);
  std::string start;
  if (file.error() == 0) file.read(kTraceMagic.size(), &start);
  return start == kTraceMagic;
}

}  // namespace raddle
