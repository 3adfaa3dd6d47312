// Instructions that read the time-stamp counter: rdtsc and rdtscp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace raddle {

struct CounterRead {
  int length = 0;         // of the instruction; 0: it is another one
  bool with_cpu = false;  // rdtscp, which also tells the processor's number
};

// The instruction at `pc`, which is about to be executed.
CounterRead counter_read_at(std::uint64_t pc);

// Whether code has such an instruction. Code is not taken apart, so the bytes may as well be a part
// of something else: those two occur in most libraries. They count only if what follows does
// something with the result. Of 630 MB of Debian's libraries 17 files are left then; a disassembler
// shows the instruction in each of the nine that it was asked about.
bool may_read_counter(const unsigned char* code, std::size_t size);

}  // namespace raddle
