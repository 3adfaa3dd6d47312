// A few steps of a few threads, as columns or, of many threads, as a list. Called by the printers
// of failures and of explanations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/report/text.hpp"
#include "protocol/ids.hpp"

namespace raddle {

struct PictureStep {
  std::uint64_t step = 0;
  ThreadId thread{};
  std::string text;
};

struct PictureThread {
  ThreadId id{};
  std::string title;
  std::string mark;  // stands below its last step: what went wrong there; or empty
};

// Up to three threads are columns, more a list with the thread on each line. `steps` are in the
// order of execution; threads that make none of them are left out.
std::string step_picture(const std::vector<PictureStep>& steps, std::vector<PictureThread> threads,
                         const TextOptions& options);

}  // namespace raddle
