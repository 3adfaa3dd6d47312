#include "target/sched/clock_looks.hpp"

#include "target/base/forgetting.hpp"
#include "target/sched/clock.hpp"
#include "target/state/execution.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {
namespace {

constexpr std::uint32_t kPatience = 64;       // looks without a decision in between
constexpr std::uint32_t kMostDoublings = 26;  // kTick << 26: about a minute

RADDLE_FORGOTTEN std::uint64_t g_looked_at;  // the step of the last looks
RADDLE_FORGOTTEN std::uint32_t g_looks;
RADDLE_FORGOTTEN std::uint64_t g_gave_way_at;  // the step after the last one that a look made
RADDLE_FORGOTTEN std::uint32_t g_doublings;

}  // namespace

bool look_at_time() {
  advance_clock(kTick);
  look_outside();
  const std::uint64_t step = steps_so_far();
  if (step != g_looked_at) {
    g_looked_at = step;
    g_looks = 0;
  }
  if (++g_looks < kPatience) return false;
  // When nothing else has happened since the last time, all that can move wait for a time to come:
  // it comes faster and faster, or an hour of that would be a million steps.
  g_doublings = step == g_gave_way_at ? g_doublings + 1 : 0;
  if (g_doublings > kMostDoublings) g_doublings = kMostDoublings;
  advance_clock(kTick << g_doublings);
  g_gave_way_at = step + 1;
  g_looks = 0;
  return true;
}

}  // namespace raddle
