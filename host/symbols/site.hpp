// A site: the place in the program that an event comes from, in the program's own words. Either the
// compiler pass described it (protocol/hooks_abi.h), or it is a code address that was symbolised.
// Plain data; a trace has a table of them, and each event an index into it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/event.hpp"
#include "protocol/site.hpp"

namespace raddle {

struct SiteFrame {
  std::string function;  // demangled, without parameters; empty: not known
  std::string file;      // as the compiler was given it, made absolute; empty: not known
  std::uint32_t line = 0;
  std::uint32_t column = 0;  // or RADDLE_COLUMN_UNWRITTEN
  bool operator==(const SiteFrame&) const = default;
};

// Of a member function that the compiler made: its line is the class's, which says nothing of what
// happens there.
bool is_unwritten(const SiteFrame& frame);

struct Site {
  EventKind kind = EventKind::none;  // of its events; none for a code address
  std::uint8_t flags = 0;
  std::uint16_t size = 0;  // of the access
  std::string cls;    // class of the object that is accessed, of `this`, or of what is allocated
  std::string field;  // "savings", "limits.daily", or a variable's, block's or event's name
  std::uint32_t offset = 0;  // access: object - offset is the address of the instance of `cls`;
                             // enter, allocate: sizeof(cls), 0 if not known
  std::string set;           // atomic set of the field, if annotated
  std::vector<SiteFrame> frames;  // innermost first: inlined frames, then the function itself
  // As the live stream had it: of the RaddleSite (protocol/hooks_abi.h), or a code address where
  // that is all there was to begin with.
  std::uint64_t code = 0;
  std::string module;  // of `code`, when it could not be symbolised further
  std::uint64_t module_offset = 0;
  // Equal for the same place in every execution of the same build; hash of all of the above but
  // `code`.
  std::uint64_t stable = 0;
  bool operator==(const Site&) const = default;
};

std::uint64_t stable_hash(const Site& site);

}  // namespace raddle
