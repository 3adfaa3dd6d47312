#include "host/base/crc32c.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace raddle {
namespace {

TEST(Crc32c, TheCheckValueOfItsDefinition) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c_portable("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(Crc32c, LanesMakeNoDifference) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    std::string bytes(random() % (round % 10 == 0 ? 20'000 : 200), 0);
    for (char& byte : bytes) byte = static_cast<char>(random());
    const std::uint32_t expected = crc32c_portable(bytes);
    EXPECT_EQ(crc32c(bytes), expected) << bytes.size();
    const std::size_t cut = bytes.empty() ? 0 : random() % bytes.size();
    EXPECT_EQ(crc32c(std::string_view(bytes).substr(cut), crc32c(bytes.substr(0, cut))), expected);
  }
}

}  // namespace
}  // namespace raddle
