#include "host/report/html/column.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace raddle {
namespace {

std::string in_base_64(const std::string& bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8U | (j < have ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      out += j <= have ? kDigits[three >> (18U - 6U * static_cast<unsigned>(j)) & 63U] : '=';
  }
  return out;
}

}  // namespace

nlohmann::ordered_json column_json(const std::vector<std::uint32_t>& numbers) {
  const std::uint32_t largest =
      numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end());
  const unsigned width = largest < 0x100 ? 1 : largest < 0x10000 ? 2 : 4;
  std::string bytes;
  bytes.reserve(numbers.size() * width);
  for (const std::uint32_t number : numbers) {
    for (unsigned i = 0; i < width; ++i) bytes += static_cast<char>(number >> 8U * i & 0xffU);
  }
  return {{"bytes", width}, {"data", in_base_64(bytes)}};
}

}  // namespace raddle
