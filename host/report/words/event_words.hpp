// Events in words. Called by the printers of traces.
#pragma once

#include <cstdint>
#include <string>

#include "host/report/words/published/memory_order_words.hpp"
#include "host/trace/object_names.hpp"
#include "protocol/event.hpp"

namespace raddle {

// "write Account::balance_ #2@bank.cpp:40 = 30", "acquire m_ (shared)", "fork T2 worker". The event
// has just been fed to `names`. Fit for a terminal.
std::string event_words(const Event& event, const ObjectNames& names, NameForm form);

// A value that was read or written, of which nothing but the size is known: 100, -40, 0x7f..., and
// what it points to where that has a name.
std::string value_words(std::uint64_t value, std::uint16_t bytes, const ObjectNames& names);

}  // namespace raddle
