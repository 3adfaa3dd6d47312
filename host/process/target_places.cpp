#include "host/process/target_places.hpp"

#include "host/symbols/maps.hpp"
#include "host/symbols/names.hpp"

namespace raddle {

PlanTarget target_at(std::uint64_t address, const std::string& maps) {
  PlanTarget target;
  target.offset = address;
  for (const LoadedObject& object : parse_maps(maps)) {
    if (address < object.low || address >= object.high) continue;
    target.module = base_name(object.path);
    target.offset = address - object.low;
  }
  return target;
}

std::vector<TargetSite> place_targets(const TargetList& targets, const std::string& maps) {
  std::vector<TargetSite> placed;
  if (!targets) return placed;
  const std::vector<LoadedObject> objects = parse_maps(maps);
  placed.reserve(targets->size());
  for (const PlanTarget& target : *targets) {
    TargetSite site{target.offset, target.context, target.role,
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
