#include <gtest/gtest.h>

#include "prevent/logics/temporal/testing/random_formula.hpp"

namespace raddle::logics {
namespace {

const std::vector<std::string> kEvents{"a", "b", "c"};
const std::vector<std::string> kAll{"validation", "violation"};

std::string ptltl(const std::string& formula, const std::vector<EventId>& trace) {
  return after(load("ptltl", formula, kEvents, kAll), trace, kAll);
}

TEST(Ptltl, Examples) {
  EXPECT_EQ(ptltl("a", {}), "") << "before the first event a formula says nothing";
  EXPECT_EQ(ptltl("a => <*> b", {0}), "violation");
  EXPECT_EQ(ptltl("a => <*> b", {1, 2, 0}), "validation");
  EXPECT_EQ(ptltl("(*) a", {0}), "violation") << "there is no event before the first";
  EXPECT_EQ(ptltl("(*) a", {0, 1}), "validation");
  EXPECT_EQ(ptltl("[*] !c", {0, 1}), "validation");
  EXPECT_EQ(ptltl("[*] !c", {0, 2, 1}), "violation");
  EXPECT_EQ(ptltl("!b S a", {0, 2}), "validation");
  EXPECT_EQ(ptltl("!b S a", {0, 1, 2}), "violation");
  EXPECT_EQ(ptltl("a xor b iff not c", {0}), "validation");
}

TEST(Ptltl, WhatBindsCloser) {
  EXPECT_EQ(ptltl("! a S b", {1, 2}), "validation") << "(!a) S b";
  EXPECT_EQ(ptltl("a S b && c", {1}), "violation") << "(a S b) && c";
  EXPECT_EQ(ptltl("a && b || c", {2}), "validation");
  EXPECT_EQ(ptltl("c => a => b", {2}), "validation") << "c => (a => b)";
}

TEST(Ptltl, EnforcedValidation) {
  const Loaded opened = load("ptltl", "b => (!c S a)", kEvents, {"validation"}, true);
  MonitorState state(*opened.property);
  EXPECT_FALSE(state.may_step(1));
  EXPECT_TRUE(state.may_step(2));
  state.step(0);
  EXPECT_TRUE(state.may_step(1));
  state.step(2);
  EXPECT_FALSE(state.may_step(1));
}

TEST(Ptltl, Errors) {
  const auto error = [](const std::string& formula) { return error_of("ptltl", formula, kEvents); };
  EXPECT_EQ(error("a &&"),
            "4: expected an event, `true`, `false`, `(` or an operator before one, found the end");
  EXPECT_EQ(error("[] a"), "0: `[` means nothing in this logic");
  EXPECT_EQ(error("a b"), "2: expected an operator or the end, found `b`");
  EXPECT_EQ(error("(a"), "2: expected `)` or an operator, found the end");
  EXPECT_EQ(error("a S S"),
            "4: expected an event, `true`, `false`, `(` or an operator before one, found `S`");
  EXPECT_EQ(error_of("ptltl", "S", {"S"}), "0: `S` is an operator of this logic: rename the event");
  EXPECT_NE(error(std::string(100000, '!') + "a").find("expected fewer operators inside"),
            std::string::npos);
}

// The definition: the value at the last event of trace[0..end).
bool holds(const TemporalTree& tree, const std::vector<EventId>& trace, std::size_t end) {
  const auto at = [&](std::size_t part, std::size_t where) {
    return holds(tree.parts[part], trace, where);
  };
  if (tree.op == "true") return true;
  if (tree.op == "false") return false;
  if (tree.op == "!") return !at(0, end);
  if (tree.op == "&&") return at(0, end) && at(1, end);
  if (tree.op == "||") return at(0, end) || at(1, end);
  if (tree.op == "=>") return !at(0, end) || at(1, end);
  if (tree.op == "<=>") return at(0, end) == at(1, end);
  if (tree.op == "^") return at(0, end) != at(1, end);
  if (tree.op == "(*)") return end > 1 && at(0, end - 1);
  if (tree.op == "S") {
    for (std::size_t i = end; i > 0; --i) {
      if (at(1, i)) return true;
      if (!at(0, i)) return false;
    }
    return false;
  }
  if (tree.op == "<*>" || tree.op == "[*]") {
    const bool once = tree.op == "<*>";
    for (std::size_t i = 1; i <= end; ++i)
      if (at(0, i) == once) return once;
    return !once;
  }
  return trace[end - 1] == EventId(tree.op[0] - 'a');
}

TEST(Ptltl, AgreesWithLookingBack) {
  Random random(5);
  const std::vector<std::string> events{"a", "b", "c"};
  for (int round = 0; round < oracle_count(20000); ++round) {
    const TemporalTree tree =
        random_formula(random, 1 + below(random, 8), {"!", "(*)", "<*>", "[*]"},
                       {"&&", "||", "=>", "<=>", "^", "S", "S"});
    const std::string text = text_of(tree);
    const Loaded loaded = load("ptltl", text, events, kAll);
    const Loaded enforced = load("ptltl", text, events, {"nonviolation"}, true);
    MonitorState state(*loaded.property);
    MonitorState kept(*enforced.property);
    std::vector<EventId> trace;
    for (const EventId event : random_trace(random, 3, 7)) {
      for (EventId next = 0; next < 3; ++next) {
        trace.push_back(next);
        ASSERT_EQ(kept.may_step(next), holds(tree, trace, trace.size())) << text;
        trace.pop_back();
      }
      trace.push_back(event);
      state.step(event);
      kept.step(event);
      ASSERT_EQ(state.categories(), holds(tree, trace, trace.size()) ? 1U : 2U) << text;
    }
  }
}

}  // namespace
}  // namespace raddle::logics
