#include <gtest/gtest.h>

#include <random>

#include "prevent/schedule/syntax.hpp"

namespace raddle::schedule {
namespace {

// The schedule as it was understood, in one way of writing.
std::string read(const std::string& text) {
  const auto parsed = parse(text);
  if (const auto* error = std::get_if<ParseError>(&parsed))
    return error->expected + "\n" + with_caret(text, error->at);
  std::string out;
  for (const Ordering& ordering : std::get<Syntax>(parsed).orderings)
    out += (out.empty() ? "" : ", ") + ordering.text();
  for (const Exclusion& exclusion : std::get<Syntax>(parsed).exclusions)
    out += (out.empty() ? "" : ", ") + exclusion.first.text() + " !-> " + exclusion.second.text();
  return out;
}

TEST(Parser, TheLanguage) {
  EXPECT_EQ(read("a->b"), "a -> b");
  EXPECT_EQ(read(" a -> b ,\n [c]->d, "), "a -> b, [c] -> d");
  EXPECT_EQ(read("a -> b c -> d"), "a -> b, c -> d");
  EXPECT_EQ(read("a -> b -> c"), "a -> b, b -> c");
  EXPECT_EQ(read("a && b || c && [d] -> e"), "a && b || c && [d] -> e");
  EXPECT_EQ(read("a && (b || c) -> e"), "a && (b || c) -> e");
  EXPECT_EQ(read("((a)) -> e"), "a -> e");
  EXPECT_EQ(read("queue.add@t1#2 -> take+"), "queue.add@t1#2 -> take+");
  EXPECT_EQ(read("start@t -> end@u"), "start@t -> end@u");
  EXPECT_EQ(read("a.b..c !-> d@t..e@t"), "a.b..c !-> d@t..e@t");
  EXPECT_EQ(read("a#1 -> b"), "a -> b");
}

TEST(Parser, ErrorsShowThePlaceAndWhatWasExpected) {
  EXPECT_EQ(read(""), "expected an ordering, such as `a -> b`\n  \n  ^");
  EXPECT_EQ(read("a"), "expected `->`, `&&` or `||` after `a`\n  a\n   ^");
  EXPECT_EQ(read("a -> , b"), "expected an event after `->`\n  a -> , b\n       ^");
  EXPECT_EQ(read("a -> b, [c -> d"), "expected `]` after `c`\n  a -> b, [c -> d\n             ^");
  EXPECT_EQ(read("(a && b -> c"),
            "expected `)`, `&&` or `||` after `a && b`\n  (a && b -> c\n          ^");
  EXPECT_EQ(read("a && -> b"), "expected an event, `[` or `(`\n  a && -> b\n       ^");
  EXPECT_EQ(read("a -> [b]"), "expected an event after `->`\n  a -> [b]\n       ^");
  EXPECT_EQ(read("start -> b"),
            "expected `@` and the name of a thread after `start`, which is an event of threads\n"
            "  start -> b\n       ^");
  EXPECT_EQ(read("a@ -> b"), "expected the name of a thread after `@`\n  a@ -> b\n    ^");
  EXPECT_EQ(read("a#0 -> b"), "expected a number from 1 to 100000 after `#`\n  a#0 -> b\n    ^");
  EXPECT_EQ(read("a#2@t -> b"), "expected `@` before `#`: `a@thread#2`\n  a#2@t -> b\n     ^");
  EXPECT_EQ(read("a..b -> c"),
            "expected `!->` and a second section after `a..b`\n  a..b -> c\n       ^");
  EXPECT_EQ(
      read("a !-> b"),
      "expected `..` before `!->`, which is between sections: `a..b !-> c..d`\n  a !-> b\n    ^");
  EXPECT_EQ(read("a..a !-> c..d"),
            "expected another event: a section begins and ends with different ones\n"
            "  a..a !-> c..d\n     ^");
  EXPECT_EQ(read("a -> b; c -> d"),
            "expected `->`, `,` or the end of the schedule\n  a -> b; c -> d\n        ^");
  EXPECT_EQ(read("a -> b && c"),
            "expected `->`, `,` or the end of the schedule\n  a -> b && c\n         ^");
  EXPECT_EQ(read("a -> b,\n[c\n"), "expected `]` after `c`\n  [c\n    ^");
  EXPECT_EQ(read("a -> b,\nc => d\n"), "expected `->`, `&&` or `||` after `c`\n  c => d\n    ^");
}

TEST(Parser, AnythingIsReadOrRefused) {
  std::mt19937 random(1);
  const std::string pieces[] = {"a", "b", "->",    "!->", "..", ".", "[", "]",
                                "(", ")", "&&",    "||",  "@",  "#", "2", "+",
                                ",", " ", "start", "end", "\n", "-", "&", "\xff"};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (unsigned k = random() % 12; k > 0; --k) text += pieces[random() % std::size(pieces)];
    const std::string understood = read(text);
    ASSERT_FALSE(understood.empty()) << text;
    // What was understood means the same when it is read again.
    if (understood.find("expected") == std::string::npos) {
      ASSERT_EQ(read(understood), understood) << text;
    }
  }
  const std::string deep(100'000, '(');
  EXPECT_NE(read(deep).find("expected fewer parentheses"), std::string::npos);
}

}  // namespace
}  // namespace raddle::schedule
