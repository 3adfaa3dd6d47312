#include "host/analysis/filter/suppressions.hpp"

#include <gtest/gtest.h>

#include <random>

namespace raddle {
namespace {

// One finding: T1 in Cache<int>::peek, inlined into Cache<int>::get, called by worker.
struct Case {
  ExecutionState state;
  Finding finding;
  Case() {
    Site place;
    place.kind = EventKind::read;
    place.frames = {{"Cache<int>::peek", "/src/lib/cache.hpp", 12, 1},
                    {"Cache<int>::get", "/src/lib/cache.hpp", 20, 1}};
    state.define_site(SiteId{1}, place);
    Site worker;
    worker.kind = EventKind::enter;
    worker.frames = {{"worker(int)", "/src/main.cpp", 40, 1}};
    state.define_site(SiteId{2}, worker);
    FindingStep step;
    step.event.site = SiteId{1};
    step.object = "Cache::hits[3] #2@main.cpp:40";
    step.stack = {SiteId{2}};
    finding.kind = FindingKind::race;
    finding.object = "done in main";
    finding.place = 0x12ab;
    finding.steps = {step};
  }
  bool covered(const std::string& text) const {
    Result<Suppressions> made = Suppressions::parse(text, "file");
    EXPECT_TRUE(bool(made)) << made.error();
    return made && made->cover(finding, state);
  }
};

std::string error_of(const std::string& text) {
  const Result<Suppressions> made = Suppressions::parse(text, "my.supp");
  return made ? "" : made.error();
}

TEST(Suppressions, ByFunctionOfAnyFrame) {
  const Case c;
  for (const char* yes : {"function:Cache<int>::peek", "function:peek", "function:get",
                          "function:Cache*::pe?k", "function:worker*", "function:*"})
    EXPECT_TRUE(c.covered(yes)) << yes;
  for (const char* no : {"function:pee", "function:eek", "function:Cache", "function:main"})
    EXPECT_FALSE(c.covered(no)) << no;
}

TEST(Suppressions, ByFile) {
  const Case c;
  for (const char* yes : {"file:cache.hpp", "file:/src/lib/*", "file:*/lib/*.hpp", "file:main.*"})
    EXPECT_TRUE(c.covered(yes)) << yes;
  for (const char* no : {"file:lib/cache.hpp", "file:cache", "file:*.c"})
    EXPECT_FALSE(c.covered(no)) << no;
}

TEST(Suppressions, ByObjectOfTheFindingOrAStep) {
  const Case c;
  for (const char* yes : {"object:done in main", "object:done", "object:Cache::hits[3]",
                          "object:Cache::hits[3] #2@main.cpp:40", "object:Cache::*"})
    EXPECT_TRUE(c.covered(yes)) << yes;
  for (const char* no : {"object:hits", "object:Cache::hits3", "object:don"})
    EXPECT_FALSE(c.covered(no)) << no;
}

TEST(Suppressions, ByIdAndKind) {
  const Case c;
  EXPECT_TRUE(c.covered("id:00000000000012ab"));
  EXPECT_TRUE(c.covered("id:12AB"));
  EXPECT_FALSE(c.covered("id:12ac"));
  EXPECT_TRUE(c.covered("race function:peek"));
  EXPECT_TRUE(c.covered("race\t id: 12ab"));
  EXPECT_FALSE(c.covered("lock-order function:peek"));
}

TEST(Suppressions, CommentsAndBlankLines) {
  const Case c;
  EXPECT_FALSE(c.covered(""));
  EXPECT_FALSE(c.covered("# function:peek\n\n   # another\r\n"));
  EXPECT_TRUE(c.covered("function:peek # it is benign\r\n"));
  // The `#2' of a name is no comment.
  EXPECT_FALSE(c.covered("object:Cache::hits[3] #3@main.cpp:40"));
}

TEST(Suppressions, NamesWhatMatchedNothing) {
  const Case c;
  Result<Suppressions> made =
      Suppressions::parse("function:peek\n\nrace file:gone.c # old\nid:12ab\n", "my.supp");
  ASSERT_TRUE(bool(made));
  EXPECT_EQ(made->unused().size(), 3U);
  EXPECT_TRUE(made->cover(c.finding, c.state));
  EXPECT_EQ(made->unused(), std::vector<std::string>{"`race file:gone.c' (my.supp:3)"});
}

TEST(Suppressions, ABadLineIsNamed) {
  EXPECT_EQ(error_of("function:a\n\nfunktion:b\n"),
            "my.supp:3: expected function:NAME, file:GLOB, object:GLOB or id:HEX, found "
            "`funktion:b'");
  EXPECT_EQ(error_of("peek"),
            "my.supp:1: expected function:NAME, file:GLOB, object:GLOB or id:HEX, found `peek'");
  EXPECT_EQ(error_of("rase function:b"),
            "my.supp:1: `rase' is no kind of finding; there are: race, lockset, atomicity, "
            "serializability, atomic-set, lock-order, use-after-free");
  EXPECT_EQ(error_of("id:xyz"), "my.supp:1: expected up to 16 hexadecimal digits, found `xyz'");
  EXPECT_NE(error_of("id:12345678123456781"), "");
  EXPECT_NE(error_of("id:-1"), "");
  EXPECT_EQ(error_of("function:  "), "my.supp:1: nothing after `function:'");
  EXPECT_NE(error_of(std::string("\0\x1b[0m", 5)).find("`\\x00\\x1b[0m'"), std::string::npos);
  EXPECT_NE(Suppressions::read("/nonexistent/file").error(), "");
  EXPECT_NE(Suppressions::read("/dev/zero").error(), "");
}

TEST(Suppressions, AnyBytesAreAnErrorOrEntries) {
  const Case c;
  std::mt19937 random(1);
  const std::string words[] = {
      "function:",          "race ", "id:",  "*", "?", " # ", "\n", "object:",
      std::string("\0", 1), "\xff",  "peek", ":", " "};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (unsigned n = random() % 8; n > 0; --n) text += words[random() % std::size(words)];
    Result<Suppressions> made = Suppressions::parse(text, "x");
    if (made) (void)made->cover(c.finding, c.state);
  }
}

TEST(Glob, IsLinearInBadCases) {
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_TRUE(glob_matches("**", ""));
  EXPECT_FALSE(glob_matches("?", ""));
  EXPECT_TRUE(glob_matches("a*b*c", "a--b--bc"));
  EXPECT_FALSE(glob_matches("a*b*c", "a--c--b"));
  std::string stars;
  for (int i = 0; i < 1000; ++i) stars += "*a";
  EXPECT_FALSE(glob_matches(stars + "b", std::string(5000, 'a')));
}

}  // namespace
}  // namespace raddle
