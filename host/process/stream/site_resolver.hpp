// Addresses that the event stream carries -> sites. Those that the compiler pass described are read
// from the program's file, the others are symbolised. Used by one thread. Slow the first time that
// a site is asked for: what was found is kept for all executions, as long as the same files are
// loaded at the same places.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/symbols/described_sites.hpp"
#include "host/symbols/site.hpp"
#include "host/symbols/symbolizer.hpp"
#include "host/trace/stream_sink.hpp"

namespace raddle {

class SiteResolver {
 public:
  // `maps` gives /proc/PID/maps of the target; called again when an address is in no known object
  // (dlopen). It may return an empty text: the process is gone.
  explicit SiteResolver(std::function<std::string()> maps);

  // At a RaddleSite. Valid until the next call, as is code().
  const Site& described(std::uint64_t address);
  // At a return address.
  const Site& code(std::uint64_t address);
  // Either: what a decision names.
  Site any(std::uint64_t address);

  // What is loaded, as of the last look; look_again() looks again.
  std::vector<CodeRange> code_ranges();
  void look_again() { load_maps(); }
  // Whether the address lies in what is loaded: not in the heap, and in no stack.
  bool knows(std::uint64_t address) const;

  Symbolizer& symbols() { return symbols_; }
  // The program's own variables, as they were when it was loaded.
  const std::vector<DataSymbol>& variables();

 private:
  void load_maps();
  Site look_up_described(std::uint64_t address);
  Site look_up_code(std::uint64_t address);

  std::function<std::string()> maps_;
  std::string text_;
  std::vector<LoadedObject> objects_;
  DescribedSites sites_;
  Symbolizer symbols_;
  std::unordered_map<std::uint64_t, Site> described_;
  std::unordered_map<std::uint64_t, Site> code_;
  std::optional<std::vector<DataSymbol>> variables_;
};

}  // namespace raddle
