#include "host/process/aim_places.hpp"

#include "host/symbols/maps.hpp"
#include "host/symbols/names.hpp"

namespace raddle {

PlanAim aim_at(std::uint64_t address, const std::string& maps) {
  PlanAim target;
  target.offset = address;
  for (const LoadedObject& object : parse_maps(maps)) {
    if (address < object.low || address >= object.high) continue;
    target.module = base_name(object.path);
    target.offset = address - object.low;
  }
  return target;
}

std::vector<AimSite> place_aims(const AimList& aims, const std::string& maps) {
  std::vector<AimSite> placed;
  if (!aims) return placed;
  const std::vector<LoadedObject> objects = parse_maps(maps);
  placed.reserve(aims->size());
  for (const PlanAim& target : *aims) {
    AimSite site{target.offset, target.context, target.role,
                 target.thread, target.order,   target.location};
    bool loaded = target.module.empty();
    for (const LoadedObject& object : objects) {
      if (loaded || base_name(object.path) != target.module) continue;
      if (target.offset >= object.high - object.low) continue;
      site.site = object.low + target.offset;
      loaded = true;
    }
    if (loaded) placed.push_back(site);
  }
  return placed;
}

}  // namespace raddle
