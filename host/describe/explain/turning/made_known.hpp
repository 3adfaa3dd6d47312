// What let a thread come too early: another one had made something known, by a flag, a pointer or
// the first of two values, and had yet to write what the thread then read. Used by turning points,
// on the failing execution.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "host/describe/explain/events/accesses.hpp"

namespace raddle {

// Events of the failing execution.
struct MadeKnown {
  std::size_t write = 0;             // of what is known early
  std::size_t look = 0;              // the other thread reads that
  std::size_t read = 0;              // and then this, which is not there yet
  std::optional<std::size_t> ready;  // the write that comes too late; nothing: it never comes here
};

class MadeKnownSearch {
 public:
  MadeKnownSearch(const AccessHistory& history, ProgramSites& program)
      : events_(history.trace().all()), history_(history), program_(program) {}

  // What made `writer` known to the thread of `read`, which `writer` has yet to write; `ready` is
  // that write, if this execution has it.
  std::optional<MadeKnown> before(std::size_t read, ThreadId writer,
                                  std::optional<std::size_t> ready);
  // The thread of `look` reads what the other one had written at `write`: what it then reads before
  // that one has written it.
  std::optional<MadeKnown> after(std::size_t write, std::size_t look);

  // Whoever sees it set goes on to what it stands for: a flag, or a pointer to what its thread
  // made.
  bool leads_on(const MadeKnown& known) const;
  // Both are written in one call and read in one call: they are one value in two parts.
  bool is_pair(const MadeKnown& known) const;

 private:
  bool is_known_by(std::size_t write, std::size_t look);
  bool goes_on(std::size_t write, std::size_t later) const;

  const std::vector<Event>& events_;
  const AccessHistory& history_;
  ProgramSites& program_;
};

}  // namespace raddle
