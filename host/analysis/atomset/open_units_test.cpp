// Against a plain list that is gone through each time.
#include "host/analysis/atomset/open_units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace raddle {
namespace {

using Numbers = std::vector<AtomicSetEngine::UnitNumber>;

template <class Ends>
Numbers ended_in(std::vector<OpenUnit>& list, Ends ends) {
  Numbers numbers;
  std::erase_if(list, [&](const OpenUnit& unit) {
    if (ends(unit)) numbers.push_back(unit.number);
    return ends(unit);
  });
  return numbers;
}

// Few sets and many, short lists and long ones: with and without an index.
TEST(OpenUnits, AgreeWithAPlainList) {
  std::mt19937 random(1);
  std::size_t longest = 0;
  for (int round = 0; round < 2000; ++round) {
    OpenUnits units;
    std::vector<OpenUnit> plain;
    const std::uint32_t sets = 1 + random() % 40;
    const std::uint32_t frames = 1 + random() % 6;
    const std::uint32_t adds = 2 + random() % 30;  // to one of everything else
    for (std::uint32_t number = 0; number < 120; ++number) {
      Numbers got;
      const auto ended = [&](const OpenUnit& unit) { got.push_back(unit.number); };
      const std::uint32_t what = random() % (adds + 4);
      const std::uint32_t frame = random() % frames;
      const SetNumber set = random() % sets;
      Numbers expected;
      if (what == 0) {
        units.end_from(frame, ended);
        expected = ended_in(plain, [frame](const OpenUnit& unit) {
          return unit.frame == OpenUnit::kRegion ? frame == 0 : unit.frame >= frame;
        });
      } else if (what == 1) {
        units.end_regions(ended);
        expected =
            ended_in(plain, [](const OpenUnit& unit) { return unit.frame == OpenUnit::kRegion; });
      } else if (what == 2) {
        units.end_joint(ended);
        expected = ended_in(plain, [](const OpenUnit& unit) { return unit.joint; });
      } else if (what == 3) {
        if (OpenUnit* unit = units.find(set, [](const OpenUnit&) { return true; })) {
          got.push_back(unit->number);
          units.erase(*unit);
        }
        const auto first = std::find_if(plain.begin(), plain.end(),
                                        [set](const OpenUnit& unit) { return unit.set == set; });
        if (first != plain.end()) {
          expected.push_back(first->number);
          plain.erase(first);
        }
      } else {
        OpenUnit unit;
        unit.set = set;
        unit.frame = random() % 8 == 0 ? OpenUnit::kRegion : frame;
        unit.joint = random() % 8 == 0;
        unit.number = number;
        units.add(unit);
        plain.push_back(unit);
      }
      ASSERT_EQ(got, expected) << "round " << round;
      longest = std::max(longest, plain.size());
      const SetNumber asked = random() % sets;
      const auto is_it = [frame](const OpenUnit& unit) { return unit.frame >= frame; };
      const OpenUnit* found = units.find(asked, is_it);
      const auto first = std::find_if(plain.begin(), plain.end(), [&](const OpenUnit& unit) {
        return unit.set == asked && is_it(unit);
      });
      ASSERT_EQ(found != nullptr, first != plain.end()) << "round " << round;
      if (found != nullptr) {
        ASSERT_EQ(found->number, first->number) << "round " << round;
      }
    }
  }
  EXPECT_GT(longest, 50U);
}

}  // namespace
}  // namespace raddle
