// Whoever consumes events: the trace writer, the detectors, the printers. Fed by the live stream,
// by the trace reader, or by the importer of another tool's format; always from one thread.
//
// Order: begin() once; definitions before the first event that needs them; end() once, also when
// the program died (then `complete` is false).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/symbols/maps.hpp"
#include "host/symbols/site.hpp"
#include "protocol/event.hpp"

namespace raddle {

struct TraceHeader {
  std::string raddle_version;
  std::string program;                 // absolute path; for an imported trace, the file's name
  std::vector<std::string> arguments;  // argv
  std::string build_id;
  std::string strategy;
  std::uint64_t seed = 0;
  bool instrumented = false;  // memory accesses are in it
  bool shared_only = false;   // of those, only what several threads touch
                              // (host/analysis/sharing/shared_accesses.hpp)
  std::string origin;         // "raddle", or the format it was imported from
  // Images of the process that synchronise and are not instrumented, by name
  // (host/symbols/images/unseen_code.hpp): they may order accesses that look unordered.
  std::vector<std::string> unseen;
  bool operator==(const TraceHeader&) const = default;
};

struct TraceEnd {
  bool complete = false;  // the program came to its end; false: the trace breaks off
  std::string outcome;    // outcome_text(), "" if not known
  std::string message;    // the failure's headline, "" if it passed
  std::uint64_t events = 0;
  bool operator==(const TraceEnd&) const = default;
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void begin(const TraceHeader&) {}
  // Ids count up from 1 without gaps.
  virtual void define_site(SiteId, const Site&) {}
  virtual void define_thread(ThreadId, const std::string& /*name*/) {}
  // [address, address + bytes) has this name, until an allocate, local or new definition covers it.
  // Globals, static members, and whatever the program itself named.
  virtual void define_object(std::uint64_t /*address*/, std::uint64_t /*bytes*/,
                             const std::string& /*name*/) {}
  // What lies at an offset of a class: ("Account", 8) -> "m_". For objects that are used but never
  // accessed by a site that says so, such as locks.
  virtual void define_member(const std::string& /*cls*/, std::uint32_t /*offset*/,
                             const std::string& /*member*/) {}
  // What is loaded where, for return addresses (`enter`). It replaces those that it overlaps.
  virtual void define_image(const LoadedObject&) {}
  virtual void events(std::span<const Event>) = 0;
  virtual void end(const TraceEnd&) {}
};

}  // namespace raddle
