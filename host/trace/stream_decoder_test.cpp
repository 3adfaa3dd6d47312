#include "host/trace/stream_decoder.hpp"

#include <gtest/gtest.h>

#include <random>

#include "host/trace/testing/stream_teller.hpp"
#include "host/trace/testing/trace_keeping_sink.hpp"
#include "host/trace/testing/trace_samples.hpp"
#include "protocol/ops.hpp"

namespace raddle {
namespace {

struct Heard : KeepingSink {
  void events(std::span<const Event> events) override {
    for (const Event& event : events) {
      EXPECT_TRUE(valid_event(event));
      EXPECT_LE(raw(event.site), sites.size());
    }
    KeepingSink::events(events);
  }
};

// Records by hand, at sites of no kind: 1 to 9.
class StreamDecoderTest : public testing::Test {
 protected:
  Heard heard_;
  StreamDecoder decoder_{heard_};
  RaddleModel model_{};
  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(1 << 16);
  std::uint8_t* end_ = bytes_.data();

  StreamDecoderTest() {
    for (std::uint32_t id = 1; id < 10; ++id) {
      Site site;
      site.stable = id;
      decoder_.define_site(SiteId{id}, site);
    }
  }
  void event(EventKind kind, std::uint64_t object = 0, std::uint64_t value = 0,
             std::uint32_t site = 1, unsigned flags = 0, unsigned size = 0,
             std::uint64_t value2 = 0) {
    end_ = raddle_put_kind(end_, unsigned(kind), flags);
    if (size != 0) end_ = raddle_put_size(end_, size);
    if (value2 != 0) end_ = raddle_put_value2(end_, value2);
    end_ = raddle_put_other(&model_, end_, site, raddle_slot_of_kind(site, unsigned(kind)), object,
                            value);
  }
  void chosen(unsigned thread, std::uint64_t skipped = 0, OpKind op = OpKind::yield) {
    event(EventKind::decision, 4,
          decision_value(std::uint8_t(op), static_cast<std::uint16_t>(thread), skipped), 1, 2);
  }
  void decode() {
    decoder_.records({bytes_.data(), static_cast<std::size_t>(end_ - bytes_.data())}, false);
    decoder_.flush();
    EXPECT_EQ(decoder_.problem(), nullptr);
    end_ = bytes_.data();
  }
  std::vector<std::uint64_t> objects() const {
    std::vector<std::uint64_t> found;
    for (const Event& e : heard_.kept)
      if (e.kind != EventKind::decision) found.push_back(e.object);
    return found;
  }
};

TEST_F(StreamDecoderTest, EventsBelongToTheThreadThatWasChosenLast) {
  event(EventKind::acquire, 0x10, 1);
  chosen(3, 6);
  event(EventKind::release, 0x10, 0);
  chosen(1);
  decode();
  ASSERT_EQ(heard_.kept.size(), 4U);
  EXPECT_EQ(heard_.kept[0].thread, kMainThread);
  EXPECT_EQ(heard_.kept[0].step, 0U);
  EXPECT_EQ(heard_.kept[1].kind, EventKind::decision);
  EXPECT_EQ(heard_.kept[1].value, std::uint64_t(OpKind::yield) | 2 << 8);
  EXPECT_EQ(heard_.kept[1].object, 4U);
  EXPECT_EQ(heard_.kept[1].flags, 0);
  EXPECT_EQ(heard_.kept[1].thread, ThreadId{3});
  EXPECT_EQ(heard_.kept[2].thread, ThreadId{3});
  EXPECT_EQ(heard_.kept[2].step, 7U);
  EXPECT_EQ(heard_.kept[3].step, 8U);
}

// The first decision of an execution is step 0.
TEST_F(StreamDecoderTest, StepsMayStandStill) {
  chosen(0, ~std::uint64_t{0});
  end_ = raddle_put_running(end_, 5, 77);
  event(EventKind::acquire);
  chosen(6);
  decode();
  EXPECT_EQ(heard_.kept[0].step, 0U);
  EXPECT_EQ(heard_.kept[1].step, 77U);
  EXPECT_EQ(heard_.kept[1].thread, ThreadId{5});
  EXPECT_EQ(heard_.kept[2].step, 78U);
}

TEST_F(StreamDecoderTest, SizeAndSecondValueComeBeforeTheirEvent) {
  event(EventKind::atomic_update, 0x48, 11, 1, 4, 8, 12);
  event(EventKind::atomic_load, 0x48, 12, 1, 7);
  decode();
  ASSERT_EQ(heard_.kept.size(), 2U);
  EXPECT_EQ(heard_.kept[0].size, 8);
  EXPECT_EQ(heard_.kept[0].value2, 12U);
  EXPECT_EQ(order_of(heard_.kept[0]), MemoryOrder::kAcqRel);
  EXPECT_EQ(heard_.kept[1].size, 0);
  EXPECT_EQ(heard_.kept[1].value2, 0U);
  EXPECT_EQ(order_of(heard_.kept[1]), MemoryOrder::kSeqCst) << "there is no order 7";
}

TEST_F(StreamDecoderTest, ContextsAreThoseOfTheStack) {
  const auto call = [&](std::uint64_t from) { event(EventKind::enter, 0, from, 2); };
  event(EventKind::acquire);
  call(0x500);
  event(EventKind::acquire);
  event(EventKind::exit);
  event(EventKind::acquire);
  call(0x510);
  event(EventKind::acquire);
  event(EventKind::exit);
  call(0x500);
  event(EventKind::acquire);
  decode();
  std::vector<std::uint64_t> contexts;
  for (const Event& e : heard_.kept)
    if (e.kind == EventKind::acquire) contexts.push_back(e.context);
  ASSERT_EQ(contexts.size(), 5U);
  EXPECT_EQ(contexts[0], contexts[2]);
  EXPECT_NE(contexts[1], contexts[0]);
  EXPECT_NE(contexts[3], contexts[1]) << "called from another place";
  EXPECT_EQ(contexts[4], contexts[1]);
}

TEST_F(StreamDecoderTest, LongjmpLeavesFunctions) {
  event(EventKind::enter, 1);
  end_ = raddle_put_setjmp(end_, 0x77, 0);
  event(EventKind::enter, 2);
  event(EventKind::enter, 3);
  end_ = raddle_put_setjmp(end_, 0x77, 1);
  event(EventKind::acquire);
  decode();
  ASSERT_EQ(heard_.kept.size(), 6U);
  EXPECT_EQ(heard_.kept[3].kind, EventKind::exit);
  EXPECT_EQ(heard_.kept[3].object, 3U);
  EXPECT_EQ(heard_.kept[4].kind, EventKind::exit);
  EXPECT_EQ(heard_.kept[4].object, 2U);
  EXPECT_EQ(heard_.kept[5].context, heard_.kept[0].context);
}

TEST_F(StreamDecoderTest, IgnoredAccessesOfOneThread) {
  end_ = raddle_put_ignore(end_, 1);
  event(EventKind::read, 1);
  event(EventKind::acquire, 2, 1);
  chosen(1);
  event(EventKind::write, 3);
  chosen(0);
  event(EventKind::write, 4);
  end_ = raddle_put_ignore(end_, 0);
  event(EventKind::write, 5);
  decode();
  EXPECT_EQ(objects(), (std::vector<std::uint64_t>{2, 3, 5}));
}

TEST_F(StreamDecoderTest, LateWrites) {
  std::uint8_t* first = end_;
  end_ = raddle_put_late_write(end_, 2, 4, 0x1234);
  end_ = raddle_put_late_write(end_, 2, 8, ~std::uint64_t{0});
  first[RADDLE_LATE_VALUE] = 99;
  first[RADDLE_LATE_KNOWN] = 1;
  EXPECT_EQ(end_ - first, 2 * std::ptrdiff_t{RADDLE_LATE_BYTES});
  decode();
  ASSERT_EQ(heard_.kept.size(), 2U);
  EXPECT_EQ(heard_.kept[0].object, 0x1234U);
  EXPECT_EQ(heard_.kept[0].size, 4);
  EXPECT_EQ(heard_.kept[0].value, 99U);
  EXPECT_EQ(heard_.kept[0].flags, 0);
  EXPECT_EQ(heard_.kept[0].site, SiteId{2});
  EXPECT_EQ(heard_.kept[1].flags, kNoValue);
}

TEST_F(StreamDecoderTest, Names) {
  const std::string name(255, 'n');
  end_ = raddle_put_name(end_, RADDLE_NAMES_OBJECT, 0x99, name.data(), 255);
  chosen(2);
  end_ = raddle_put_name(end_, RADDLE_NAMES_RUNNING, 0, "me", 2);
  end_ = raddle_put_name(end_, RADDLE_NAMES_THREAD, 7, "you", 3);
  end_ = raddle_put_name(end_, RADDLE_NAMES_THREAD, 0xffff, "nobody", 6);
  decode();
  EXPECT_EQ(heard_.definitions, (std::vector<std::string>{"0: object 153+1 " + name, "0: site 1",
                                                          "1: thread 2 me", "1: thread 7 you"}));
}

// However early definitions come, they are told at their place.
TEST_F(StreamDecoderTest, DefinitionsWaitForTheirAnchors) {
  decoder_.define_object({3, 0}, 1, 1, "with site 3");
  decoder_.define_object({0, 2}, 2, 1, "with object 2");
  decoder_.define_member({2, 1}, "C", 3, "with site 2 and object 1");
  decoder_.define_member({1, 2}, "C", 4, "with site 1 and object 2");
  decoder_.define_object({}, 5, 1, "at once");
  event(EventKind::acquire, 0, 0, 1);
  end_ = raddle_put_met(end_);
  event(EventKind::acquire, 0, 0, 2);
  event(EventKind::acquire, 0, 0, 3);
  end_ = raddle_put_met(end_);
  decode();
  decoder_.define_object({3, 2}, 6, 1, "late");
  EXPECT_EQ(
      heard_.definitions,
      (std::vector<std::string>{"0: object 5+1 at once", "0: site 1", "1: site 2",
                                "1: member C+3 with site 2 and object 1", "2: site 3",
                                "2: object 1+1 with site 3", "3: object 2+1 with object 2",
                                "3: member C+4 with site 1 and object 2", "3: object 6+1 late"}));
}

// Behind bytes that make no sense everything is dropped until the model is fresh.
TEST_F(StreamDecoderTest, GoesOnWhereTheModelIsFresh) {
  const std::uint8_t nonsense[100] = {RADDLE_ESCAPE, 0xfe, 0};
  decoder_.records({nonsense, 36}, true);
  EXPECT_STREQ(decoder_.problem(), "a record is of an unknown kind");
  event(EventKind::acquire, 1);
  const std::size_t bytes = static_cast<std::size_t>(end_ - bytes_.data());
  decoder_.records({bytes_.data(), bytes}, false);
  decoder_.records({bytes_.data(), bytes}, true);
  decoder_.flush();
  EXPECT_EQ(objects(), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(decoder_.problem(), nullptr);
}

struct KeptRecords : StreamSink {
  std::vector<std::uint8_t> bytes;
  void define_site(SiteId, const Site&) override {}
  void define_object(NameAnchor, std::uint64_t, std::uint64_t, const std::string&) override {}
  void define_member(NameAnchor, const std::string&, std::uint32_t, const std::string&) override {}
  void define_code(const CodeRange&) override {}
  void records(std::span<const std::uint8_t> more, bool) override {
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
};

// A target that went mad writes anything: what comes out is valid, and ids are defined.
TEST_F(StreamDecoderTest, AnythingAtAll) {
  std::mt19937_64 random(1);
  std::size_t broken = 0;
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    const SampleTrace trace = sample_chaos(50, seed, 9);
    KeptRecords kept;
    StreamTeller teller(kept);
    feed(trace, teller);
    for (std::size_t changes = random() % 8; changes > 0; --changes) {
      kept.bytes[random() % kept.bytes.size()] = static_cast<std::uint8_t>(random());
    }
    const std::size_t bytes = kept.bytes.size() - random() % 20;
    kept.bytes.resize(kept.bytes.size() + RADDLE_CHUNK_SLACK);
    decoder_.records({kept.bytes.data(), bytes}, true);
    broken += decoder_.problem() != nullptr ? 1 : 0;
  }
  decoder_.flush();
  EXPECT_GT(heard_.kept.size(), 30'000U);
  EXPECT_GT(broken, 1'000U);
}

// The decoder against what was told, for streams of all kinds, in pieces of any size; the events
// themselves are the oracle. trace_file_test.cpp does it with thousands more, through files.
TEST(StreamRoundTrip, WhatIsToldIsHeard) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SampleRandom random(seed);
    const std::size_t count = 1 + random.below(2'000);
    const SampleTrace trace = seed % 3 == 0   ? sample_map(count, seed)
                              : seed % 3 == 1 ? sample_sort(count, seed, 32)
                                              : sample_chaos(count, seed, 300);
    Heard heard;
    StreamDecoder decoder(heard);
    StreamTeller teller(decoder, 300 + random.below(3'000), 1 + unsigned(random.below(4)));
    feed_start(trace, teller);
    for (std::size_t at = 0; at < count;) {
      const std::size_t part = std::min<std::size_t>(count - at, 1 + random.below(200));
      teller.events(std::span(trace.events).subspan(at, part));
      if (random.chance(4)) teller.pass_on();
      at += part;
    }
    teller.end({});
    decoder.flush();
    ASSERT_EQ(decoder.problem(), nullptr) << seed;
    ASSERT_EQ(heard.kept.size(), count) << seed;
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(same_event(heard.kept[i], trace.events[i])) << "seed " << seed << ", event " << i;
    }
  }
}

}  // namespace
}  // namespace raddle
