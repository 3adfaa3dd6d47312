// Whoever takes an execution's stream as it is: the trace writer, which only keeps it, and the
// decoder, which makes events of it. Fed from one thread, by the live stream or by the trace
// reader.
//
// Definitions come before the first records that need them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "host/symbols/maps.hpp"
#include "host/symbols/site.hpp"
#include "protocol/event.hpp"

namespace raddle {

// A module of the program.
struct CodeRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool hooks = false;    // its code has them: what it does is in the stream
  std::string path;      // of its file; empty: not known
  std::string identity;  // see LoadedObject
  bool operator==(const CodeRange&) const = default;
};

// From where on a name holds: from the first use of a site, and after the target met so many
// synchronisation objects; 0 for either: from the beginning. Definitions come early, at a time that
// depends on the machine; so that every execution of a plan has the same names, they wait for their
// place.
struct NameAnchor {
  std::uint32_t site = 0;
  std::uint32_t object = 0;
};

class StreamSink {
 public:
  virtual ~StreamSink() = default;
  // Ids count up from 1 without gaps, in the order of their first use.
  virtual void define_site(SiteId id, const Site& site) = 0;
  // As in EventSink.
  virtual void define_object(NameAnchor from, std::uint64_t address, std::uint64_t bytes,
                             const std::string& name) = 0;
  virtual void define_member(NameAnchor from, const std::string& cls, std::uint32_t offset,
                             const std::string& member) = 0;
  // Replaces those it overlaps.
  virtual void define_code(const CodeRange& range) = 0;
  // Whole records, in order; `fresh`: the model is as new at the first of them. Behind the bytes
  // there must be RADDLE_CHUNK_SLACK more that can be read, whatever is in them.
  virtual void records(std::span<const std::uint8_t> bytes, bool fresh) = 0;
  // Nothing more may come for a long time: the time to pass on what is held back.
  virtual void pause() {}
};

}  // namespace raddle
