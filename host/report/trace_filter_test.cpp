#include "host/report/trace_filter.hpp"

#include <gtest/gtest.h>

#include "host/report/filtered_trace.hpp"
#include "host/trace/testing/trace_story.hpp"

namespace raddle {
namespace {

class Kept : public FilteredTrace {
 public:
  using FilteredTrace::FilteredTrace;
  std::vector<Event> kept;

 protected:
  void show(const Event& event) override { kept.push_back(event); }
};

std::size_t kept(const TraceFilter& filter) {
  Kept sink(filter);
  samples::tell_bank(sink);
  EXPECT_EQ(sink.seen(), 17u);
  EXPECT_EQ(sink.shown(), sink.kept.size());
  return sink.kept.size();
}

TEST(TraceFilterTest, ByThread) {
  TraceFilter filter;
  EXPECT_EQ(kept(filter), 15u);  // without the two decisions to begin a thread
  filter.all = true;
  EXPECT_EQ(kept(filter), 17u);
  filter.all = false;
  filter.threads = {"0"};
  EXPECT_EQ(kept(filter), 3u);
  filter.threads = {"T1"};
  EXPECT_EQ(kept(filter), 6u);
  filter.threads = {"teller-1"};
  EXPECT_EQ(kept(filter), 6u);
  filter.threads = {"main", "T1"};
  EXPECT_EQ(kept(filter), 9u);
  filter.threads = {"T01x"};
  EXPECT_EQ(kept(filter), 0u);
}

TEST(TraceFilterTest, ByObject) {
  TraceFilter filter;
  filter.objects = {"Account::balance_"};
  EXPECT_EQ(kept(filter), 4u);
  filter.objects = {"balance_"};
  EXPECT_EQ(kept(filter), 4u);
  filter.objects = {"balance"};
  EXPECT_EQ(kept(filter), 0u);
  filter.objects = {"m_"};
  EXPECT_EQ(kept(filter), 4u);
  filter.objects = {"#1 of Account"};
  EXPECT_EQ(kept(filter), 9u);
  filter.objects = {"#1@bank.cpp:40"};
  EXPECT_EQ(kept(filter), 9u);
  filter.objects = {"0x5008"};
  EXPECT_EQ(kept(filter), 4u);
  filter.objects = {"m_", "balance_"};
  EXPECT_EQ(kept(filter), 8u);
}

TEST(TraceFilterTest, ByFunctionStepAndKind) {
  TraceFilter filter;
  filter.functions = {"balance"};
  EXPECT_EQ(kept(filter), 6u);
  filter.functions = {"Account::*"};
  EXPECT_EQ(kept(filter), 8u);
  filter.functions = {"alance"};
  EXPECT_EQ(kept(filter), 0u);
  filter = {};
  ASSERT_TRUE(parse_steps("5..6", filter));
  EXPECT_EQ(kept(filter), 3u);
  filter.threads = {"2"};
  EXPECT_EQ(kept(filter), 0u);
  filter = {};
  ASSERT_TRUE(parse_kinds("lock", filter));
  EXPECT_EQ(kept(filter), 4u);
  ASSERT_TRUE(parse_kinds("write", filter));
  EXPECT_EQ(kept(filter), 6u);
  filter.functions = {"withdraw"};
  filter.threads = {"1"};
  EXPECT_EQ(kept(filter), 1u);
  filter = {};
  ASSERT_TRUE(parse_kinds("decision", filter));
  EXPECT_EQ(kept(filter), 2u);
}

TEST(TraceFilterTest, Steps) {
  TraceFilter filter;
  ASSERT_TRUE(parse_steps("3..", filter));
  EXPECT_EQ(filter.first_step, 3u);
  EXPECT_EQ(filter.last_step, ~std::uint64_t{0});
  ASSERT_TRUE(parse_steps("..17", filter));
  EXPECT_EQ(filter.first_step, 0u);
  EXPECT_EQ(filter.last_step, 17u);
  ASSERT_TRUE(parse_steps("8", filter));
  EXPECT_EQ(filter.first_step, 8u);
  EXPECT_EQ(filter.last_step, 8u);
  for (const char* bad :
       {"", "..", "a..b", "3..2", "-1", "3...4", "1..2..3", "0x3", " 3", "18446744073709551616"}) {
    EXPECT_FALSE(parse_steps(bad, filter)) << bad;
  }
  EXPECT_EQ(parse_steps("7..2", filter).error(), "`7..2' ends before it begins");
}

TEST(TraceFilterTest, Kinds) {
  TraceFilter filter;
  ASSERT_TRUE(parse_kinds("atomic-compare-exchange", filter));
  EXPECT_EQ(filter.kinds, std::vector<EventKind>{EventKind::atomic_compare});
  filter = {};
  ASSERT_TRUE(parse_kinds("access", filter));
  EXPECT_EQ(filter.kinds.size(), 4u);
  EXPECT_FALSE(parse_kinds("nothing", filter));
  EXPECT_FALSE(parse_kinds("raed", filter));
}

TEST(TraceFilterTest, Words) {
  EXPECT_TRUE(has_words("counter", "counter"));
  EXPECT_FALSE(has_words("counter", "count"));
  EXPECT_TRUE(has_words("counter.count", "count"));
  EXPECT_TRUE(has_words("account.savings", "account"));
  EXPECT_FALSE(has_words("my_account", "account"));
  EXPECT_FALSE(has_words("x", ""));
  EXPECT_TRUE(names_function("bank::Account::withdraw", "withdraw"));
  EXPECT_TRUE(names_function("bank::Account::withdraw", "Account::withdraw"));
  EXPECT_TRUE(names_function("bank::Account::withdraw", "bank::*"));
  EXPECT_FALSE(names_function("bank::Account::withdraw", "draw"));
  EXPECT_FALSE(names_function("", "*"));
}

}  // namespace
}  // namespace raddle
