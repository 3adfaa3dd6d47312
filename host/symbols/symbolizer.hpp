// Code and data addresses of a target -> names, with elfutils libdw. Works from the text of
// /proc/PID/maps, so the process may be gone; files are read from disk, separate debug files where
// installed. Results are cached: address randomisation is off, so the same maps come again and
// again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/symbols/dwarf_members.hpp"
#include "host/symbols/frame.hpp"
#include "host/symbols/local_variables.hpp"
#include "host/symbols/maps.hpp"

namespace raddle {

struct DataSymbol {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::string name;  // "counter", "Bank::total", "main::done"
};

class Symbolizer {
 public:
  Symbolizer();
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // A command asks about the same process in several places, and to open debug information takes
  // longer than to run a short program. From now on what so many symbolizers have read, and their
  // open files, are kept when they go, for the next that is given the same objects. For processes
  // that are Raddle's own; at the start, before there are threads.
  static void keep(std::size_t most);

  // Uses these maps from now on; cheap when they are the same as before.
  void set_maps(const std::string& maps);
  // The same with what the maps say, by address.
  void set_objects(std::vector<LoadedObject> objects);

  // The frames at a code address, innermost inlined function first; never empty. `return_address`:
  // the instruction before it is meant.
  std::vector<Frame> frames(std::uint64_t pc, bool return_address);

  // Code of the C or C++ library, the loader or Raddle: no frame there is the program's. Cheaper
  // than to ask for the frames.
  bool in_library(std::uint64_t pc) const;

  // The outermost function of the program's own at a return address, inlined ones included; empty
  // if there is none, or none with a name.
  std::string program_function(std::uint64_t pc);

  // Name of the global variable that holds this data address ("a", "account+0x8"), or empty.
  std::string data_name(std::uint64_t address);
  // Where nothing has a name: "pbzip2+0x1e240", as objdump counts; empty outside every module.
  std::string data_place(std::uint64_t address);

  // Name of the function at a code address, what is inlined there aside; empty if there is none.
  std::string function_of(std::uint64_t pc);

  // The local variable at an address of a stack: `pc` is where the frame is (a return address for
  // all but the innermost), `cfa` its canonical frame address, that is, the stack pointer before
  // the call that made the frame.
  std::optional<LocalVariable> local_name(std::uint64_t pc, bool return_address, std::uint64_t cfa,
                                          std::uint64_t address);

  // What lies at an offset of a class of the program: "m_", "queue.lock"; empty if that is not
  // known. Ends at the library's own types: the inside of a std::mutex is the mutex.
  std::string member_at(const std::string& cls, std::uint64_t offset);
  // What a class of the program consists of.
  std::vector<ClassMember> data_members(const std::string& cls);
  // sizeof; 0 if the class is not known.
  std::uint64_t class_size(const std::string& cls);

  // The variables with a fixed address of the program and its own libraries, by address; at most
  // this many.
  std::vector<DataSymbol> data_symbols(std::size_t most);

 private:
  struct Impl;
  class Kept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace raddle
