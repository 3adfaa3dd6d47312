#include "protocol/choice_log.hpp"

namespace raddle {

std::uint64_t log_hash(std::span<const StepRecord> log) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  auto mix = [&hash](std::uint64_t value) {
    hash ^= value;
    hash *= 0x100000001b3ULL;
  };
  for (const StepRecord& step : log) {
    mix(raw(step.thread) | static_cast<std::uint64_t>(step.op) << 16 |
        static_cast<std::uint64_t>(step.outcome) << 24 |
        static_cast<std::uint64_t>(raw(step.object)) << 32);
  }
  return hash;
}

}  // namespace raddle
