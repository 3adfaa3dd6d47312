// Where one thread came between two accesses of another: the heart of an explanation.
//
// Three accesses to the same place, of which the first and the last are of one thread and of one
// call of a function, the middle one of another thread, and which no serial order explains (the
// four unserializable interleavings of Lu, Tucek, Qin and Zhou's AVIO, 2006):
//   read   write  read    the same place is read twice, and differs
//   write  write  read    what was just written is not there
//   read   write  write   what was decided by is not so any more, or the other's write is lost
//   write  read   write   the other saw what was not finished
// Where there is no such thing: two accesses of two threads, one of them a write, without a lock
// that both hold and without any order between them in this execution. Where memory accesses show
// none, or are not known, the accesses are acquisitions of a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explanation.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

struct Interference {
  InterferenceKind kind{};
  Access first;   // of the thread that was disturbed
  Access middle;  // of the one that came between
  Access last;
  std::uint64_t object = 0;  // address
  std::size_t common = 0;    // event that entered the innermost call that both lie in
  std::size_t depth = 0;     // how many calls both lie in; 0: `common` means nothing
};

// Sets `common` and `depth`: the calls that the first and the last access lie in, outermost first.
void set_common_call(Interference& found, const std::vector<std::size_t>& first,
                     const std::vector<std::size_t>& last);

// Nothing that left the value as it was. The one that explains best why `failing` failed at the end
// of the trace: one of that thread before others, one that no lock guards, the one in the innermost
// function, the latest; of other threads the first. What only waited for a variable to change,
// reading it again and again, comes after all others. Of memory, or where that shows none, of locks
// (host/describe/explain/lock_interference.hpp). Nothing if no thread came between another's
// accesses. kNoThread: it is not known who failed. `read_last` are the places that `failing` read
// last: what happened there comes before all else.
// `usual` are reads as of rereads_in(), which are passed over.
std::optional<Interference> find_interference(const KeptTrace& trace, ThreadId failing,
                                              const std::set<std::uint64_t>& read_last = {},
                                              const std::set<std::string>& usual = {});

// Where a thread reads again what it read or wrote before, with a lock that it gave up in between,
// and finds that another changed it.
std::set<std::string> rereads_in(const KeptTrace& trace);

// All accesses to `object` (for a lock: acquisitions, and waits that give it back) between two
// events, both included.
std::vector<Access> accesses_between(const KeptTrace& trace, std::uint64_t object, std::size_t from,
                                     std::size_t to);

}  // namespace raddle
