// What the program calls memory of the heap whose class is not known: by the variable that points
// to it, such as the vector that has its elements there. Used by those who name the objects of
// explanations, while they go through the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "host/describe/explanation.hpp"
#include "host/trace/kept_trace.hpp"
#include "host/trace/object_names.hpp"

namespace raddle {

class PointedTo {
 public:
  // Of the objects of these events.
  PointedTo(const KeptTrace& trace, const std::set<std::size_t>& events);

  // After each event of the trace, in order.
  void on(std::size_t index, const ObjectNames& names);

  // "the memory of tracker.sums_", by the last pointer that was written until then; the name is
  // empty if none has a name, or `event` is not one of those.
  ExplainedObject object(std::size_t event) const;

 private:
  const KeptTrace& trace_;
  std::map<std::size_t, std::size_t> blocks_;               // by event: its object's allocation
  std::set<std::size_t> wanted_;                            // allocations
  std::unordered_map<std::uint64_t, std::size_t> current_;  // by address: those that are wanted
  std::unordered_map<std::size_t, std::string> pointers_;   // by allocation
};

}  // namespace raddle
