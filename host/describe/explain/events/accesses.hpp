// Accesses to memory as explanations see them: what an event reads and writes, and the history of
// each place. Used by the searches of this folder, on one finished trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "host/trace/kept_trace.hpp"

namespace raddle {

struct Access {
  std::size_t event = 0;  // index
  ThreadId thread{};
  bool reads = false;
  bool writes = false;
};

// Neither reads nor writes for events that access no place.
Access access_of(const Event& event, std::size_t index);
// Somebody writes some of what the event reads, from `since` on until then; copies and fills of
// memory count, which access_of() does not know.
bool is_written(const std::vector<Event>& events, std::size_t read, std::size_t since);

// What is known of the value, masked to the access's size.
std::optional<std::uint64_t> value_read(const Event& event);
std::optional<std::uint64_t> value_written(const Event& event);

// Whether a site belongs to the program's own code; remembers its answers.
class ProgramSites {
 public:
  explicit ProgramSites(const KeptTrace& trace) : trace_(trace) {}
  bool contains(SiteId id);

 private:
  const KeptTrace& trace_;
  std::unordered_map<std::uint32_t, bool> known_;
};

// All accesses of the program's own code, by place. What was there before an allocation is
// forgotten: it was something else.
class AccessHistory {
 public:
  struct Entry {
    Access access;
    std::size_t call = 0;  // the enter event of the function that it is in; 0: none
  };

  explicit AccessHistory(const KeptTrace& trace);

  const std::vector<Entry>& at(std::uint64_t address) const;
  // The last write before an event, by whomever.
  std::optional<Access> last_write(std::uint64_t address, std::size_t before) const;
  // Another thread accesses it too, and somebody writes.
  bool is_shared(std::uint64_t address) const;
  // The last reads of a thread before an event, newest first, one for each place.
  std::vector<Access> last_reads(ThreadId thread, std::size_t before, std::size_t most) const;
  // The event that created the thread; nothing for the main thread.
  std::optional<std::size_t> creation(ThreadId thread) const;
  std::size_t call(std::size_t event) const;
  const KeptTrace& trace() const { return trace_; }

 private:
  const KeptTrace& trace_;
  std::map<std::uint64_t, std::vector<Entry>> places_;
  std::unordered_map<std::uint16_t, std::vector<Access>> reads_;  // by thread
  std::unordered_map<std::uint16_t, std::size_t> forks_;          // by the thread created
};

}  // namespace raddle
