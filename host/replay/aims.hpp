// Targets as the host and its files have them: by module and offset, so that they mean the same
// place wherever the module is loaded. Valid for one build of the program, like everything in a
// replay file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocol/aim.hpp"

namespace raddle {

struct PlanAim {
  std::string module;        // file name without folders; "": `offset` is an address as it is
  std::uint64_t offset = 0;  // from the module's load address
  std::uint64_t context = 0;
  AimRole role = AimRole::kDecides;
  std::uint8_t thread = 0;
  std::uint8_t order = 0;
  std::uint8_t location = 0;
  bool operator==(const PlanAim&) const = default;
};

// Shared by all executions of a campaign; null: there are none.
using AimList = std::shared_ptr<const std::vector<PlanAim>>;

}  // namespace raddle
