#include "host/report/words/circumstances/circumstance_words.hpp"

#include <fmt/format.h>

#include "host/process/outcome.hpp"
#include "protocol/long_timeout.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

// Of a thread that is ready and does not run for so long.
const char* likelihood(std::uint64_t nanoseconds) {
  if (is_long_timeout(nanoseconds)) return "rare";
  if (nanoseconds < kMillisecond) return "likely";
  return nanoseconds < 100 * kMillisecond ? "likely on a busy machine"
                                          : "possible on a busy machine";
}

// The sleep or wait lasts as long as it says: it is the others that come late.
std::string early_words(const Circumstances& needed) {
  const std::string time = duration_text(double(needed.early_time) / 1e9);
  const bool one = needed.early_timeouts == 1;
  return fmt::format(
      "{} to end while another thread is ready to run, but does not run for up to {}{}: {}",
      one ? std::string("a sleep or wait")
          : fmt::format("{} sleeps or waits", needed.early_timeouts),
      time, one ? "" : " in all", likelihood(needed.early_time));
}

}  // namespace

std::string circumstance_words(const Circumstances& needed) {
  std::string text;
  const auto add = [&](const std::string& words) {
    if (!text.empty()) text += "; and ";
    text += words;
  };
  if (needed.early_timeouts > 0) add(early_words(needed));
  if (needed.spurious_wakeups > 0)
    add("a wait for a condition to return without a signal: rare, but POSIX and C++ allow it");
  if (needed.short_transfers > 0)
    add("a read from or write to a socket to move a part only: likely over a network");
  if (needed.failed_allocations > 0) add("an allocation to fail: rare");
  return text;
}

}  // namespace raddle
