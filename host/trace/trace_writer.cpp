#include "host/trace/trace_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "host/trace/trace_block.hpp"
#include "host/trace/trace_definitions.hpp"
#include "host/trace/trace_metadata.hpp"
#include "protocol/stream.hpp"

namespace raddle {
namespace {

// Definitions after which a block is closed, so that it fits kMaxContents.
constexpr std::size_t kBlockDefinitions = 512 << 10;
static_assert(kBlockDefinitions + kMaxDefinition + 64 <= kMaxContents);
static_assert(kRecordsHeaderBytes + RADDLE_CHUNK_BYTES <= kMaxContents);

// What is said of a file that could not be written to its end.
constexpr char kReadable[] = "what was recorded until then can be read";
constexpr char kIfThereIsRoom[] = "the trace has what of it there is room for";

}  // namespace

class TraceWriter::Impl {
 public:
  Impl(std::string path, int fd, const char* left = kReadable)
      : path_(std::move(path)), left_(left), fd_(fd) {}
  ~Impl() { close(fd_); }

  void begin(const TraceHeader& header) {
    const std::string contents = format_trace_header(header);
    if (contents.size() > kMaxHeaderContents) {
      return fail("the program's arguments are too long for a trace");
    }
    write_block(BlockKind::kHeader, contents, trace_start());
  }

  void define_site(SiteId id, const Site& site) {
    if (error_) return;
    if (raw(id) != sites_ + 1) {
      return fail(fmt::format("site {} was defined after site {}: this is a bug in raddle", raw(id),
                              sites_));
    }
    ++sites_;
    define(put_site, site);
  }
  template <class... Arguments>
  void define(void (*put)(std::string*, Arguments...),
              const std::type_identity_t<Arguments>&... arguments) {
    if (error_) return;
    put(&definitions_, arguments...);
    if (definitions_.size() >= kBlockDefinitions) flush();
  }

  void records(std::span<const std::uint8_t> bytes, bool fresh) {
    flush();
    if (error_ || bytes.empty()) return;
    const std::string_view records(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string start = records_block_start({record_bytes_, fresh}, records);
    write_all(start, records);
    record_bytes_ += bytes.size();
  }

  void end(TraceEnd end) {
    flush();
    end.message.resize(std::min(end.message.size(), kMaxDefinition));
    end.outcome.resize(std::min(end.outcome.size(), kMaxDefinition));
    write_block(BlockKind::kEnd, format_trace_end(end, record_bytes_));
  }

  // The definitions that have been gathered.
  void flush() {
    if (error_ || definitions_.empty()) return;
    write_block(BlockKind::kDefinitions, definitions_);
    definitions_.clear();
  }

  const std::optional<Error>& error() const { return error_; }
  std::uint64_t byte_count() const { return bytes_; }
  std::string read_path() const { return fmt::format("/proc/self/fd/{}", fd_); }

 private:
  void write_block(BlockKind kind, std::string_view contents, std::string_view before = {}) {
    if (error_) return;
    const Result<std::string_view> block = compressor_.seal(kind, contents);
    if (!block) return fail(block.error());
    write_all(before, *block);
  }

  // Both or nothing.
  void write_all(std::string_view first, std::string_view second) {
    std::uint64_t written = 0;
    while (!first.empty() || !second.empty()) {
      const iovec parts[] = {{const_cast<char*>(first.data()), first.size()},
                             {const_cast<char*>(second.data()), second.size()}};
      const ssize_t n = writev(fd_, parts, 2);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        const int reason = errno;
        // Best effort: half a block would only be reported as damage.
        [[maybe_unused]] const int ignored = ftruncate(fd_, static_cast<off_t>(bytes_));
        return fail(fmt::format("writing at byte {}: {}", bytes_, std::strerror(reason)));
      }
      const auto count = static_cast<std::size_t>(n);
      written += count;
      const std::size_t of_first = std::min(count, first.size());
      first.remove_prefix(of_first);
      second.remove_prefix(count - of_first);
    }
    bytes_ += written;
  }
  void fail(const std::string& why) {
    if (error_) return;
    error_ = Error{fmt::format("{}: {}; recording stopped there, and {}", path_, why, left_)};
  }

  std::string path_;
  const char* left_;  // after a failure
  int fd_;
  BlockCompressor compressor_;
  std::string definitions_;
  std::optional<Error> error_;
  std::uint64_t bytes_ = 0;
  std::uint64_t record_bytes_ = 0;
  std::uint32_t sites_ = 0;
};

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::string& path) {
  const auto failed = [&](int reason) {
    return Error{fmt::format("{}: cannot record into it: {}", path, std::strerror(reason))};
  };
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return failed(errno);
  auto impl = std::make_unique<Impl>(path, fd);
  struct stat status{};
  if (fstat(fd, &status) != 0) return failed(errno);
  if (S_ISREG(status.st_mode)) {
    // Held until the file is closed: tells a reader that the file is still being written.
    // A reader that asks whether it is takes the lock for a moment.
    bool locked = false;
    for (int i = 0; i < 10 && !locked; ++i) {
      if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
      if (!locked && errno != EWOULDBLOCK) return failed(errno);
    }
    if (!locked) {
      return Error{
          fmt::format("{}: another process is recording into it: choose another file", path)};
    }
    if (ftruncate(fd, 0) != 0) return failed(errno);
  }
  return std::unique_ptr<TraceWriter>(new TraceWriter(std::move(impl)));
}

Result<std::unique_ptr<TraceWriter>> TraceWriter::create_unnamed(const std::string& beside) {
  const std::size_t slash = beside.rfind('/');
  const std::string folder = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : beside.substr(0, slash);
  int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {  // not every file system can do that
    std::string name = folder + "/.raddle-spool-XXXXXX";
    fd = mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) unlink(name.c_str());
  }
  if (fd < 0) {
    return Error{
        fmt::format("{}: cannot make a temporary file there: {}", folder, std::strerror(errno))};
  }
  return std::unique_ptr<TraceWriter>(new TraceWriter(
      std::make_unique<Impl>("the temporary file in " + folder, fd, kIfThereIsRoom)));
}

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceWriter::~TraceWriter() { impl_->flush(); }
void TraceWriter::begin(const TraceHeader& header) { impl_->begin(header); }
void TraceWriter::define_site(SiteId id, const Site& site) { impl_->define_site(id, site); }
void TraceWriter::define_object(NameAnchor from, std::uint64_t address, std::uint64_t bytes,
                                const std::string& name) {
  impl_->define(put_object, from, address, bytes, name);
}
void TraceWriter::define_member(NameAnchor from, const std::string& cls, std::uint32_t offset,
                                const std::string& member) {
  impl_->define(put_member, from, cls, offset, member);
}
void TraceWriter::define_code(const CodeRange& range) { impl_->define(put_code, range); }
void TraceWriter::records(std::span<const std::uint8_t> bytes, bool fresh) {
  impl_->records(bytes, fresh);
}
void TraceWriter::end(const TraceEnd& end) { impl_->end(end); }
std::optional<Error> TraceWriter::error() const { return impl_->error(); }
std::uint64_t TraceWriter::byte_count() const { return impl_->byte_count(); }
std::string TraceWriter::read_path() const { return impl_->read_path(); }

}  // namespace raddle
