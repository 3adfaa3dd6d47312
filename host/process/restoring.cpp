#include "host/process/restoring.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace raddle {
namespace {

constexpr char kDiffers[] =
    "a restored execution and a forked one of the same plan were not the same";
constexpr char kDiffersAnyway[] =
    "two executions of the same plan are not the same, forked ones neither";
// So many processes in a row, each remembered for the next execution, that ended with theirs.
constexpr int kMostLost = 4;

std::uint64_t hash_of_choices(SharedRegion& region) {
  const EnabledLog& log = region.enabled;
  if (!region.plan.enabled_log || log.used + log.at_end > log.capacity) return 0;
  std::uint64_t hash = log.used;
  const auto add = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  };
  const Pending* operations = region.enabled_operations();
  for (std::uint64_t i = 0; i < log.used + log.at_end; ++i) {
    const Pending& p = operations[i];
    add(std::uint64_t{raw(p.thread)} << 48 | std::uint64_t{static_cast<std::uint8_t>(p.op)} << 40 |
        std::uint64_t{static_cast<std::uint8_t>(p.outcome)} << 32 | raw(p.object));
  }
  const std::uint64_t steps = region.live.steps.load(std::memory_order_relaxed);
  for (std::uint64_t i = 0; i <= std::min(steps, region.log_capacity); ++i)
    add(region.enabled_first()[i]);
  return hash;
}

}  // namespace

void RestoredExecutions::note(const Restoring& restoring, bool restored, bool killed) {
  last_restored_ = restoring.wanted != 0 && restored;
  last_went_on_ = last_restored_ && restoring.went_on_at > 0;
  if (restoring.wanted == 0) return;
  by_ = restoring.by;
  if (restored) {
    ++count_;
    went_on_ += last_went_on_ ? 1 : 0;
    steps_saved_ += restoring.went_on_at;
    lost_ = 0;
  } else if (restoring.declined[0] != 0) {
    why_not_.assign(restoring.declined, strnlen(restoring.declined, sizeof restoring.declined));
  } else if (restoring.by != RestoringBy::kNothing && !killed && ++lost_ == kMostLost) {
    why_not_ = restoring.ended != 0 ? "it could not be put back after an execution"
                                    : "its process does not end by exit(), return or a failure";
  }
}

bool RestoredExecutions::is_time_to_compare() const {
  constexpr std::uint64_t kRarely = 1024;
  if (!last_restored_) return false;
  const bool by_went_on = std::has_single_bit(went_on_) || went_on_ % kRarely == kRarely / 2;
  return (last_went_on_ && by_went_on) || std::has_single_bit(count_ - 1) || count_ % kRarely == 0;
}

void RestoredExecutions::differs(bool forked_differ) {
  why_not_ = forked_differ ? kDiffersAnyway : kDiffers;
}

Course course_of(const Execution& execution, SharedRegion& region) {
  const int status = execution.wait_status;
  return {.log_hash = execution.log_hash,
          .kind = execution.kind,
          .ended = WIFSIGNALED(status) ? WTERMSIG(status) : status,
          .out = execution.out,
          .err = execution.err,
          .choices = hash_of_choices(region)};
}

}  // namespace raddle
