// What other stores and loose replay files know, taken into a store: `raddle import`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "host/base/result.hpp"
#include "host/campaign/store/store.hpp"
#include "host/replay/replay_file.hpp"

namespace raddle {

struct Imported {
  std::uint64_t campaigns = 0;
  std::uint64_t findings = 0;  // that were not known before
  std::uint64_t sightings = 0;
};

// Campaigns of the other store become campaigns of this one, in their order, behind those that are
// there. A campaign that was imported before (same command, begin, commit and version) is left out.
// `take_replay` copies a replay file of the other store's folder, and returns its new name; empty:
// it could not. An error leaves `store` as it was.
Result<Imported> import_store(Store& store, const std::string& path,
                              const std::function<std::string(const std::string&)>& take_replay);

// A saved execution as a finding of its own campaign; `name` is its file, relative to the store's
// folder. Nothing for one that passed and shows nothing.
Result<Imported> import_replay(Store& store, const ReplayFile& file, const std::string& name);

// The text by which tests that are single programs are known: argv, with spaces.
std::string test_name(const std::vector<std::string>& arguments);

}  // namespace raddle
