#include "host/report/trace_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "host/report/trace_stats.hpp"
#include "host/trace/testing/trace_story.hpp"

namespace raddle {
namespace {

using nlohmann::json;

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
  return lines;
}

TEST(TraceJsonTest, OneObjectALine) {
  std::string text;
  TraceFilter filter;
  filter.all = true;
  TraceJson printer(filter, [&](std::string_view more) { text += more; });
  samples::tell_bank(printer);
  const std::vector<json> lines = lines_of(text);
  ASSERT_GT(lines.size(), 18u);
  EXPECT_EQ(lines[0]["type"], "trace");
  EXPECT_EQ(lines[0]["arguments"], json({"./bank", "70"}));
  EXPECT_EQ(lines[0]["seed"], 7);
  EXPECT_EQ(lines[1], json({{"type", "thread"}, {"id", 0}, {"name", "T0 main"}}));
  EXPECT_EQ(lines[2]["kind"], "allocate");
  EXPECT_EQ(lines[2]["object"], "#1 of Account from bank.cpp:40");
  EXPECT_EQ(lines[2]["bytes"], 48);
  EXPECT_EQ(lines[2]["address"], "0x5000");
  EXPECT_EQ(lines[2]["where"],
            json({{"file", "/src/bank.cpp"}, {"line", 40}, {"function", "open"}}));
  const json& last = lines[lines.size() - 2];
  EXPECT_EQ(last["kind"], "write");
  EXPECT_EQ(last["thread"], 1);
  EXPECT_EQ(last["step"], 9);
  EXPECT_EQ(last["object"], "Account::balance_ of #1 of Account from bank.cpp:40");
  EXPECT_EQ(last["field"], "balance_");
  EXPECT_EQ(last["value"], static_cast<std::uint64_t>(-40));
  EXPECT_EQ(lines.back()["type"], "end");
  EXPECT_EQ(lines.back()["complete"], true);
  EXPECT_EQ(lines.back()["events"], 17);
  EXPECT_EQ(lines.back()["shown"], 17);
  EXPECT_EQ(lines.back()["message"], "assertion `balance_ >= 0' failed");
}

TEST(TraceJsonTest, AnyEventIsValidJson) {
  std::string text;
  TraceFilter filter;
  filter.all = true;
  TraceJson printer(filter, [&](std::string_view more) { text += more; });
  printer.define_thread(ThreadId{3}, "quote\" back\\ bell\x07 bad\xff");
  printer.define_object(0x1000, 8, "a \"name\"\n");
  samples::Story story(printer);
  Site site;
  site.field = "f\"\\";
  site.frames = {{"g\x01", "/a\"b.cpp", 1, 1}};
  const SiteId id = story.site(site);
  for (int kind = 0; kind < 256; ++kind) {
    Event event{};
    event.kind = static_cast<EventKind>(kind);
    event.thread = ThreadId{3};
    event.site = id;
    event.object = 0x1000;
    event.value = ~0ull;
    event.flags = 0xff;
    printer.events({&event, 1});
  }
  printer.end({});
  const std::vector<json> lines = lines_of(text);
  EXPECT_EQ(lines.size(), 256u + 2);
  EXPECT_EQ(lines[1]["object"], "a \"name\"");
}

TEST(TraceStatsTest, Counts) {
  TraceFilter filter;
  filter.all = true;
  TraceStats stats(filter);
  samples::tell_bank(stats);
  const auto kinds = stats.kinds();
  std::uint64_t sum = 0;
  for (const auto& kind : kinds) sum += kind.events;
  EXPECT_EQ(sum, 17u);
  const auto threads = stats.by_thread();
  ASSERT_EQ(threads.size(), 3u);
  EXPECT_EQ(threads[0].name, "T0 main");
  EXPECT_EQ(threads[0].events, 3u);
  EXPECT_EQ(threads[1].events, 7u);
  const auto objects = stats.objects(10);
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(objects[0].name, "Account::balance_");
  EXPECT_EQ(objects[0].events, 4u);
  EXPECT_EQ(objects[0].writes, 2u);
  EXPECT_EQ(objects[1].name, "Account::m_");
  EXPECT_EQ(objects[1].events, 2u);
  EXPECT_EQ(stats.objects(1).size(), 1u);
  const auto sites = stats.sites(10);
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[0].name, "Account::balance (bank.cpp:12)");

  const std::string text = stats.text(85, TextOptions{});
  EXPECT_EQ(text.rfind("17 events, 3 threads, 10 steps; assertion: assertion `balance_ >= 0' "
                       "failed\n85 bytes on disk, 5.00 an event\n",
                       0),
            0u)
      << text;
  EXPECT_NE(text.find("             4  Account::balance_  (2 writes)\n"), std::string::npos)
      << text;
  const json all = stats.json(85);
  EXPECT_EQ(all["events"], 17);
  EXPECT_EQ(all["bytes_per_event"], 5.0);
  EXPECT_EQ(all["objects"][0]["writes"], 2);
  EXPECT_EQ(all["outcome"], "assertion");
}

TEST(TraceStatsTest, OfWhatWasAskedFor) {
  TraceFilter filter;
  filter.threads = {"1"};
  TraceStats stats(filter);
  samples::tell_bank(stats);
  EXPECT_EQ(stats.by_thread().size(), 1u);
  EXPECT_NE(stats.text(0, TextOptions{}).find("of the 6 events that were asked for, from step 3"),
            std::string::npos);
}

TEST(TraceStatsTest, AnEmptyTrace) {
  TraceStats stats({});
  stats.begin({});
  stats.end({true, "passed", "", 0});
  EXPECT_EQ(stats.text(40, TextOptions{}).rfind("0 events, 0 threads, 0 steps; passed\n", 0), 0u);
  EXPECT_EQ(stats.json(40)["bytes_per_event"], 0.0);
}

}  // namespace
}  // namespace raddle
