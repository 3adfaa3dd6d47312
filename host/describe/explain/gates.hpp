// What programs keep others out by, besides locks: an atomic variable that is 0 while nobody is
// inside, and semaphores. Used by explain() alone, on the accesses of an interference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "host/describe/explain/interference.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

// The variable let both threads in: one looked, the other one set it, and then the first one set
// it, too. That is an interference of its own, and the cause of `data`.
std::optional<Interference> find_broken_gate(const KeptTrace& trace, const Interference& data,
                                             Symbolizer& symbols);
// The same where nothing shows what the two did to each other then. Both have left again.
std::optional<Interference> find_broken_gate(const KeptTrace& trace, Symbolizer& symbols);

// Events.
struct PassedGate {
  std::size_t taken = 0;                // by the disturbed thread, before `first`
  std::optional<std::size_t> given_up;  // between `first` and `last`; nothing: it has it all along
  std::size_t other = 0;                // the other one's, before `middle`
};

// The disturbed thread opened the gate before it was done; or a semaphore had room for both.
std::optional<PassedGate> find_passed_gate(const KeptTrace& trace, const Interference& data);

}  // namespace raddle
