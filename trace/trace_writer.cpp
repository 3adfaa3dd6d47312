#include "trace/trace_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "trace/trace_block.hpp"
#include "trace/trace_data.hpp"
#include "trace/trace_definitions.hpp"
#include "trace/trace_metadata.hpp"

namespace raddle {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kFlushEvery = std::chrono::milliseconds(200);
// How far apart the places are from which a damaged file could be read on. Forgetting costs a
// megabyte of zeros and some predictions: nothing in two million events.
constexpr std::uint64_t kResetEvents = 2'000'000;

}  // namespace

class TraceWriter::Impl {
 public:
  Impl(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
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
    put_site(data_.definition(), site);
    data_.encoder().set_site_count(++sites_);
    if (data_.full()) flush();
  }
  template <class... Arguments>
  void define(void (*put)(std::string*, Arguments...),
              const std::type_identity_t<Arguments>&... arguments) {
    if (error_) return;
    put(data_.definition(), arguments...);
    if (data_.full()) flush();
  }

  void events(std::span<const Event> events) {
    while (!events.empty() && !error_) {
      const std::size_t taken = data_.encoder().add(events);
      events = events.subspan(taken);
      if (data_.full()) {
        flush();
      } else if (!events.empty()) {
        const Event& event = events.front();
        fail(fmt::format(
            "event {} (`{}', thread {}, site {}) is not valid: this is a bug in raddle",
            data_.events(), event_text(event.kind), raw(event.thread), raw(event.site)));
      }
    }
  }

  void end(TraceEnd end) {
    flush();
    end.events = data_.events();
    end.message.resize(std::min(end.message.size(), kMaxDefinition));
    end.outcome.resize(std::min(end.outcome.size(), kMaxDefinition));
    write_block(BlockKind::kEnd, format_trace_end(end));
  }

  void tick() {
    const auto now = Clock::now();
    if (now - flushed_ < kFlushEvery) return;
    flush();
    flushed_ = now;
  }

  void flush() {
    if (error_ || data_.empty()) return;
    write_block(BlockKind::kData, data_.contents());
    since_reset_ += data_.encoder().count();
    const bool reset = since_reset_ >= kResetEvents;
    if (reset) since_reset_ = 0;
    data_.next_block(reset);
  }

  const std::optional<Error>& error() const { return error_; }
  std::uint64_t event_count() const { return data_.events(); }
  std::uint64_t byte_count() const { return bytes_; }

 private:
  void write_block(BlockKind kind, std::string_view contents, std::string_view before = {}) {
    if (error_) return;
    const Result<std::string_view> block = compressor_.seal(kind, contents);
    if (!block) return fail(block.error());
    if (!write_all(before) || !write_all(*block)) {
      const int reason = errno;
      // Best effort: half a block would only be reported as damage.
      [[maybe_unused]] const int ignored = ftruncate(fd_, static_cast<off_t>(bytes_));
      return fail(fmt::format("writing at byte {}: {}", bytes_, std::strerror(reason)));
    }
    bytes_ += before.size() + block->size();
  }
  bool write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
  void fail(const std::string& why) {
    if (error_) return;
    error_ = Error{
        fmt::format("{}: {}; recording stopped there, and what was recorded until then can be read",
                    path_, why)};
  }

  std::string path_;
  int fd_;
  DataBlockWriter data_;
  BlockCompressor compressor_;
  std::optional<Error> error_;
  std::uint64_t bytes_ = 0;
  std::uint64_t since_reset_ = 0;
  std::uint32_t sites_ = 0;
  Clock::time_point flushed_ = Clock::now();
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

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceWriter::~TraceWriter() { impl_->flush(); }
void TraceWriter::begin(const TraceHeader& header) { impl_->begin(header); }
void TraceWriter::define_site(SiteId id, const Site& site) { impl_->define_site(id, site); }
void TraceWriter::define_thread(ThreadId id, const std::string& name) {
  impl_->define(put_thread, id, name);
}
void TraceWriter::define_object(std::uint64_t address, std::uint64_t bytes,
                                const std::string& name) {
  impl_->define(put_object, address, bytes, name);
}
void TraceWriter::define_member(const std::string& cls, std::uint32_t offset,
                                const std::string& member) {
  impl_->define(put_member, cls, offset, member);
}
void TraceWriter::events(std::span<const Event> events) { impl_->events(events); }
void TraceWriter::end(const TraceEnd& end) { impl_->end(end); }
void TraceWriter::tick() { impl_->tick(); }
void TraceWriter::flush() { impl_->flush(); }
std::optional<Error> TraceWriter::error() const { return impl_->error(); }
std::uint64_t TraceWriter::event_count() const { return impl_->event_count(); }
std::uint64_t TraceWriter::byte_count() const { return impl_->byte_count(); }

}  // namespace raddle
