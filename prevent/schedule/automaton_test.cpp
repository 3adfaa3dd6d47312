// The automaton against the definition in testing/oracle.hpp.
#include "prevent/schedule/automaton.hpp"

#include <gtest/gtest.h>

#include <set>

#include "prevent/schedule/testing/oracle.hpp"
#include "prevent/schedule/testing/random_schedule.hpp"

namespace raddle::schedule {
namespace {

Syntax syntax_of(const std::string& text) {
  auto parsed = parse(text);
  if (const auto* error = std::get_if<ParseError>(&parsed)) {
    ADD_FAILURE() << error->expected << "\n" << with_caret(text, error->at);
    return {};
  }
  return std::get<Syntax>(parsed);
}

ThreadNumber number_of(const std::string& thread) { return ThreadNumber(thread.back() - '0'); }

class FromTrace final : public BlockedThreads {
 public:
  bool blocked(ThreadNumber thread) const override { return blocked_.count(thread) > 0; }
  void add(const Item& item) {
    if (item.name == "block") blocked_.insert(number_of(item.thread));
    if (item.name == "unblock") blocked_.erase(number_of(item.thread));
  }

 private:
  std::set<ThreadNumber> blocked_;
};

// How many items of the trace the automaton accepts.
std::size_t accepted(const Trace& trace, const Syntax& syntax) {
  Automaton automaton(syntax);
  FromTrace blocked;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Item& item = trace[i];
    blocked.add(item);
    const Happening happening{item.name, item.thread, number_of(item.thread)};
    if (item.name == "block" || item.name == "unblock") continue;
    if (automaton.violated(happening, blocked) >= 0) return i;
    automaton.happens(happening);
  }
  return trace.size();
}

// The longest beginning of the trace that satisfies the definition.
std::size_t satisfied(const Trace& trace, const Syntax& syntax) {
  for (std::size_t i = 1; i <= trace.size(); ++i)
    if (!satisfies(Trace(trace.begin(), trace.begin() + long(i)), syntax)) return i - 1;
  return trace.size();
}

bool accepts(const std::string& schedule, const Trace& trace) {
  const Syntax syntax = syntax_of(schedule);
  const bool by_definition = satisfies(trace, syntax);
  EXPECT_EQ(accepted(trace, syntax) == trace.size(), by_definition) << schedule << "\n"
                                                                    << text_of(trace);
  return by_definition;
}

TEST(Automaton, Examples) {
  EXPECT_TRUE(accepts("a -> b", {{"a", "t0"}, {"b", "t1"}}));
  EXPECT_FALSE(accepts("a -> b", {{"b", "t1"}, {"a", "t0"}}));
  EXPECT_TRUE(accepts("a -> b", {{"c", "t0"}}));
  EXPECT_TRUE(accepts("a && b -> c", {{"a", "t0"}, {"b", "t1"}, {"c", "t0"}}));
  EXPECT_FALSE(accepts("a && b -> c", {{"a", "t0"}, {"c", "t0"}}));
  EXPECT_TRUE(accepts("a || b -> c", {{"b", "t0"}, {"c", "t0"}}));
  EXPECT_FALSE(accepts("a@t1 -> b", {{"a", "t0"}, {"b", "t1"}}));
  EXPECT_TRUE(accepts("[a] -> b", {{"a", "t0"}, {"block", "t0"}, {"b", "t1"}}));
  EXPECT_FALSE(accepts("[a] -> b", {{"a", "t0"}, {"b", "t1"}}));
  EXPECT_FALSE(accepts("[a] -> b", {{"a", "t0"}, {"block", "t0"}, {"unblock", "t0"}, {"b", "t1"}}));
  EXPECT_TRUE(accepts("start@t0 -> end@t1", {{"start", "t0"}, {"end", "t1"}}));
}

TEST(Automaton, RepeatedEvents) {
  EXPECT_FALSE(accepts("a#2 -> b", {{"a", "t0"}, {"b", "t1"}}));
  EXPECT_TRUE(accepts("a#2 -> b", {{"a", "t0"}, {"a", "t1"}, {"b", "t1"}}));
  EXPECT_TRUE(accepts("a -> b#2", {{"b", "t0"}, {"a", "t1"}, {"b", "t1"}}));
  EXPECT_FALSE(accepts("a -> b+", {{"b", "t0"}, {"a", "t1"}, {"b", "t1"}}));
  EXPECT_TRUE(accepts("a -> b+", {{"a", "t1"}, {"b", "t0"}, {"b", "t1"}}));
  EXPECT_FALSE(accepts("a+ -> b+", {{"a", "t1"}, {"b", "t0"}, {"b", "t1"}}));
  EXPECT_TRUE(
      accepts("a+ -> b+", {{"a", "t1"}, {"a", "t1"}, {"b", "t0"}, {"a", "t1"}, {"b", "t1"}}));
  // The first a was t0's, the latest t1's.
  const Trace two{{"a", "t0"}, {"a", "t1"}, {"block", "t1"}, {"b", "t2"}};
  EXPECT_FALSE(accepts("[a] -> b", two));
  EXPECT_TRUE(accepts("[a#2] -> b", two));
  EXPECT_TRUE(accepts("[a+] -> b", two));
}

TEST(Automaton, Sections) {
  EXPECT_TRUE(accepts("a..b !-> c..d", {{"a", "t0"}, {"b", "t0"}, {"c", "t1"}, {"d", "t1"}}));
  EXPECT_FALSE(accepts("a..b !-> c..d", {{"a", "t0"}, {"c", "t1"}, {"b", "t0"}, {"d", "t1"}}));
  EXPECT_TRUE(
      accepts("a..b !-> c..d", {{"a", "t0"}, {"a", "t1"}, {"b", "t0"}, {"b", "t1"}, {"c", "t2"}}));
  EXPECT_FALSE(accepts("a..b !-> c..d", {{"a", "t0"}, {"a", "t1"}, {"b", "t0"}, {"c", "t2"}}));
  EXPECT_FALSE(accepts("a..b !-> a..b", {{"a", "t0"}, {"a", "t1"}}));
  EXPECT_TRUE(accepts("a..b !-> b..c", {{"a", "t0"}, {"b", "t0"}, {"c", "t0"}}));
}

TEST(Automaton, AgreesWithTheDefinition) {
  std::mt19937 random(1);
  unsigned violated = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = random_schedule(random, 4);
    const Syntax syntax = syntax_of(text);
    const Trace trace = random_trace(random, 30);
    const std::size_t by_definition = satisfied(trace, syntax);
    ASSERT_EQ(accepted(trace, syntax), by_definition) << text << "\n" << text_of(trace);
    if (by_definition < trace.size()) ++violated;
  }
  // Not all the same answer: between a tenth and nine tenths are violated.
  EXPECT_GT(violated, 2'000U);
  EXPECT_LT(violated, 18'000U);
}

// The dissertation's own sentence, for an event as the condition and traces without repetition:
// phi -> psi holds if psi never does, or if it does somewhere and phi at or before that place.
TEST(Automaton, IsTheOriginalWithoutRepetition) {
  std::mt19937 random(2);
  const Syntax syntax = syntax_of("a -> b");
  for (int i = 0; i < 2'000; ++i) {
    Trace trace;
    for (const Item& item : random_trace(random, 20)) {
      bool again = false;
      for (const Item& other : trace) again = again || other.name == item.name;
      if (!again) trace.push_back(item);
    }
    bool never = true;
    bool ordered = false;
    for (std::size_t k = 0; k < trace.size(); ++k) {
      if (trace[k].name != "b") continue;
      never = false;
      for (std::size_t j = 0; j <= k; ++j) ordered = ordered || trace[j].name == "a";
    }
    ASSERT_EQ(satisfies(trace, syntax), never || ordered) << text_of(trace);
  }
}

TEST(Automaton, MissingEvents) {
  const Syntax syntax = syntax_of("a || b -> c, d#2 -> e");
  Automaton automaton(syntax);
  for (const char* name : {"b", "c", "d"}) automaton.happens({name, "t0", 0});
  std::string missing;
  for (const EventRef& event : automaton.missing()) missing += event.text() + " ";
  EXPECT_EQ(missing, "d#2 e ");  // not `a`: `b` was enough
}

}  // namespace
}  // namespace raddle::schedule
