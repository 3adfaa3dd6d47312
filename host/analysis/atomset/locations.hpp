// Which atomic set an access belongs to, and which locations of it. A location is what accesses
// tell apart: a field, an element of an array, a variable. Its bytes are those of the smallest
// access seen so far in its word of 8 bytes; a wider access counts for each location that it
// covers.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/analysis/atomset/engine.hpp"
#include "host/analysis/atomset/objects.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/base/word_map.hpp"

namespace raddle {

// What the site of an access or function says, for quick use.
struct AtomicSite {
  bool known = false;
  bool skip = false;  // const or atomic data, the pointer to the virtual table
  bool classified = false;
  std::uint8_t flags = 0;
  std::uint32_t offset = 0;
  std::uint32_t set = 0;           // number of the annotated set's name; 0: none
  bool of_globals = false;         // it is a set of global variables
  std::uint32_t cls = 0;           // number of the class's name; 0: none
  std::uint32_t static_class = 0;  // the class of a static member
};

class SetLocations {
 public:
  SetLocations(const ExecutionState& state, bool ownership);
  SetLocations(const SetLocations&) = delete;
  SetLocations& operator=(const SetLocations&) = delete;

  ObjectTracker& objects() { return objects_; }
  const AtomicSite& site(SiteId id);

  // These bytes belong to the set of this name.
  void declare(std::uint64_t address, std::uint64_t bytes, const std::string& name);
  bool declared(std::uint64_t address) const;
  // The global variable there, or as many bytes of it, belongs to the set that the site names.
  void declare_global(const AtomicSite& site, std::uint64_t address, std::uint64_t bytes);

  struct Target {
    SetNumber set = 0;
    ObjectNumber object = 0;
    std::uint32_t static_class = 0;  // of the set of a class
    bool owned = false;              // see ObjectTracker::Place
    std::uint64_t region = 0;
    LocationKey location = 0;
  };
  // Bytes of the locations in a word of which an access touches `bytes` (a bit for each).
  unsigned granule(std::uint64_t word, std::uint8_t bytes);
  // The location that begins at an address; `granule` as above.
  Target find(const AtomicSite& site, std::uint64_t address, unsigned granule);
  // "" if it has none of its own: then its object has one.
  std::string set_name(SetNumber set) const;
  bool annotated(SetNumber set) const;  // somebody said that it is a set
  std::uint64_t set_base(SetNumber set) const;

 private:
  struct Word {
    std::uint8_t granule = 0;
    std::uint8_t resolved = 0;  // bytes that the rest holds for
    bool owned = false;
    std::uint16_t life = 0;
    SetNumber set = 0;
    ObjectNumber object = 0;
    std::uint32_t static_class = 0;
    std::uint64_t region = 0;
  };
  struct SetInfo {
    std::string name;
    std::uint64_t base = 0;
    bool annotated = false;
  };
  struct Recent {
    SetNumber set = 0;  // 0: none
    ObjectNumber object = 0;
    std::uint64_t base = 0;
    std::uint64_t life = 0;  // of the object
  };

  std::uint32_t number(const std::string& text);
  SetNumber set_of(ObjectNumber object, std::uint32_t name, const std::string& given,
                   bool annotated);
  void keep(SetNumber set, SetInfo info);
  void forget(std::uint64_t address, std::uint64_t bytes);
  Word resolve(const AtomicSite& site, std::uint64_t address);

  const ExecutionState& state_;
  ObjectTracker objects_;
  WordMap<Word> words_;                                     // a cache, but for the granules
  std::vector<AtomicSite> sites_;                           // by SiteId
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of names and classes, from 1
  std::vector<std::string> texts_{""};                      // by number
  WordMap<ObjectNumber> classes_;                           // class -> its static members
  struct Declared {
    std::string name;
    ObjectNumber object = 0;
  };
  std::vector<Declared> declared_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> declared_bytes_;
  WordMap<SetInfo> sets_;       // that have a name, or are older than those of
  std::vector<Recent> recent_;  // by the last digits of their numbers
  SetNumber next_set_ = 1;
};

}  // namespace raddle
