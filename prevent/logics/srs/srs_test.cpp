#include <gtest/gtest.h>

#include <optional>

#include "prevent/logics/runtime/pool.hpp"
#include "prevent/logics/testing/compile.hpp"

namespace raddle::logics {
namespace {

const std::vector<std::string> kEvents{"a", "b", "c"};
const std::vector<std::string> kAll{"fail", "succeed"};

std::string srs(const std::string& formula, const std::vector<EventId>& trace) {
  return after(load("srs", formula, kEvents, kAll), trace, kAll);
}

TEST(Srs, Examples) {
  EXPECT_EQ(srs("a b -> #epsilon . b -> #fail .", {0, 0, 1, 1}), "");
  EXPECT_EQ(srs("a b -> #epsilon . b -> #fail .", {0, 1, 1}), "fail");
  EXPECT_EQ(srs("a b c -> #succeed .", {0, 1, 2}), "succeed");
  EXPECT_EQ(srs("a b c -> #succeed .", {0, 1, 2, 0}), "succeed") << "for good";
  EXPECT_EQ(srs("^ b -> #fail", {0, 1}), "") << "not at the beginning";
  EXPECT_EQ(srs("^ b -> #fail", {1}), "fail");
  EXPECT_EQ(srs("a $ -> x . x a $ -> #fail", {0, 0}), "fail") << "the end is where the trace is";
}

TEST(Srs, TheFirstOfTwoRules) {
  EXPECT_EQ(srs("a -> #fail . a -> #succeed", {0}), "fail");
  EXPECT_EQ(srs("b c -> #fail . a b c -> #succeed", {0, 1, 2}), "succeed") << "begins first";
}

// A binary counter: at the end of the string is a digit for each power of two.
TEST(Srs, CountsInBinary) {
  const std::string counter =
      "^ a -> begin one . begin a -> begin one . one a -> a zero . zero a -> one ."
      "begin one zero zero zero -> #succeed";
  EXPECT_EQ(srs(counter, std::vector<EventId>(7, 0)), "");
  EXPECT_EQ(srs(counter, std::vector<EventId>(8, 0)), "succeed");
}

TEST(Srs, Bound) {
  EXPECT_EQ(srs("a -> a . #bound 100 -> #fail", {0}), "fail");
  EXPECT_EQ(srs("a -> a . #bound 100 -> #succeed .", {0}), "succeed");
  const Loaded loaded = load("srs", "a -> a", kEvents, kAll);
  MonitorState state(*loaded.property);
  EXPECT_FALSE(state.overran());
  state.step(1);
  EXPECT_FALSE(state.overran());
  state.step(0);
  EXPECT_TRUE(state.overran());
  EXPECT_EQ(srs("a -> b . b -> c . #bound 2 -> #fail", {0}), "") << "two are allowed";
  EXPECT_EQ(srs("a -> b . b -> c . #bound 1 -> #fail", {0}), "fail");
}

TEST(Srs, ReadersAndWriters) {
  const std::vector<std::string> events{"beforeappend", "afterappend", "beforemodify",
                                        "aftermodify"};
  const Loaded loaded = load("srs",
                             "beforemodify aftermodify -> #epsilon ."
                             "beforeappend afterappend -> #epsilon ."
                             "beforemodify afterappend -> #fail ."
                             "beforeappend aftermodify -> #fail ."
                             "beforemodify beforeappend -> #fail ."
                             "beforeappend beforemodify -> #fail ."
                             "beforemodify beforemodify -> #fail .",
                             events, {"nonfail"}, true);
  MonitorState state(*loaded.property);
  for (int i = 0; i < 100; ++i) {
    state.step(0);
    EXPECT_TRUE(state.may_step(0));
    EXPECT_FALSE(state.may_step(2));
  }
  for (int i = 0; i < 100; ++i) state.step(1);
  EXPECT_TRUE(state.may_step(2));
  state.step(2);
  EXPECT_FALSE(state.may_step(2));
  EXPECT_FALSE(state.may_step(0));
}

TEST(Srs, StatesThatNobodyIsInAreForgotten) {
  const Loaded loaded = load("srs", "a b -> #epsilon", kEvents, kAll);
  MonitorState state(*loaded.property);
  for (int i = 0; i < 3000; ++i) state.step(0);
  for (int i = 0; i < 3000; ++i) state.step(1);
  EXPECT_LE(dynamic_cast<const PooledProperty&>(*loaded.property).pooled(), 3001U);
  state.step(2);
  EXPECT_FALSE(state.overran());
}

TEST(Srs, Errors) {
  const auto error = [](const std::string& formula) { return error_of("srs", formula, kEvents); };
  EXPECT_EQ(error(""), "0: expected a rule, like `open close -> #epsilon .`, found the end");
  EXPECT_EQ(error("-> a"), "0: expected an event or a name, found `->`");
  EXPECT_EQ(error("a b"), "3: expected `->` after the left side of a rule, found the end");
  EXPECT_EQ(error("a ->"),
            "4: expected an event, a name, `#epsilon`, `#fail` or `#succeed`, found the end");
  EXPECT_EQ(error("a d -> #fail"),
            "2: `d` is no event, and no rule makes it; the events are `a`, `b`, `c`");
  EXPECT_EQ(error("a -> b -> c"), "7: expected `.` after a rule, found `->`");
  EXPECT_EQ(error("a -> b . #bound x"),
            "16: expected a number of rewritings from 1 to 1000000000, found `x`");
  EXPECT_EQ(error("a -> b . #bound 7 -> b"), "21: expected `#fail` or `#succeed`, found `b`");
}

// The definition: look for the first rule at the first place, again and again.
struct RandomRule {
  bool at_begin;
  bool at_end;
  std::string left;
  std::string right;  // "!": fail, "?": succeed
};

constexpr int kBound = 20;

// None: over the bound.
std::optional<std::string> rewrite(const std::vector<RandomRule>& rules, std::string text) {
  for (int steps = 0;; ++steps) {
    bool found = false;
    for (std::size_t at = 0; at < text.size() && !found; ++at) {
      for (const RandomRule& rule : rules) {
        if (text.compare(at, rule.left.size(), rule.left) != 0) continue;
        if (rule.at_begin && at != 0) continue;
        if (rule.at_end && at + rule.left.size() != text.size()) continue;
        if (steps == kBound) return std::nullopt;
        if (rule.right == "!" || rule.right == "?") return rule.right;
        text.replace(at, rule.left.size(), rule.right);
        found = true;
        break;
      }
    }
    if (!found) return text;
  }
}

std::string spaced(const std::string& text) {
  std::string out;
  for (const char symbol : text) out += std::string(1, symbol) + " ";
  return out;
}

std::vector<RandomRule> random_rules(Random& random) {
  std::vector<RandomRule> out(1 + below(random, 5));
  for (RandomRule& rule : out) {
    rule.at_begin = below(random, 8) == 0;
    rule.at_end = below(random, 8) == 0;
    for (unsigned i = 0; i < 1 + below(random, 3); ++i) rule.left += "abcx"[below(random, 4)];
    if (below(random, 4) == 0) {
      rule.right = below(random, 2) == 0 ? "!" : "?";
    } else {
      for (unsigned i = below(random, 3); i > 0; --i) rule.right += "abcx"[below(random, 4)];
    }
  }
  out.push_back({false, false, "aaac", "x"});  // so that x is made
  return out;
}

std::string text_of(const std::vector<RandomRule>& rules) {
  std::string out = "#bound " + std::to_string(kBound) + " . ";
  for (const RandomRule& rule : rules) {
    std::string right = rule.right.empty() ? "#epsilon" : spaced(rule.right);
    if (rule.right == "!") right = "#fail";
    if (rule.right == "?") right = "#succeed";
    out += std::string(rule.at_begin ? "^ " : "") + spaced(rule.left) + (rule.at_end ? "$ " : "") +
           "-> " + right + " .\n";
  }
  return out;
}

Categories categories_of(const std::optional<std::string>& text) {
  if (!text) return 0;
  return *text == "!" ? 1 : *text == "?" ? 2 : 0;
}

TEST(Srs, AgreesWithNaiveRewriting) {
  Random random(19);
  for (int round = 0; round < oracle_count(20000); ++round) {
    const std::vector<RandomRule> rules = random_rules(random);
    const std::string text = text_of(rules);
    const Loaded loaded = load("srs", text, kEvents, kAll);
    const Loaded enforced = load("srs", text, kEvents, {"nonfail"}, true);
    MonitorState state(*loaded.property);
    MonitorState kept(*enforced.property);
    std::optional<std::string> string = "";
    const auto next = [&](EventId event) {
      if (!string || string == "!" || string == "?") return string;
      return rewrite(rules, *string + "abc"[event]);
    };
    for (const EventId event : random_trace(random, 3, 10)) {
      for (EventId other = 0; other < 3; ++other)
        ASSERT_EQ(kept.may_step(other), categories_of(next(other)) != 1) << text;
      string = next(event);
      state.step(event);
      kept.step(event);
      ASSERT_EQ(state.categories(), categories_of(string)) << text;
      ASSERT_EQ(state.overran(), !string.has_value()) << text;
    }
  }
}

}  // namespace
}  // namespace raddle::logics
