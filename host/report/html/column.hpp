// A column of numbers as the page reads it. Used by the page's data.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace raddle {

// {bytes, data}: each number takes 1, 2 or 4 bytes, the lowest first; all together in base 64.
nlohmann::ordered_json column_json(const std::vector<std::uint32_t>& numbers);

}  // namespace raddle
