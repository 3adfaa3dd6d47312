// library: spdlog
// package: libspdlog-dev
// headers only
// link: -lfmt
// Loggers that share a sink, the registry that finds them by name, and a level that changes
// meanwhile.
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <sstream>
#include <thread>

int main() {
  std::ostringstream text;
  const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text);
  spdlog::register_logger(std::make_shared<spdlog::logger>("one", sink));
  spdlog::register_logger(std::make_shared<spdlog::logger>("two", sink));
  const auto work = [](const char* name) {
    for (int i = 0; i < 3; ++i) spdlog::get(name)->warn("{} says {}", name, i);
  };
  std::thread one(work, "one"), two(work, "two");
  spdlog::set_level(spdlog::level::warn);
  one.join();
  two.join();
  spdlog::get("one")->info("nobody reads this");
  spdlog::drop_all();
  assert(spdlog::get("one") == nullptr);
  const std::string all = text.str();
  assert(std::count(all.begin(), all.end(), '\n') == 6);
}
