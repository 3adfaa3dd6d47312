// Virtual time: nanoseconds since the execution began. It advances a little with every decision and
// every look at a clock, jumps to the next deadline when nothing else can move, and follows the
// real clock only while the runtime really waits for the outside world.
#pragma once

#include <time.h>

#include <cstdint>

#include "protocol/virtual_time.hpp"
#include "target/state/thread.hpp"

namespace raddle {

inline constexpr std::uint64_t kTick = 1000;  // one decision, or one look at a clock

std::uint64_t virtual_now();
void advance_clock(std::uint64_t nanoseconds);

// What the clock `id` shows now, as nanoseconds; CPU clocks show virtual time too.
std::int64_t clock_reading(clockid_t id);

// Absolute time of clock `id` -> virtual time. Times in the past give 0. Caller has checked
// tv_nsec.
std::uint64_t deadline_at(clockid_t id, const timespec& absolute);
std::uint64_t deadline_after(const timespec& relative);

// Threads with a deadline, ordered by it (then by thread). Used by the scheduler only.
void add_deadline(Thread& thread);
void remove_deadline(Thread& thread);
Thread* earliest_deadline();

}  // namespace raddle
