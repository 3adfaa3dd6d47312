#include <gtest/gtest.h>

#include <memory>

#include "prevent/logics/testing/compile.hpp"

namespace raddle::logics {
namespace {

const std::vector<std::string> kEvents{"a", "b", "c"};
const std::vector<std::string> kAll{"match", "fail"};

std::string ere(const std::string& formula, const std::vector<EventId>& trace) {
  return after(load("ere", formula, kEvents, kAll), trace, kAll);
}

TEST(Ere, Examples) {
  EXPECT_EQ(ere("a b* c", {0, 1, 1}), "");
  EXPECT_EQ(ere("a b* c", {0, 1, 2}), "match");
  EXPECT_EQ(ere("a b* c", {1}), "fail");
  EXPECT_EQ(ere("a+ b", {1}), "fail");
  EXPECT_EQ(ere("a? b", {1}), "match");
  EXPECT_EQ(ere("epsilon", {}), "match");
  EXPECT_EQ(ere("empty", {}), "fail");
  EXPECT_EQ(ere("~(a a)", {0, 0}), "");
  EXPECT_EQ(ere("~(a a)", {0, 0, 0}), "match");
  EXPECT_EQ(ere("~empty & a*", {0, 0}), "match");
  EXPECT_EQ(ere("(a | b) & ~b", {1}), "fail");
}

TEST(Ere, WhatBindsCloser) {
  EXPECT_EQ(ere("a | b c", {0}), "match");
  EXPECT_EQ(ere("a b*", {0, 1, 1}), "match");
  EXPECT_EQ(ere("a | b & c", {0}), "match");
  EXPECT_EQ(ere("~a*", {0, 0}), "") << "~(a*), not (~a)*";
  EXPECT_EQ(ere("~a b", {0, 1}), "") << "(~a) b, not ~(a b)";
  EXPECT_EQ(ere("~~a", {0}), "match");
}

TEST(Ere, TheScheduleOfASynchronousQueue) {
  const std::vector<std::string> events{"beforeput", "beforetake", "beforeinterrupt"};
  const Loaded queue =
      load("ere", "beforeput+ beforetake beforeput+ beforeinterrupt", events, {"nonfail"}, true);
  MonitorState state(*queue.property);
  EXPECT_FALSE(state.may_step(1));
  state.step(0);
  EXPECT_TRUE(state.may_step(1));
  EXPECT_FALSE(state.may_step(2));
  state.step(1);
  EXPECT_FALSE(state.may_step(2));
  state.step(0);
  EXPECT_TRUE(state.may_step(2));
}

TEST(Ere, Errors) {
  const auto error = [](const std::string& formula) { return error_of("ere", formula, kEvents); };
  EXPECT_EQ(error(""), "0: expected an event, `epsilon`, `empty`, `~` or `(`, found the end");
  EXPECT_EQ(error("a (b"), "4: expected `)` or an operator, found the end");
  EXPECT_EQ(error("a )"), "2: expected an event, an operator or the end, found `)`");
  EXPECT_EQ(error("a | *"), "4: expected an event, `epsilon`, `empty`, `~` or `(`, found `*`");
  EXPECT_EQ(error("a d"), "2: `d` is no event of this property; its events are `a`, `b`, `c`");
  EXPECT_EQ(error(std::string(5000, '(')).substr(0, 37), "500: expected fewer parentheses insid");
  EXPECT_EQ(error_of("ere", "a", kEvents, {"violation"}),
            "@0: `violation` is no category of this property; its categories are `match`, "
            "`nonmatch`, `fail`, `nonfail`");
}

TEST(Ere, TooManyStates) {
  // (a|b)* a (a|b)^20 needs 2^21 states.
  std::string formula = "(a | b)* a";
  for (int i = 0; i < 20; ++i) formula += " (a | b)";
  EXPECT_EQ(error_of("ere", formula, kEvents), "0: this formula needs more than 100000 states");
}

// The definition: matching by trying everything.
struct Tree {
  char shape;  // a b c: events; 0 empty, 1 epsilon; . | & ~ * + ?
  std::vector<Tree> parts;
};

std::string text_of(const Tree& tree) {
  switch (tree.shape) {
    case '0':
      return "empty";
    case '1':
      return "epsilon";
    case '~':
      return "~(" + text_of(tree.parts[0]) + ")";
    case '*':
    case '+':
    case '?':
      return "(" + text_of(tree.parts[0]) + ")" + tree.shape;
    case '.':
      return "(" + text_of(tree.parts[0]) + " " + text_of(tree.parts[1]) + ")";
    case '|':
    case '&':
      return "(" + text_of(tree.parts[0]) + " " + tree.shape + " " + text_of(tree.parts[1]) + ")";
    default:
      return {tree.shape};
  }
}

Tree random_tree(Random& random, unsigned size) {
  if (size <= 1) return {"aabbccaabb01" [below(random, 12)], {}};
  if (below(random, 5) < 2) return {"~*+?~" [below(random, 5)], { random_tree(random, size - 1) }};
  const unsigned left = 1 + below(random, size - 1);
  return {"..|&" [below(random, 4)],
          { random_tree(random, left), random_tree(random, std::max(1U, size - 1 - left)) }};
}

bool matches(const Tree& tree, const std::vector<EventId>& trace, std::size_t from,
             std::size_t to) {
  const auto part = [&](std::size_t i) { return matches(tree.parts[i], trace, from, to); };
  switch (tree.shape) {
    case '0':
      return false;
    case '1':
      return from == to;
    case '~':
      return !part(0);
    case '|':
      return part(0) || part(1);
    case '&':
      return part(0) && part(1);
    case '?':
      return from == to || part(0);
    case '.':
      for (std::size_t split = from; split <= to; ++split)
        if (matches(tree.parts[0], trace, from, split) && matches(tree.parts[1], trace, split, to))
          return true;
      return false;
    case '*':
    case '+':
      if (from == to) return tree.shape == '*' || part(0);
      for (std::size_t split = from + 1; split <= to; ++split)
        if (matches(tree.parts[0], trace, from, split) &&
            (split == to || matches({'*', {tree.parts[0]}}, trace, split, to)))
          return true;
      return false;
    default:
      return to == from + 1 && trace[from] == EventId(tree.shape - 'a');
  }
}

// Whether the trace, or the trace and at most `more` events, matches.
bool can_match(const Tree& tree, std::vector<EventId>& trace, unsigned more) {
  if (matches(tree, trace, 0, trace.size())) return true;
  if (more == 0) return false;
  for (EventId event = 0; event < 2; ++event) {
    trace.push_back(event);
    const bool found = can_match(tree, trace, more - 1);
    trace.pop_back();
    if (found) return true;
  }
  return false;
}

// An expression of at most 6 operators over two events whose shortest match is longer than that:
// none among those that the test makes.
constexpr unsigned kMore = 6;

void compare(const Tree& tree, const std::vector<EventId>& trace) {
  const std::vector<std::string> events{"a", "b"};
  const std::string text = text_of(tree);
  const Loaded loaded = load("ere", text, events, kAll);
  const Loaded enforced = load("ere", text, events, {"nonfail"}, true);
  const Loaded unmatched = load("ere", text, events, {"nonmatch"}, true);
  MonitorState state(*loaded.property);
  MonitorState kept(*enforced.property);
  MonitorState away(*unmatched.property);
  std::vector<EventId> prefix;
  for (std::size_t i = 0;; ++i) {
    const bool match = matches(tree, prefix, 0, prefix.size());
    const bool fail = !can_match(tree, prefix, kMore);
    ASSERT_EQ(state.categories(), Categories((match ? 1U : 0U) | (fail ? 2U : 0U)))
        << text << " after " << prefix.size() << " events";
    for (EventId event = 0; event < 2; ++event) {
      prefix.push_back(event);
      ASSERT_EQ(kept.may_step(event), can_match(tree, prefix, kMore)) << text;
      ASSERT_EQ(away.may_step(event), !matches(tree, prefix, 0, prefix.size())) << text;
      prefix.pop_back();
    }
    if (i == trace.size()) return;
    prefix.push_back(trace[i]);
    for (MonitorState* each : {&state, &kept, &away}) each->step(trace[i]);
  }
}

TEST(Ere, AgreesWithBacktracking) {
  Random random(3);
  for (int round = 0; round < oracle_count(2000); ++round) {
    Tree tree = random_tree(random, 1 + below(random, 7));
    const auto only_two = [](const auto& self, Tree& node) -> void {
      if (node.shape == 'c') node.shape = 'a';
      for (Tree& part : node.parts) self(self, part);
    };
    only_two(only_two, tree);
    compare(tree, random_trace(random, 2, 5));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace raddle::logics
