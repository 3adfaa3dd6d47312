// Random programs for the explorers over real executions.
#pragma once

#include <algorithm>

#include "host/explore/testing/random_program.hpp"

namespace raddle::real {

inline bool takes_a_step(const paper::Instruction& i) {
  return i.code != paper::Code::kSkipUnless && i.code != paper::Code::kSkipIf &&
         i.code != paper::Code::kFailIf;
}

// Draws a program of two, three or four threads. Beginning and ending a thread are steps, and the
// main thread creates and joins the others: so four threads get only a few operations.
inline paper::Program draw(std::uint64_t seed) {
  Generator generator(seed);
  const std::uint64_t kind = generator.below(10);
  const std::size_t threads = kind < 4 ? 2 : kind < 8 ? 3 : 4;
  paper::Program program;
  while (program.threads.size() < threads) {
    const bool longer = threads == 3 && generator.below(4) == 0;
    paper::Body body = paper::random_body(generator, threads == 2 ? 6 : longer ? 2 : 1);
    const auto steps = std::count_if(body.begin(), body.end(), takes_a_step);
    if (threads < 4 || steps == 1) program.threads.push_back(std::move(body));
  }
  program.semaphores = {static_cast<int>(generator.below(2))};
  return program;
}

}  // namespace raddle::real
