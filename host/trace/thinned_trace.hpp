// A trace without some of its memory accesses. Everything else stays: other events, names, in which
// functions each thread is. One thread.
//
// Names hold from a site's first use on (NameAnchor), so the first record of each site stays, too.
// What the thinned trace calls a thing at an event is therefore what the whole one calls it there,
// except where a name was learned from an access that is gone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "host/base/result.hpp"
#include "host/trace/event_sink.hpp"
#include "host/trace/trace_reader.hpp"
#include "host/trace/trace_writer.hpp"

namespace raddle {

struct ThinnedTrace {
  std::uint64_t events = 0;         // that stayed
  std::uint64_t accesses = 0;       // that there were: reads, writes and ranges
  std::uint64_t accesses_kept = 0;  // of them
};

// Who says which accesses stay.
class AccessFilter : public EventSink {
 public:
  void events(std::span<const Event> events) final {
    for (const Event& event : events) {
      const std::uint64_t before = told_ ? told_->events : 0;
      told_ = Told{event, keeps(event), before + 1};
    }
  }

  struct Told {
    Event event{};
    bool keeps = false;
    std::uint64_t events = 0;
  };
  // The event that came last, and how many came, if any, since the last question.
  std::optional<Told> take() { return std::exchange(told_, std::nullopt); }

 protected:
  // Called for every event, in order; the answer counts for accesses.
  virtual bool keeps(const Event& event) = 0;

 private:
  std::optional<Told> told_;
};

// Reads the file at `from`, and writes definitions and records to `to`, whose begin() and end() are
// the caller's business. An error says what is wrong with `from`; what `to` could not write is its
// own error().
Result<ThinnedTrace> thin_trace(const std::string& from, AccessFilter& filter, TraceWriter& to);

}  // namespace raddle
