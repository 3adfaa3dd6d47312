// What a trace file costs: nanoseconds and bytes an event, to write and to read back, for streams
// of different nature; and what other levels of zstd, or no prediction at all, would cost.
//
// Time is this process's CPU time, the kernel's work for it included. A recorder gets its events in
// small batches that are in the cache, so each batch is copied out of the sample first, and the
// time of the copying alone is taken off.
//
//   build/bench/trace_codec [FOLDER]      FOLDER: where the files go, /tmp if not given
#include <fmt/core.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>

#include "trace/trace_block.hpp"
#include "trace/trace_data.hpp"
#include "trace/trace_reader.hpp"
#include "trace/trace_samples.hpp"
#include "trace/trace_writer.hpp"

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

// Nanoseconds an event, the best of some rounds.
double per_event(const std::function<void()>& work) {
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double start = cpu_nanoseconds();
    work();
    best = std::min(best, (cpu_nanoseconds() - start) / kEvents);
  }
  return best;
}

template <class Use>
void in_batches(const SampleTrace& trace, Use use) {
  std::vector<Event> batch(1024);
  for (std::size_t i = 0; i < trace.events.size(); i += batch.size()) {
    batch.resize(std::min<std::size_t>(1024, trace.events.size() - i));
    std::memcpy(batch.data(), trace.events.data() + i, batch.size() * sizeof(Event));
    use(std::span<const Event>(batch));
  }
}

class Count : public EventSink {
 public:
  void events(std::span<const Event> events) override { count_ += events.size(); }
  std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;
};

// Events to blocks in memory, at a level of zstd; returns the bytes.
std::size_t pack(const SampleTrace& trace, int level, bool compress = true) {
  DataBlockWriter data;
  BlockCompressor compressor(level);
  data.encoder().set_site_count(trace.sites);
  std::size_t bytes = 0;
  in_batches(trace, [&](std::span<const Event> rest) {
    while (!rest.empty()) {
      rest = rest.subspan(data.encoder().add(rest));
      if (!data.full()) continue;
      const std::string_view contents = data.contents();
      bytes += compress ? compressor.seal(BlockKind::kData, contents)->size() : contents.size();
      data.next_block(false);
    }
  });
  return bytes;
}

// The events as they are in memory, column by column, without prediction.
std::size_t pack_raw(const SampleTrace& trace, int level) {
  BlockCompressor compressor(level);
  std::string columns;
  std::size_t bytes = 0;
  const auto column = [&](std::span<const Event> block, auto field) {
    for (const Event& event : block) {
      const auto value = field(event);
      columns.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  };
  for (std::span<const Event> rest(trace.events); !rest.empty();) {
    const auto block = rest.first(std::min(rest.size(), kBlockEvents));
    rest = rest.subspan(block.size());
    columns.clear();
    column(block, [](const Event& e) { return shape_of(e); });
    column(block, [](const Event& e) { return raw(e.thread); });
    column(block, [](const Event& e) { return raw(e.site); });
    column(block, [](const Event& e) { return e.step; });
    column(block, [](const Event& e) { return e.object; });
    column(block, [](const Event& e) { return e.value; });
    column(block, [](const Event& e) { return e.value2; });
    column(block, [](const Event& e) { return e.context; });
    bytes += compressor.seal(BlockKind::kData, columns)->size();
  }
  return bytes;
}

void measure(const char* name, const SampleTrace& trace, const std::string& path) {
  std::uint64_t sum = 0;
  const double copying = per_event([&] {
    in_batches(trace, [&](std::span<const Event> batch) { sum += batch.back().object; });
  });
  const auto row = [&](const std::string& what, double taken_off,
                       const std::function<std::size_t()>& work) {
    std::size_t bytes = 0;
    const double taken = per_event([&] { bytes = work(); }) - taken_off;
    fmt::print("{:8} {:28} {:8.1f} {:10.2f}\n", name, what, taken, double(bytes) / kEvents);
  };
  row("trace file, written", copying, [&] {
    auto writer = TraceWriter::create(path);
    if (!writer) fail(writer.error());
    feed_start(trace, **writer);
    in_batches(trace, [&](std::span<const Event> batch) { (*writer)->events(batch); });
    (*writer)->end(trace.end);
    if ((*writer)->error()) fail((*writer)->error()->message);
    return (*writer)->byte_count();
  });
  row("trace file, read", 0, [&] {
    Count count;
    const auto summary = read_trace(path, count);
    if (!summary) fail(summary.error());
    if (count.count() != kEvents) fail("events were lost");
    return summary->bytes;
  });
  unlink(path.c_str());

  row("predicted, not compressed", copying, [&] { return pack(trace, 1, false); });
  for (const int level : {-50, -20, -7, -1, 1}) {
    row(fmt::format("predicted, zstd {}", level), copying, [&] { return pack(trace, level); });
  }
  for (const int level : {-20, 1}) {
    row(fmt::format("not predicted, zstd {}", level), 0, [&] { return pack_raw(trace, level); });
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
