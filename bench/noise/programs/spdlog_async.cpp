// library: spdlog
// package: libspdlog-dev
// headers only
// link: -lfmt
// An asynchronous logger with two sinks: three threads log, one writes, nothing is lost.
#include <spdlog/async.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/sinks/ringbuffer_sink.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

int main() {
  std::ostringstream text;
  const auto stream = std::make_shared<spdlog::sinks::ostream_sink_mt>(text);
  const auto ring = std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(2);
  {
    const auto pool = std::make_shared<spdlog::details::thread_pool>(8, 1);
    const auto logger = std::make_shared<spdlog::async_logger>(
        "noise", spdlog::sinks_init_list{stream, ring}, pool, spdlog::async_overflow_policy::block);
    logger->set_pattern("%v");
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] {
        logger->info("thread {} begins", i);
        logger->info("thread {} ends", i);
      });
    }
    for (std::thread& thread : threads) thread.join();
    logger->flush();
  }  // the pool writes what it has, then ends
  const std::string all = text.str();
  assert(std::count(all.begin(), all.end(), '\n') == 6);
  assert(ring->last_formatted().size() == 2);
}
