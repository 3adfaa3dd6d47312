#include <gtest/gtest.h>

#include <algorithm>

#include "prevent/logics/temporal/testing/random_formula.hpp"

namespace raddle::logics {
namespace {

const std::vector<std::string> kEvents{"a", "b", "c"};
const std::vector<std::string> kAll{"violation", "validation"};

std::string ltl(const std::string& formula, const std::vector<EventId>& trace) {
  return after(load("ltl", formula, kEvents, kAll), trace, kAll);
}

TEST(Ltl, Examples) {
  EXPECT_EQ(ltl("[](a => o b)", {0}), "");
  EXPECT_EQ(ltl("[](a => o b)", {0, 1}), "");
  EXPECT_EQ(ltl("[](a => o b)", {0, 2}), "violation");
  EXPECT_EQ(ltl("<> a", {1, 0}), "validation");
  EXPECT_EQ(ltl("!b U a", {2, 0}), "validation");
  EXPECT_EQ(ltl("!b U a", {2, 1}), "violation");
  EXPECT_EQ(ltl("a R !b", {2, 1}), "violation");
  EXPECT_EQ(ltl("a R !b", {2, 0}), "validation");
  EXPECT_EQ(ltl("false", {}), "violation");
  EXPECT_EQ(ltl("[]<> a", {1, 1, 1}), "") << "never decided by a finite trace";
  EXPECT_EQ(ltl("[]<> a && <>[] b", {}), "violation") << "one event at a time";
  EXPECT_EQ(ltl("X X a", {1, 1, 0}), "validation");
}

TEST(Ltl, EnforcedNonviolation) {
  const Loaded pairs = load("ltl", "[](a => o b)", kEvents, {"violation"}, true);
  MonitorState state(*pairs.property);
  EXPECT_TRUE(state.may_step(0));
  state.step(0);
  EXPECT_FALSE(state.may_step(0));
  EXPECT_FALSE(state.may_step(2));
  EXPECT_TRUE(state.may_step(1));
}

TEST(Ltl, Errors) {
  EXPECT_EQ(error_of("ltl", "a S b", kEvents), "2: expected an operator or the end, found `S`");
  EXPECT_EQ(error_of("ltl", "[] (o a", kEvents), "7: expected `)` or an operator, found the end");
  EXPECT_EQ(error_of("ltl", "<> (d)", kEvents),
            "4: `d` is no event of this property; its events are `a`, `b`, `c`");
  std::string many = "true";
  for (int i = 0; i < 12; ++i) {
    std::string part;
    for (int j = 0; j < i; ++j) part += "o ";
    part += "a";
    many += " && []<> (" + part + " && <> o b)";
  }
  EXPECT_NE(error_of("ltl", many, kEvents).find("needs more than"), std::string::npos);
}

// The definition on infinite traces that end in a loop: word[i] is followed by word[i + 1], and the
// last one by word[loop].
class Lasso {
 public:
  Lasso(std::vector<EventId> word, std::size_t loop) : word_(std::move(word)), loop_(loop) {}

  bool satisfies(const TemporalTree& tree) const { return values(tree)[0]; }

 private:
  using Values = std::vector<bool>;  // at each position

  std::size_t next(std::size_t i) const { return i + 1 < word_.size() ? i + 1 : loop_; }

  Values values(const TemporalTree& tree) const {
    std::vector<Values> parts;
    parts.reserve(tree.parts.size());
    for (const TemporalTree& part : tree.parts) parts.push_back(values(part));
    Values out(word_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = value(tree.op, parts, i);
    return out;
  }

  // Within this many steps a position sees every position that it ever will.
  std::size_t horizon() const { return 2 * word_.size(); }

  bool value(const std::string& op, const std::vector<Values>& parts, std::size_t i) const {
    if (op == "true") return true;
    if (op == "false") return false;
    if (op == "!") return !parts[0][i];
    if (op == "&&") return parts[0][i] && parts[1][i];
    if (op == "||") return parts[0][i] || parts[1][i];
    if (op == "=>") return !parts[0][i] || parts[1][i];
    if (op == "o") return parts[0][next(i)];
    if (op == "<>" || op == "[]") {
      const bool eventually = op == "<>";
      for (std::size_t step = 0; step < horizon(); ++step, i = next(i))
        if (parts[0][i] == eventually) return eventually;
      return !eventually;
    }
    if (op == "U") {
      for (std::size_t step = 0; step < horizon(); ++step, i = next(i)) {
        if (parts[1][i]) return true;
        if (!parts[0][i]) return false;
      }
      return false;
    }
    if (op == "R") {
      for (std::size_t step = 0; step < horizon(); ++step, i = next(i)) {
        if (!parts[1][i]) return false;
        if (parts[0][i]) return true;
      }
      return true;
    }
    return word_[i] == EventId(op[0] - 'a');
  }

  std::vector<EventId> word_;
  std::size_t loop_;
};

// Whether continuations of the trace satisfy the formula: some, all. All lassos with at most two
// events before the loop and at most four in it; formulas of at most six operators over two events
// that need longer ones are not among those that the test makes.
struct Continuations {
  bool some = false;
  bool all = true;
};
Continuations continuations(const TemporalTree& tree, const std::vector<EventId>& trace) {
  Continuations out;
  for (unsigned before = 0; before <= 2; ++before) {
    for (unsigned loop = 1; loop <= 4; ++loop) {
      for (unsigned bits = 0; bits < 1U << (before + loop); ++bits) {
        std::vector<EventId> word = trace;
        for (unsigned i = 0; i < before + loop; ++i) word.push_back(EventId(bits >> i & 1U));
        const bool satisfied = Lasso(word, trace.size() + before).satisfies(tree);
        out.some = out.some || satisfied;
        out.all = out.all && satisfied;
        if (out.some && !out.all) return out;
      }
    }
  }
  return out;
}

TEST(Ltl, AgreesWithEvaluatingContinuations) {
  Random random(7);
  const std::vector<std::string> events{"a", "b"};
  for (int round = 0; round < oracle_count(200); ++round) {
    const TemporalTree tree = random_formula(random, 1 + below(random, 7), {"!", "o", "<>", "[]"},
                                             {"&&", "||", "=>", "U", "R"});
    const std::string text = text_of(tree);
    const Loaded loaded = load("ltl", text, events, kAll);
    const Loaded enforced = load("ltl", text, events, {"nonviolation"}, true);
    MonitorState state(*loaded.property);
    MonitorState kept(*enforced.property);
    std::vector<EventId> prefix;
    const std::vector<EventId> trace = random_trace(random, 2, 4);
    for (std::size_t i = 0;; ++i) {
      const Continuations now = continuations(tree, prefix);
      ASSERT_EQ(state.categories(), (now.some ? 0U : 1U) | (now.all ? 2U : 0U))
          << text << " after " << prefix.size() << " events";
      for (EventId next = 0; next < 2; ++next) {
        prefix.push_back(next);
        ASSERT_EQ(kept.may_step(next), continuations(tree, prefix).some) << text;
        prefix.pop_back();
      }
      if (i == trace.size()) break;
      prefix.push_back(trace[i]);
      state.step(trace[i]);
      kept.step(trace[i]);
    }
  }
}

}  // namespace
}  // namespace raddle::logics
