#include "host/analysis/pipeline/fan_out.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace raddle {
namespace {

// Writes down what it gets, in order.
class Heard final : public EventSink {
 public:
  explicit Heard(bool slow = false) : slow_(slow) {}
  void begin(const TraceHeader& header) override { text_ += "begin " + header.program + "\n"; }
  void define_site(SiteId id, const Site&) override { line("site", raw(id)); }
  void define_thread(ThreadId id, const std::string&) override { line("thread", raw(id)); }
  void define_object(std::uint64_t address, std::uint64_t, const std::string&) override {
    line("object", address);
  }
  void define_member(const std::string&, std::uint32_t offset, const std::string&) override {
    line("member", offset);
  }
  void define_image(const LoadedObject& image) override { line("image", image.low); }
  void events(std::span<const Event> batch) override {
    for (const Event& event : batch) line("event", event.step);
    if (slow_ && ++batches_ % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  void end(const TraceEnd& end) override { line("end", end.events); }
  const std::string& text() const { return text_; }

 private:
  void line(const char* what, std::uint64_t number) {
    text_ += what;
    text_ += " " + std::to_string(number) + "\n";
  }
  bool slow_;
  int batches_ = 0;
  std::string text_;
};

// Definitions in between, in batches of all sizes.
void tell(EventSink& sink, std::uint64_t events) {
  TraceHeader header;
  header.program = "prog";
  sink.begin(header);
  std::vector<Event> some;
  const auto give = [&] {
    sink.events(some);
    some.clear();
  };
  for (std::uint64_t i = 0; i < events; ++i) {
    if (i % 97 == 0) give();
    if (i % 97 == 0) sink.define_site(SiteId{static_cast<std::uint32_t>(i / 97 + 1)}, Site{});
    if (i % 1024 == 1023 || i % 2500 == 0) {  // at the ends of batches, too
      give();
      sink.define_thread(ThreadId{1}, "worker");
      sink.define_object(i, 8, "x");
      sink.define_member("Node", 8, "next");
      sink.define_image({"/bin/prog", "", i, i + 1});
    }
    Event event{};
    event.kind = EventKind::read;
    event.step = i;
    some.push_back(event);
    if (some.size() == 1 + i % 700) give();
  }
  give();
  TraceEnd end;
  end.events = events;
  sink.end(end);
}

class FanOutLengths : public testing::TestWithParam<std::uint64_t> {};

// None, less than a batch, one exactly, and more than all of them that are kept at a time.
INSTANTIATE_TEST_SUITE_P(Events, FanOutLengths, testing::Values(0, 10, 1024, 5000, 200'000));

TEST_P(FanOutLengths, EachSinkHearsEverythingInOrder) {
  Heard expected;
  tell(expected, GetParam());
  Heard quick, slow(true), other;
  {
    FanOut fan_out({&quick, &slow, &other});
    tell(fan_out, GetParam());
    EXPECT_TRUE(quick.text() == expected.text());  // when end() has returned
  }
  EXPECT_TRUE(slow.text() == expected.text());
  EXPECT_TRUE(other.text() == expected.text());
}

TEST(FanOut, MayBeGivenUpInTheMiddle) {
  Heard quick, slow(true);
  {
    FanOut fan_out({&quick, &slow});
    std::vector<Event> events(10'000);
    fan_out.events(events);
  }
  EXPECT_EQ(quick.text(), slow.text());  // whole batches
}

}  // namespace
}  // namespace raddle
