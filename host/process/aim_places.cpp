#include "host/process/aim_places.hpp"

#include "host/symbols/names.hpp"

namespace raddle {

PlanAim aim_at(std::uint64_t address, const std::string& maps) {
  return aim_at(address, parse_maps(maps));
}

PlanAim aim_at(std::uint64_t address, std::span<const LoadedObject> loaded) {
  PlanAim target;
  target.offset = address;
  for (const LoadedObject& object : loaded) {
    if (address < object.low || address >= object.high) continue;
    target.module = base_name(object.path);
    target.offset = address - object.low;
  }
  return target;
}

std::vector<AimSite> place_aims(const AimList& aims, std::span<const LoadedObject> loaded) {
  std::vector<AimSite> placed;
  if (!aims) return placed;
  placed.reserve(aims->size());
  const LoadedObject* last = nullptr;  // neighbours are mostly of one module
  std::string_view last_module;
  for (const PlanAim& target : *aims) {
    AimSite site{target.offset, target.context, target.role,
                 target.thread, target.order,   target.location};
    if (target.module.empty()) {
      placed.push_back(site);
      continue;
    }
    if (last == nullptr || last_module != target.module) {
      last = nullptr;
      last_module = target.module;
    }
    const auto fits = [&](const LoadedObject& object) {
      return target.offset < object.high - object.low;
    };
    if (last == nullptr || !fits(*last)) {
      last = nullptr;
      for (const LoadedObject& object : loaded) {
        if (last == nullptr && base_name(object.path) == target.module && fits(object))
          last = &object;
      }
    }
    if (last == nullptr) continue;
    site.site = last->low + target.offset;
    placed.push_back(site);
  }
  return placed;
}

}  // namespace raddle
