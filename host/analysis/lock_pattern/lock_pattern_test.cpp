#include "host/analysis/lock_pattern/lock_pattern.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {
namespace {

std::string taken(int thread, char kind) {
  const std::string self = "T" + std::to_string(thread) + " ";
  return kind == 'R' ? self + "racq(m); " + self + "rrel(m); "
                     : self + "acq(m); " + self + "rel(m); ";
}

bool found_in(const std::string& text, bool BlockSources::* source = &BlockSources::annotated) {
  AnalysisOptions options;
  options.atomic = {};
  options.atomic.*source = true;
  Pipeline pipeline(options);
  pipeline.add(std::make_unique<LockPattern>(pipeline.state(), Realised{}));
  trace_of(text).feed(pipeline);
  return !pipeline.findings().empty();
}

// First and last of one thread, anything of others in between. The oracle says it as it is written
// in the papers: the unserializable interleavings, and three writers.
TEST(LockPattern, ReadersDoNotDisturbEachOther) {
  const auto bad = [](char first, char middle, char last) {
    const std::string three = {first, middle, last};
    return three == "RWR" || three == "WWR" || three == "RWW" || three == "WRW" || three == "WWW";
  };
  std::mt19937 random(1);
  const auto kind = [&] { return random() % 2 == 0 ? 'R' : 'W'; };
  int with = 0;
  for (int i = 0; i < 2000; ++i) {
    const char first = kind();
    const char last = kind();
    std::string text = "T1 block(b); " + taken(1, first);
    bool expected = false;
    for (auto n = random() % 4; n > 0; --n) {
      const char middle = kind();
      text += taken(static_cast<int>(2 + random() % 2), middle);
      expected = expected || bad(first, middle, last);
    }
    text += taken(1, last) + "T1 endblock";
    EXPECT_EQ(found_in(text), expected) << text;
    with += expected ? 1 : 0;
  }
  EXPECT_GT(with, 500);
}

// Known when its thread ends: then what was found in it is forgotten.
TEST(LockPattern, ARegionThatSpansTheEntryFunctionIsNoBlock) {
  const std::string run = "T1 enter(run); T1 acq(k); " + taken(1, 'W') + taken(2, 'W') +
                          taken(1, 'W') + "T1 rel(k); T1 exit; ";
  EXPECT_FALSE(found_in(run + "T1 end", &BlockSources::locks));
  EXPECT_TRUE(found_in(run + run + "T1 end", &BlockSources::locks));
}

}  // namespace
}  // namespace raddle
