#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "prevent/logics/runtime/pool.hpp"
#include "prevent/logics/testing/compile.hpp"

namespace raddle::logics {
namespace {

const std::vector<std::string> kEvents{"a", "b"};
const std::vector<std::string> kAll{"match", "fail"};

std::string cfg(const std::string& formula, const std::vector<EventId>& trace) {
  return after(load("cfg", formula, kEvents, kAll), trace, kAll);
}

std::size_t pooled(const Loaded& loaded) {
  return dynamic_cast<const PooledProperty&>(*loaded.property).pooled();
}

TEST(Cfg, Examples) {
  EXPECT_EQ(cfg("S -> a S b | epsilon", {}), "match");
  EXPECT_EQ(cfg("S -> a S b | epsilon", {0, 0, 1}), "");
  EXPECT_EQ(cfg("S -> a S b | epsilon", {0, 0, 1, 1}), "match");
  EXPECT_EQ(cfg("S -> a S b | epsilon", {0, 0, 1, 1, 1}), "fail");
  EXPECT_EQ(cfg("S -> a S b | epsilon", {0, 1, 0}), "fail");
}

TEST(Cfg, RecursionOfEveryKind) {
  EXPECT_EQ(cfg("S -> S a | b", {1, 0, 0}), "match") << "left";
  EXPECT_EQ(cfg("S -> a S | b", {0, 0, 1}), "match") << "right";
  EXPECT_EQ(cfg("S -> S S | a", {0, 0, 0, 0}), "match") << "ambiguous";
  EXPECT_EQ(cfg("S -> S | T, T -> S | a", {0}), "match") << "cyclic";
  EXPECT_EQ(cfg("S -> S S | epsilon | a", {0, 0}), "match") << "with epsilon";
  EXPECT_EQ(cfg("S -> N S a | b, N -> epsilon", {1, 0}), "match") << "hidden left";
  EXPECT_EQ(cfg("S -> a S N | b, N -> epsilon", {0, 0, 1}), "match") << "hidden right";
}

TEST(Cfg, WhatDerivesNothing) {
  EXPECT_EQ(cfg("S -> a S", {}), "fail") << "no sentence";
  EXPECT_EQ(cfg("S -> a | b X, X -> X a", {1}), "fail") << "no sentence after b";
  EXPECT_EQ(cfg("S -> S | epsilon", {}), "match");
  EXPECT_EQ(cfg("S -> S | epsilon", {0}), "fail");
}

// Figure 3.11.
constexpr const char* kExclusion =
    "S -> A S | B S | epsilon,"
    "A -> A beforehash A afterhash | epsilon,"
    "B -> B beforemodify B aftermodify | epsilon";
const std::vector<std::string> kSections{"beforehash", "afterhash", "beforemodify", "aftermodify"};

TEST(Cfg, MutualExclusion) {
  const Loaded loaded = load("cfg", kExclusion, kSections, {"nonfail"}, true);
  MonitorState state(*loaded.property);
  const auto allowed = [&] {
    std::string out;
    for (EventId event = 0; event < 4; ++event) out += state.may_step(event) ? '1' : '0';
    return out;
  };
  EXPECT_EQ(allowed(), "1010");
  state.step(0);
  EXPECT_EQ(allowed(), "1100");
  state.step(0);
  MonitorState copy = state;
  EXPECT_EQ(allowed(), "1100");
  state.step(1);
  EXPECT_EQ(allowed(), "1100") << "one is still open";
  state.step(1);
  EXPECT_EQ(allowed(), "1010");
  state.step(2);
  EXPECT_EQ(allowed(), "0011");
  copy.step(1);
  copy.step(1);
  EXPECT_TRUE(copy.may_step(2));
}

TEST(Cfg, ALongLifeNeedsNoMemory) {
  const Loaded loaded = load("cfg", kExclusion, kSections, {"nonfail"}, true);
  MonitorState state(*loaded.property);
  for (int i = 0; i < 100000; ++i) {
    for (const EventId event : {0, 0, 1, 0, 1, 1, 2, 2, 3, 3}) {
      ASSERT_TRUE(state.may_step(event));
      state.step(event);
    }
  }
  EXPECT_LE(pooled(loaded), 20U);
}

TEST(Cfg, DeepNestingIsFreedAndForgotten) {
  const Loaded loaded = load("cfg", "S -> a S b | epsilon", kEvents, kAll);
  MonitorState state(*loaded.property);
  for (int i = 0; i < 50000; ++i) state.step(0);
  EXPECT_LE(pooled(loaded), 20000U) << "states that nobody is in";
  for (int i = 0; i < 50000; ++i) state.step(1);
  EXPECT_EQ(state.categories(), 1U);
  state.step(1);
  EXPECT_EQ(state.categories(), 2U);
}

TEST(Cfg, Errors) {
  const auto error = [](const std::string& formula) { return error_of("cfg", formula, kEvents); };
  EXPECT_EQ(error(""), "0: expected a rule, like `S -> open S close | epsilon`, found the end");
  EXPECT_EQ(error("S a"), "2: expected `->` after the name of a rule, found `a`");
  EXPECT_EQ(error("S -> a |"), "8: expected an event, a nonterminal or `epsilon`, found the end");
  EXPECT_EQ(error("S -> a T"),
            "7: `T` is no event of this property, and has no rule; the events are `a`, `b`");
  EXPECT_EQ(error("a -> b"), "0: `a` is an event, so it cannot have rules");
  EXPECT_EQ(error("S -> a epsilon"), "7: `epsilon` stands alone: it is a side without symbols");
  EXPECT_EQ(error("S -> a -> b"), "7: expected `|`, `,` or the end, found `->`");
}

// The definition, CYK style: which parts of the trace each nonterminal derives, and from where on
// it derives something that begins with the rest of the trace. Both grow until nothing changes.
// Symbols: 0 and 1 are events, from 2 on nonterminals.
struct RandomGrammar {
  std::vector<std::pair<unsigned, std::vector<unsigned>>> rules;
};

class Definition {
 public:
  Definition(const RandomGrammar& grammar, const std::vector<EventId>& trace)
      : grammar_(grammar), trace_(trace) {
    find_productive();
    while (grow()) {
    }
  }
  bool match() const { return derives(2, 0, trace_.size()); }
  bool fail() const { return !begins(2, 0); }

 private:
  void find_productive() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [left, right] : grammar_.rules) {
        if (productive_[left] || !all_productive(right, 0)) continue;
        productive_[left] = changed = true;
      }
    }
  }

  bool all_productive(const std::vector<unsigned>& side, std::size_t from) const {
    return std::all_of(side.begin() + long(from), side.end(), [this](unsigned symbol) {
      return symbol < 2 || (productive_.count(symbol) > 0 && productive_.at(symbol));
    });
  }

  bool derives(unsigned symbol, std::size_t from, std::size_t to) const {
    if (symbol < 2) return to == from + 1 && trace_[from] == symbol;
    return spans_.count({symbol, from, to}) > 0;
  }
  bool derives(const std::vector<unsigned>& side, std::size_t at, std::size_t from,
               std::size_t to) const {
    if (at == side.size()) return from == to;
    for (std::size_t split = from; split <= to; ++split)
      if (derives(side[at], from, split) && derives(side, at + 1, split, to)) return true;
    return false;
  }

  bool begins(unsigned symbol, std::size_t from) const {
    if (symbol < 2)
      return from == trace_.size() || (from + 1 == trace_.size() && trace_[from] == symbol);
    return prefixes_.count({symbol, from}) > 0;
  }
  // Everything before `at` derives a part, the symbol there the rest with more to come or exactly.
  bool begins(const std::vector<unsigned>& side, std::size_t at, std::size_t from) const {
    if (at == side.size()) return from == trace_.size();
    if (begins(side[at], from) && all_productive(side, at)) return true;
    for (std::size_t split = from; split <= trace_.size(); ++split)
      if (derives(side[at], from, split) && begins(side, at + 1, split)) return true;
    return false;
  }

  bool grow() {
    bool changed = false;
    for (const auto& [left, right] : grammar_.rules) {
      for (std::size_t from = 0; from <= trace_.size(); ++from) {
        for (std::size_t to = from; to <= trace_.size(); ++to)
          if (derives(right, 0, from, to) && !derives(left, from, to))
            changed = spans_[{left, from, to}] = true;
        if (begins(right, 0, from) && !begins(left, from)) changed = prefixes_[{left, from}] = true;
      }
    }
    return changed;
  }

  const RandomGrammar& grammar_;
  const std::vector<EventId>& trace_;
  std::map<unsigned, bool> productive_;
  std::map<std::tuple<unsigned, std::size_t, std::size_t>, bool> spans_;
  std::map<std::pair<unsigned, std::size_t>, bool> prefixes_;
};

std::string text_of(const RandomGrammar& grammar) {
  const auto name = [](unsigned symbol) {
    return symbol < 2 ? kEvents[symbol] : std::string(1, char('S' + symbol - 2));
  };
  std::string out;
  for (const auto& [left, right] : grammar.rules) {
    out += (out.empty() ? "" : ", ") + name(left) + " ->";
    for (const unsigned symbol : right) out += " " + name(symbol);
    if (right.empty()) out += " epsilon";
  }
  return out;
}

RandomGrammar random_grammar(Random& random) {
  RandomGrammar out;
  const unsigned nonterminals = 1 + below(random, 3);
  const unsigned rules = nonterminals + below(random, 5);
  for (unsigned i = 0; i < rules; ++i) {
    const unsigned left = 2 + (i < nonterminals ? i : below(random, nonterminals));
    std::vector<unsigned> right(below(random, 4));
    for (unsigned& symbol : right)
      symbol = below(random, 2) == 0 ? below(random, 2) : 2 + below(random, nonterminals);
    out.rules.push_back({left, right});
  }
  return out;
}

TEST(Cfg, AgreesWithCyk) {
  Random random(11);
  for (int round = 0; round < oracle_count(2000); ++round) {
    const RandomGrammar grammar = random_grammar(random);
    const std::string text = text_of(grammar);
    const Loaded loaded = load("cfg", text, kEvents, kAll);
    const Loaded enforced = load("cfg", text, kEvents, {"nonfail"}, true);
    MonitorState state(*loaded.property);
    MonitorState kept(*enforced.property);
    std::vector<EventId> prefix;
    for (unsigned i = 0; i < 6; ++i) {
      const Definition now(grammar, prefix);
      ASSERT_EQ(state.categories(), (now.match() ? 1U : 0U) | (now.fail() ? 2U : 0U))
          << text << " after " << prefix.size() << " events";
      std::vector<EventId> possible;
      for (EventId next = 0; next < 2; ++next) {
        prefix.push_back(next);
        const bool may = !Definition(grammar, prefix).fail();
        ASSERT_EQ(kept.may_step(next), may) << text;
        prefix.pop_back();
        if (may) possible.push_back(next);
      }
      // Mostly traces that live on.
      const EventId event = !possible.empty() && below(random, 8) > 0
                                ? possible[below(random, unsigned(possible.size()))]
                                : EventId(below(random, 2));
      prefix.push_back(event);
      state.step(event);
      kept.step(event);
    }
  }
}

// Whether the grammar needs the stack or not, its states do not pile up where the language is that
// of a finite automaton.
TEST(Cfg, StatesStayFewOnLongTraces) {
  Random random(13);
  const std::vector<std::string> regular{"S -> S S | a | b | epsilon",
                                         "S -> A S | epsilon, A -> a A | b | epsilon",
                                         "S -> S a | S b | a",
                                         "S -> T S | S T | T, T -> a | b | T T",
                                         "S -> a S N | b S | epsilon, N -> epsilon | N N",
                                         "S -> a S | T b S | a, T -> b | T T | S"};
  for (const std::string& text : regular) {
    const Loaded loaded = load("cfg", text, kEvents, kAll);
    MonitorState state(*loaded.property);
    for (int i = 0; i < 3000 && state.categories() != 2; ++i) state.step(EventId(below(random, 2)));
    EXPECT_LE(pooled(loaded), 40U) << text;
  }
}

}  // namespace
}  // namespace raddle::logics
