#include "campaign/stream_decoder.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "trace/ops.hpp"
#include "trace/trace_codec.hpp"

namespace raddle {
namespace {

struct Heard : EventSink {
  std::vector<Event> all;
  std::vector<Site> sites;
  std::vector<std::pair<ThreadId, std::string>> threads;
  std::vector<std::pair<std::uint64_t, std::string>> objects;

  void define_site(SiteId id, const Site& site) override {
    EXPECT_EQ(raw(id), sites.size() + 1);
    sites.push_back(site);
  }
  void define_thread(ThreadId id, const std::string& name) override {
    threads.emplace_back(id, name);
  }
  void define_object(std::uint64_t address, std::uint64_t, const std::string& name) override {
    objects.emplace_back(address, name);
  }
  void events(std::span<const Event> events) override {
    for (const Event& event : events) {
      EXPECT_TRUE(valid_event(event));
      EXPECT_LE(raw(event.site), sites.size());
      all.push_back(event);
    }
  }
};

class StreamDecoderTest : public testing::Test {
 protected:
  // No process: every code address is its own nameless site.
  SiteResolver resolver_{[] { return std::string(); }};
  Heard heard_;
  StreamDecoder decoder_{resolver_, heard_};

  void decode(std::vector<RawRecord> records) {
    decoder_.decode(records);
    decoder_.flush();
  }
  static RawRecord event(EventKind kind, std::uint64_t object = 0, std::uint64_t value = 0,
                         std::uint64_t code = 0x1000, std::uint8_t flags = 0) {
    return {raw_head(kind, flags, code), object, value};
  }
  static RawRecord chosen(unsigned thread, std::uint64_t step, OpKind op = OpKind::yield) {
    return {raw_head(RawKind::kDecision, 0, 0),
            std::uint64_t(op) << 32 | std::uint64_t(thread) << 48, step};
  }
};

TEST_F(StreamDecoderTest, EventsBelongToTheThreadThatWasChosenLast) {
  decode({event(EventKind::acquire, 0x10, 1), chosen(3, 7), event(EventKind::release, 0x10, 0)});
  ASSERT_EQ(heard_.all.size(), 3U);
  EXPECT_EQ(heard_.all[0].thread, kMainThread);
  EXPECT_EQ(heard_.all[0].step, 0U);
  EXPECT_EQ(heard_.all[1].kind, EventKind::decision);
  EXPECT_EQ(heard_.all[1].value, std::uint64_t(OpKind::yield));
  EXPECT_EQ(heard_.all[1].thread, ThreadId{3});
  EXPECT_EQ(heard_.all[2].thread, ThreadId{3});
  EXPECT_EQ(heard_.all[2].step, 7U);
}

TEST_F(StreamDecoderTest, OneSiteForEachPlace) {
  decode({event(EventKind::acquire, 1, 1, 0x1000), event(EventKind::release, 1, 0, 0x2000),
          event(EventKind::acquire, 1, 1, 0x1000), event(EventKind::thread_end, 0, 0, 0)});
  EXPECT_EQ(heard_.sites.size(), 2U);
  EXPECT_EQ(heard_.all[0].site, heard_.all[2].site);
  EXPECT_NE(heard_.all[0].site, heard_.all[1].site);
  EXPECT_EQ(heard_.all[3].site, kNoSite);
}

TEST_F(StreamDecoderTest, SizeAndSecondValueComeBeforeTheirEvent) {
  decode({{raw_head(RawKind::kSize, 0, 0), 4, 0},
          event(EventKind::read, 0x40, 9),
          {raw_head(RawKind::kSize, 0, 0), 8, 12},
          event(EventKind::atomic_update, 0x48, 11, 0x1000, 4),
          event(EventKind::atomic_load, 0x48, 12, 0x1000, 2)});
  ASSERT_EQ(heard_.all.size(), 3U);
  EXPECT_EQ(heard_.all[0].size, 4);
  EXPECT_EQ(heard_.all[1].size, 8);
  EXPECT_EQ(heard_.all[1].value2, 12U);
  EXPECT_EQ(order_of(heard_.all[1]), MemoryOrder::kAcqRel);
  EXPECT_EQ(heard_.all[2].value2, 0U);
}

TEST_F(StreamDecoderTest, ContextsAreThoseOfTheStack) {
  const auto call = [](std::uint64_t address) {
    return RawRecord{raw_head(RawKind::kCall, 0, 0), address, 0};
  };
  decode({event(EventKind::acquire), call(0x500), event(EventKind::enter, 0, 0, 0x600),
          event(EventKind::acquire), event(EventKind::exit), event(EventKind::acquire), call(0x510),
          event(EventKind::enter, 0, 0, 0x600), event(EventKind::acquire), event(EventKind::exit),
          call(0x500), event(EventKind::enter, 0, 0, 0x600), event(EventKind::acquire)});
  std::vector<std::uint64_t> contexts;
  for (const Event& e : heard_.all)
    if (e.kind == EventKind::acquire) contexts.push_back(e.context);
  ASSERT_EQ(contexts.size(), 5U);
  EXPECT_EQ(contexts[0], contexts[2]);
  EXPECT_NE(contexts[1], contexts[0]);
  EXPECT_NE(contexts[3], contexts[1]) << "called from another place";
  EXPECT_EQ(contexts[4], contexts[1]);
}

TEST_F(StreamDecoderTest, LongjmpLeavesFunctions) {
  const auto jump = [](std::uint64_t result) {
    return RawRecord{raw_head(RawKind::kSetjmp, 0, 0), 0x77, result};
  };
  decode({event(EventKind::enter, 1), jump(0), event(EventKind::enter, 2),
          event(EventKind::enter, 3), jump(1), event(EventKind::acquire)});
  ASSERT_EQ(heard_.all.size(), 6U);
  EXPECT_EQ(heard_.all[3].kind, EventKind::exit);
  EXPECT_EQ(heard_.all[3].object, 3U);
  EXPECT_EQ(heard_.all[4].kind, EventKind::exit);
  EXPECT_EQ(heard_.all[4].object, 2U);
  EXPECT_EQ(heard_.all[5].context, heard_.all[0].context);
}

TEST_F(StreamDecoderTest, IgnoredAccessesOfOneThread) {
  const RawRecord begin{raw_head(RawKind::kIgnore, 0, 0), 1, 0};
  const RawRecord end{raw_head(RawKind::kIgnore, 0, 0), 0, 0};
  decode({begin, event(EventKind::read, 1), event(EventKind::acquire, 2, 1), chosen(1, 1),
          event(EventKind::write, 3), chosen(0, 2), event(EventKind::write, 4), end,
          event(EventKind::write, 5)});
  std::vector<std::uint64_t> objects;
  for (const Event& e : heard_.all)
    if (e.kind != EventKind::decision) objects.push_back(e.object);
  EXPECT_EQ(objects, (std::vector<std::uint64_t>{2, 3, 5}));
}

TEST_F(StreamDecoderTest, Names) {
  const std::string name = "a name that takes more than one record";
  std::vector<RawRecord> records(1 + (name.size() + 23) / 24);
  records[0] = {raw_head(RawKind::kName, kNamesObject, 0), 0x99, name.size()};
  std::memcpy(&records[1], name.data(), name.size());
  decode(records);
  ASSERT_EQ(heard_.objects.size(), 1U);
  EXPECT_EQ(heard_.objects[0], (std::pair<std::uint64_t, std::string>{0x99, name}));

  RawRecord text{};
  std::memcpy(&text, "me", 2);
  decode({chosen(2, 1), {raw_head(RawKind::kName, kNamesRunning, 0), 0, 2}, text});
  ASSERT_EQ(heard_.threads.size(), 1U);
  EXPECT_EQ(heard_.threads[0], (std::pair<ThreadId, std::string>{ThreadId{2}, "me"}));
}

// A target that went mad writes anything: what comes out is valid, and ids are defined.
TEST_F(StreamDecoderTest, AnythingAtAll) {
  std::mt19937_64 random(1);
  std::vector<RawRecord> records(50'000);
  for (RawRecord& record : records) {
    const std::uint64_t tag = random() % 4 == 0 ? random() % 256 : random() % kEventKinds;
    record = {tag << 56 | (random() % 256) << 48 | random() % 512, random() >> (random() % 64),
              random() >> (random() % 64)};
  }
  decode(records);
  EXPECT_GT(heard_.all.size(), 1000U);
}

}  // namespace
}  // namespace raddle
