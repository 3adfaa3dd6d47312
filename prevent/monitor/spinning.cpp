#include "prevent/monitor/spinning.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "prevent/monitor/kernel_view.hpp"

namespace raddle::monitor {
namespace {

constexpr std::int64_t kLongTurn = 500'000;           // nanoseconds; the others were not ours
constexpr std::int64_t kFirstRest = 100'000'000;      // nobody spins after a long turn
constexpr std::int64_t kLongestRest = 3'200'000'000;  // after several in a row

std::atomic<std::int64_t> g_rest_until;
std::atomic<std::int64_t> g_rest{kFirstRest};

void was_long(std::int64_t now) {
  const std::int64_t rest = g_rest.load(std::memory_order_relaxed);
  const bool again = now - g_rest_until.load(std::memory_order_relaxed) < rest;
  const std::int64_t next = again ? std::min(2 * rest, kLongestRest) : kFirstRest;
  g_rest.store(next, std::memory_order_relaxed);
  g_rest_until.store(now + next, std::memory_order_relaxed);
}

}  // namespace

bool spin_turn() {
  const std::int64_t before = now_ns();
  if (before < g_rest_until.load(std::memory_order_relaxed)) return false;
  sched_yield();
  const std::int64_t after = now_ns();
  if (after - before > kLongTurn) was_long(after);
  return true;
}

}  // namespace raddle::monitor
