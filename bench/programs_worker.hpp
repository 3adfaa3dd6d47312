// What benchmarks of whole programs share: a worker for a program, medians, and how to give up.
#pragma once

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/process/worker.hpp"

namespace raddle {

[[noreturn]] inline void fail(const std::string& message) {
  fmt::print(stderr, "bench: {}\n", message);
  std::exit(2);
}

// The build folder that this benchmark is in.
inline std::filesystem::path build_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
}

// `options` lacks the program, its environment and the runtime.
inline std::unique_ptr<Worker> start_worker(const std::vector<std::string>& arguments,
                                            WorkerOptions options) {
  options.command.program = arguments[0];
  options.command.arguments = arguments;
  for (char** variable = environ; *variable != nullptr; ++variable)
    options.command.environment.emplace_back(*variable);
  options.library = build_folder() / "bin/libraddle.so";
  auto worker = Worker::start(std::move(options));
  if (!worker) fail(worker.error());
  return std::move(*worker);
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

inline void print_machine() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line) && line.rfind("model name", 0) != 0) {
  }
  fmt::print("{}, {} cores\n\n", line.substr(line.find(':') + 2), sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace raddle
