#include "host/process/aim_places.hpp"

#include <gtest/gtest.h>

#include "host/symbols/maps.hpp"

namespace raddle {
namespace {

const std::string kMaps =
    "555555554000-555555556000 r-xp 00000000 08:01 11 /home/user/bank\n"
    "555555556000-555555558000 rw-p 00002000 08:01 11 /home/user/bank\n"
    "7ffff7c00000-7ffff7d00000 r-xp 00000000 08:01 12 /usr/lib/libvault.so\n";

TEST(AimPlaces, ThereAndBack) {
  for (const std::uint64_t address : {0x555555554010ULL, 0x555555557ff8ULL, 0x7ffff7c12345ULL}) {
    const PlanAim target = aim_at(address, kMaps);
    EXPECT_NE(target.module, "");
    const auto placed =
        place_aims(std::make_shared<const std::vector<PlanAim>>(1, target), parse_maps(kMaps));
    ASSERT_EQ(placed.size(), 1U);
    EXPECT_EQ(placed[0].site, address);
  }
  EXPECT_EQ(aim_at(0x7ffff7c12345, kMaps).module, "libvault.so");
  EXPECT_EQ(aim_at(0x7ffff7c12345, kMaps).offset, 0x12345U);
}

TEST(AimPlaces, NothingIsPlacedOutsideOfItsModule) {
  const std::vector<PlanAim> aims = {{"bank", 0x4000, 7, AimRole::kStep, 1, 2},
                                     {"bank", 0x3fff, 7, AimRole::kStep, 1, 2},
                                     {"gone.so", 0x10, 0, AimRole::kDecides, 0, 0},
                                     {"", 0x1234, 0, AimRole::kDecides, 0, 0}};
  const auto placed =
      place_aims(std::make_shared<const std::vector<PlanAim>>(aims), parse_maps(kMaps));
  ASSERT_EQ(placed.size(), 2U);
  EXPECT_EQ(placed[0].site, 0x555555557fffU);
  EXPECT_EQ(placed[0].context, 7U);
  EXPECT_EQ(placed[0].role, AimRole::kStep);
  EXPECT_EQ(placed[0].thread, 1);
  EXPECT_EQ(placed[0].order, 2);
  EXPECT_EQ(placed[1].site, 0x1234U);  // no module: the address itself
  EXPECT_TRUE(place_aims(nullptr, parse_maps(kMaps)).empty());
}

}  // namespace
}  // namespace raddle
