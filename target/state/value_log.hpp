// What each step found and left, for explorers that go by values (protocol/value_log.hpp). The
// scheduler calls it on the thread that holds the token.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/pending.hpp"

namespace raddle {

// The host wants it in this execution. Set when the execution starts.
extern bool g_values_wanted;
void start_value_log();

// The operation is about to be executed as step `step`; a value choice has none. `known`: the bytes
// that it names are all that it touches.
void log_value(std::uint64_t step, const Pending* p, bool known);

// Whatever the last access did is done: before the next choice, and at the end.
void settle_value();

// The same, if that access was to this memory, which is about to go.
void settle_value_in(const void* begin, std::size_t bytes);

// Something to know of where blocks lie: ValueLog::heap.
void note_heap(std::uint64_t what);

// An object is named by a pending operation: writes down what it is (ValueLog::object_keys).
void log_object(const Pending& p);

}  // namespace raddle
