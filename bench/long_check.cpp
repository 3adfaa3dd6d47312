// Millions of executions of raddle::check in one process: what grows besides the explorer's own
// queue? Prints, for each strategy, resident memory, mappings and descriptors after the first tenth
// and at the end, and fails if one of them went up.
//
//   build/bench/long_check [EXECUTIONS [STRATEGY...]]     2,000,000 of each
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "raddle/check.hpp"

namespace {

struct Usage {
  long kilobytes = 0;  // resident
  long mappings = 0;
  long descriptors = 0;
};

// Inside of executions: without the C library, whose calls would be steps of the execution, and
// without the heap.
long count_lines(const char* path, char* first, std::size_t size) {
  const long file = syscall(SYS_open, path, O_RDONLY);
  static char buffer[65536];
  long lines = 0;
  bool is_first = true;
  for (long n = 0; (n = syscall(SYS_read, file, buffer, sizeof buffer)) > 0; is_first = false) {
    if (is_first && first != nullptr)
      std::copy_n(buffer, std::min<std::size_t>(size, static_cast<std::size_t>(n)), first);
    lines += std::count(buffer, buffer + n, '\n');
  }
  syscall(SYS_close, file);
  return lines;
}

long count_descriptors() {
  const long folder = syscall(SYS_open, "/proc/self/fd", O_RDONLY | O_DIRECTORY);
  static char buffer[65536];
  long count = 0;
  for (long n = 0; (n = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;) {
    for (long at = 0; at < n; ++count)
      at += *reinterpret_cast<const unsigned short*>(buffer + at + 16);
  }
  syscall(SYS_close, folder);
  return count;
}

Usage usage_now() {
  char text[64] = {};
  count_lines("/proc/self/statm", text, sizeof text - 1);
  char* rest = nullptr;
  std::strtol(text, &rest, 10);
  return {std::strtol(rest, nullptr, 10) * 4, count_lines("/proc/self/maps", nullptr, 0),
          count_descriptors()};
}

long g_count;
long g_first_look;
Usage g_early;

// A bounded queue with more schedules than anybody executes, and heap, thread and condition
// variable in each.
void bounded_queue() {
  if (++g_count == g_first_look) g_early = usage_now();
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> items;
  const auto put = [&](int item) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return items.size() < 2; });
    items.push_back(item);
    changed.notify_all();
  };
  int sum = 0;
  const auto take = [&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !items.empty(); });
    sum += items.back();
    items.pop_back();
    changed.notify_all();
  };
  const auto put_three = [&] {
    for (int i = 0; i < 3; ++i) put(1);
  };
  const auto take_three = [&] {
    for (int i = 0; i < 3; ++i) take();
  };
  std::thread threads[] = {std::thread(put_three), std::thread(put_three), std::thread(take_three),
                           std::thread(take_three)};
  for (std::thread& thread : threads) thread.join();
  assert(sum == 6 && items.empty());
}

// Those whose queue holds nearly every schedule begin anew now and then.
bool has_long_queue(const std::string& strategy) { return strategy == "bfs" || strategy == "icb"; }

bool measure(const std::string& strategy, std::uint64_t executions) {
  g_count = 0;
  g_first_look = static_cast<long>(executions / 10);
  const std::uint64_t part = has_long_queue(strategy) ? executions / 20 : executions;
  std::uint64_t done = 0;
  std::uint64_t queue_bytes = 0;
  std::uint64_t queued = 0;
  double seconds = 0;
  while (done < executions) {
    raddle::Options options;
    options.strategy = strategy.c_str();
    options.executions = part;
    options.bound = 1000;
    const raddle::Coverage coverage = raddle::check(options, bounded_queue);
    if (coverage.executions == 0) return false;
    done += coverage.executions;
    seconds += coverage.seconds;
    queued = coverage.queued;
    queue_bytes = coverage.queue_bytes;
  }
  const Usage late = usage_now();
  // The queue is gone by now, but what it occupied in the heap may stay with the allocator.
  const double queue = static_cast<double>(queue_bytes) / 1000;
  const double grown = static_cast<double>(late.kilobytes - g_early.kilobytes);
  // What the allocator keeps settles within 2 MB: a byte lost in each execution would be seen.
  const bool flat = grown < queue + 2000 && late.mappings <= g_early.mappings + 4 &&
                    late.descriptors <= g_early.descriptors;
  fmt::print(
      "{:11} {:9} executions {:7.1f} us each   resident {:6} -> {:6} kB, queue {:8} ({:7.0f} kB)   "
      "mappings {} -> {}   descriptors {} -> {}   {}\n",
      strategy, done, seconds / static_cast<double>(done) * 1e6, g_early.kilobytes, late.kilobytes,
      queued, queue, g_early.mappings, late.mappings, g_early.descriptors, late.descriptors,
      flat ? "flat" : "GROWS");
  std::fflush(stdout);
  return flat;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t executions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2'000'000;
  std::vector<std::string> strategies(argv + std::min(argc, 2), argv + argc);
  if (strategies.empty())
    strategies = {"random", "pct", "pos", "round-robin", "dfs", "bfs", "icb", "dpor"};
  bool flat = executions >= 100;
  for (const std::string& strategy : strategies) flat &= measure(strategy, executions);
  return flat ? 0 : 1;
}
