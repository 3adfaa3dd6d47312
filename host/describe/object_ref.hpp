// What a report calls an object of the program: the pieces of its name. Plain data. Made by
// ReportedObjects; put into words by host/report/words/object_words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/symbols/frame.hpp"
#include "protocol/ids.hpp"
#include "protocol/ops.hpp"

namespace raddle {

// Of a variable or of something on the heap.
struct ObjectName {
  enum class Kind : std::uint8_t {
    kNone,      // nothing is known
    kVariable,  // a global: `path`
    kLocal,     // of a frame: `path` in `owner`, a function
    kMember,    // of a heap object of the class `owner`: `path` in it
    kBlock      // of the heap, class not known: `offset` into it
  };
  Kind kind = Kind::kNone;
  std::string path;
  std::string owner;
  std::uint64_t offset = 0;
  // kMember, kBlock: the ordinal-th allocation at `place`; its file is without its folder.
  std::uint64_t ordinal = 0;
  Where place;

  bool empty() const { return kind == Kind::kNone; }
  bool operator==(const ObjectName&) const = default;
};

struct ObjectRef {
  ObjectId id = kNoObject;
  ObjectClass cls = ObjectClass::none;
  std::optional<ThreadId> thread;  // the object is this thread
  ObjectName name;
  std::string library;  // "std::barrier": what of the C++ library waits by it, and has its name
  Where first_used;     // in the program; known only where there is no name
  std::optional<std::uint64_t> descriptor;  // what the program calls a descriptor, if it is known
  bool for_reading = false;                 // of what is held: a lock that others may hold, too

  bool operator==(const ObjectRef&) const = default;
};

}  // namespace raddle
