// Measures what a trace costs, in nanoseconds and bytes per event: to make its records, to write
// the file and to read it back, for different kinds of streams; and what compressing the records
// would add.
//
// Time is the CPU time of this process, including the kernel's work for it.
//
//   build/bench/trace_codec [FOLDER]      FOLDER: where the files go, /tmp if not given
#include <fmt/core.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <memory>
#include <string>

#include "host/trace/stream_decoder.hpp"
#include "host/trace/testing/stream_teller.hpp"
#include "host/trace/testing/trace_samples.hpp"
#include "host/trace/trace_reader.hpp"
#include "host/trace/trace_writer.hpp"

namespace raddle {
namespace {

constexpr std::size_t kEvents = 8'000'000;
constexpr int kRounds = 3;

[[noreturn]] void fail(const std::string& message) {
  fmt::print(stderr, "bench: {}\n", message);
  std::exit(1);
}

double cpu_nanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e9 * double(time.tv_sec) + double(time.tv_nsec);
}

// Nanoseconds per event, the best of some rounds.
double per_event(const std::function<void()>& work) {
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double start = cpu_nanoseconds();
    work();
    best = std::min(best, (cpu_nanoseconds() - start) / kEvents);
  }
  return best;
}

class Count : public EventSink {
 public:
  void events(std::span<const Event> events) override { count_ += events.size(); }
  std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;
};

// Keeps the records, one string per chunk.
class Keep : public StreamSink {
 public:
  void define_site(SiteId, const Site&) override {}
  void define_object(NameAnchor, std::uint64_t, std::uint64_t, const std::string&) override {}
  void define_member(NameAnchor, const std::string&, std::uint32_t, const std::string&) override {}
  void define_code(const CodeRange&) override {}
  void records(std::span<const std::uint8_t> bytes, bool fresh) override {
    chunks_.emplace_back(std::vector<std::uint8_t>(bytes.begin(), bytes.end()), fresh);
    chunks_.back().first.resize(bytes.size() + RADDLE_CHUNK_SLACK);
  }
  template <class Use>
  void for_each(Use use) const {
    for (const auto& [bytes, fresh] : chunks_) {
      use(std::span(bytes.data(), bytes.size() - RADDLE_CHUNK_SLACK), fresh);
    }
  }

 private:
  std::vector<std::pair<std::vector<std::uint8_t>, bool>> chunks_;
};

std::size_t compressed(const Keep& records, int level) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                        ZSTD_freeCCtx);
  std::string out;
  std::size_t bytes = 0;
  records.for_each([&](std::span<const std::uint8_t> chunk, bool) {
    out.resize(ZSTD_compressBound(chunk.size()));
    bytes +=
        ZSTD_compressCCtx(context.get(), out.data(), out.size(), chunk.data(), chunk.size(), level);
  });
  return bytes;
}

void define_sites(const SampleTrace& trace, StreamSink& sink) {
  std::uint32_t id = 0;
  for (const Site& site : sites_of(trace)) sink.define_site(SiteId{++id}, site);
}

void measure(const char* name, const SampleTrace& trace, const std::string& path) {
  const auto row = [&](const std::string& what, const std::function<std::size_t()>& work) {
    std::size_t bytes = 0;
    const double taken = per_event([&] { bytes = work(); });
    fmt::print("{:8} {:28} {:8.1f} {:10.2f}\n", name, what, taken, double(bytes) / kEvents);
  };
  Keep kept;
  StreamTeller teller(kept);
  feed(trace, teller);
  row("file, written from records", [&] {
    unlink(path.c_str());
    auto writer = TraceWriter::create(path);
    if (!writer) fail(writer.error());
    (*writer)->begin(trace.header);
    define_sites(trace, **writer);
    kept.for_each([&](auto bytes, bool fresh) { (*writer)->records(bytes, fresh); });
    (*writer)->end(trace.end);
    if ((*writer)->error()) fail((*writer)->error()->message);
    return (*writer)->byte_count();
  });
  row("file, read", [&] {
    Count count;
    const auto summary = read_trace(path, count);
    if (!summary) fail(summary.error());
    if (count.count() != kEvents) fail("events were lost");
    return summary->bytes;
  });
  unlink(path.c_str());
  row("records, decoded", [&] {
    Count count;
    StreamDecoder decoder(count);
    define_sites(trace, decoder);
    std::size_t bytes = 0;
    kept.for_each([&](auto chunk, bool fresh) {
      bytes += chunk.size();
      decoder.records(chunk, fresh);
    });
    return bytes;
  });
  for (const int level : {-50, -20, -1, 1}) {
    row(fmt::format("records, zstd {}", level), [&] { return compressed(kept, level); });
  }
}

}  // namespace
}  // namespace raddle

int main(int argc, char** argv) {
  const std::string path = fmt::format("{}/trace_codec.{}", argc > 1 ? argv[1] : "/tmp", getpid());
  fmt::print("{:8} {:28} {:>8} {:>10}\n", "stream", "", "ns/event", "bytes");
  raddle::measure("sort", raddle::sample_sort(raddle::kEvents), path);
  raddle::measure("map", raddle::sample_map(raddle::kEvents), path);
  raddle::measure("noise", raddle::sample_noise(raddle::kEvents), path);
}
