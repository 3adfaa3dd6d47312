// Targets between files and processes: module and offset here, an address there. The modules of a
// program lie at the same place in all of its executions, since address randomisation is off.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/replay/aims.hpp"
#include "host/symbols/maps.hpp"

namespace raddle {

// The address as module and offset, from /proc/PID/maps; without a module if it is in none.
PlanAim aim_at(std::uint64_t address, const std::string& maps);
// The same for who asks often: what is loaded, from parse_maps().
PlanAim aim_at(std::uint64_t address, std::span<const LoadedObject> loaded);

// For the shared region. A target in a module that is not loaded is left out: its code cannot run
// (before it is loaded, that is; what is loaded later decides nothing at its plain accesses).
std::vector<AimSite> place_aims(const AimList& aims, std::span<const LoadedObject> loaded);

}  // namespace raddle
