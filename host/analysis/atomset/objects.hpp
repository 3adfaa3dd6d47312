// Which object a byte of memory belongs to, for the default atomic sets: one per object, where
// embedded members belong to the object that contains them, elements of an array are objects of
// their own, and memory that an object allocated for itself belongs to that object.
//
// What is known, from most to least: sets that were declared; heap blocks and locals with their
// class; extents of objects that had a member function called; globals; the class and offset that
// the site of an access names. Memory of which nothing is known is an object by itself.
//
// Objects end with their memory: what comes to lie there afterwards is another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "host/analysis/model/vector_clock.hpp"
#include "host/base/word_map.hpp"
#include "host/symbols/site.hpp"

namespace raddle {

using ObjectNumber = std::uint32_t;
inline constexpr ObjectNumber kNoObjectNumber = 0xffff'ffff;

struct SetObject {
  std::uint64_t base = 0;
  std::uint64_t life = 0;  // tells objects apart that have the same number one after the other
  // Threads that used it: constructors do not count until there is a second one.
  bool used = false;
  bool shared = false;
  ThreadIndex user = 0;
  std::uint32_t cls = 0;        // of the first access that has one; 0: not known
  WordMap<std::uint32_t> sets;  // by name; SetNumber
};

class ObjectTracker {
 public:
  explicit ObjectTracker(bool ownership) : ownership_(ownership) {}
  ObjectTracker(const ObjectTracker&) = delete;
  ObjectTracker& operator=(const ObjectTracker&) = delete;

  // ---- What there is ----
  void allocate(std::uint64_t address, std::uint64_t bytes, std::uint32_t class_bytes,
                ObjectNumber owner);
  void local(std::uint64_t address, std::uint64_t bytes, std::uint32_t class_bytes);
  void global(std::uint64_t address, std::uint64_t bytes);
  void free(std::uint64_t address, std::uint64_t bytes);
  // An object of this size had a member function called.
  void extent(std::uint64_t address, std::uint32_t bytes);
  // These bytes belong to one declared set, whatever else is known of them.
  void declare(std::uint64_t address, std::uint64_t bytes, ObjectNumber object);
  // Where the global variable at an address begins, and its bytes; none if it is not known.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> global_at(std::uint64_t address);
  ObjectNumber make(std::uint64_t base);  // an object without memory: a declared set, a class

  // ---- Questions ----
  struct Place {
    ObjectNumber object = kNoObjectNumber;
    bool owned = false;        // through ownership: until somebody else uses it
    std::uint16_t life = 0;    // of the memory
    std::uint64_t region = 0;  // where the owned memory begins
  };
  // `offset` of the access in its class, or kUnknownOffset; `classified`: the site names a class.
  Place find(std::uint64_t address, bool classified, std::uint32_t offset);
  // Somebody else used memory that was owned.
  void release(std::uint64_t region);

  SetObject& operator[](ObjectNumber object) { return objects_[object]; }
  // Changes whenever an earlier answer of find() may have become wrong.
  std::uint64_t version() const { return version_; }
  // And for which memory: called with [address, address + bytes).
  using OnChange = std::function<void(std::uint64_t address, std::uint64_t bytes)>;
  void on_change(OnChange forget) { forget_ = std::move(forget); }

 private:
  enum class Kind : std::uint8_t { kHeap, kLocal, kGlobal };
  struct HostRegion {
    std::uint64_t bytes = 0;
    std::uint32_t class_bytes = 0;  // 0: class not known
    Kind kind{};
    std::uint16_t life = 0;
    ObjectNumber owner = kNoObjectNumber;
    std::uint64_t owner_life = 0;
    std::vector<std::uint64_t> bases;  // of objects in it
  };
  using Regions = std::map<std::uint64_t, HostRegion>;

  void put(std::uint64_t address, std::uint64_t bytes, std::uint32_t class_bytes, Kind kind,
           ObjectNumber owner);
  void clear(std::uint64_t address, std::uint64_t bytes);
  void remove(Regions::iterator region);
  Regions::iterator region_of(std::uint64_t address);
  ObjectNumber object_at(std::uint64_t base, Regions::iterator region);
  std::uint64_t base_of(std::uint64_t address, bool classified, std::uint32_t offset,
                        Regions::iterator region) const;
  void changed(std::uint64_t address, std::uint64_t bytes);

  bool ownership_;
  Regions regions_;                                 // by address; disjoint
  Regions::iterator last_ = regions_.end();         // of region_of(): often the next, too
  std::map<std::uint64_t, std::uint64_t> extents_;  // address -> bytes; disjoint, outermost
  WordMap<std::uint32_t> extents_seen_;             // address -> largest size
  struct Declared {
    std::uint64_t bytes = 0;
    ObjectNumber object = 0;
  };
  std::map<std::uint64_t, Declared> declared_;
  std::vector<SetObject> objects_;
  std::vector<ObjectNumber> free_objects_;
  WordMap<ObjectNumber> by_base_;
  std::uint64_t lives_ = 0;
  std::uint64_t version_ = 0;
  OnChange forget_;
};

}  // namespace raddle
