#include "host/base/word_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace raddle {
namespace {

TEST(WordMap, DoesWhatAMapDoes) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    WordMap<std::uint64_t> words;
    std::map<std::uint64_t, std::uint64_t> model;
    const std::uint64_t keys = 1 + random() % 300;
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t key = random() % keys;
      switch (random() % 8) {
        case 0:
        case 1:
        case 2:
          words[key] = model[key] = random();
          break;
        case 3:
        case 4:
          EXPECT_EQ(words.erase(key), model.erase(key) == 1);
          break;
        case 5:
          if (random() % 50 == 0) {
            const std::uint64_t limit = random() % keys;
            words.erase_if([&](std::uint64_t at, std::uint64_t) { return at < limit; });
            std::erase_if(model, [&](const auto& entry) { return entry.first < limit; });
          }
          break;
        default: {
          const std::uint64_t* found = words.find(key);
          const auto known = model.find(key);
          ASSERT_EQ(found != nullptr, known != model.end());
          if (found != nullptr) {
            EXPECT_EQ(*found, known->second);
          }
        }
      }
      ASSERT_EQ(words.size(), model.size());
    }
    std::map<std::uint64_t, std::uint64_t> all;
    words.for_each([&](std::uint64_t key, std::uint64_t value) { all[key] = value; });
    EXPECT_EQ(all, model);
    words.clear();
    EXPECT_TRUE(words.empty());
    EXPECT_EQ(words.find(0), nullptr);
  }
}

}  // namespace
}  // namespace raddle
