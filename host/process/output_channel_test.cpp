#include "host/process/output_channel.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace raddle {
namespace {

// What two executions write, one after the other, as we read it.
std::string written(StreamKind kind, const std::string& text) {
  const Result<OutputChannel> channel = make_output_channel(kind);
  if (!channel) return "error: " + channel.error();
  EXPECT_EQ(stream_kind_of(channel->child.get()), kind);
  std::string all;
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(write(channel->child.get(), text.data(), text.size()), ssize_t(text.size()));
    char buffer[256];
    const ssize_t n = channel->read ? read(channel->read.get(), buffer, sizeof buffer) : 0;
    all.append(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
    all += take_contents(channel->file) + "|";
  }
  return all;
}

TEST(OutputChannel, EachKindIsWhatItSaysAndIsRead) {
  EXPECT_EQ(written(StreamKind::kPipe, "a\nb"), "a\nb|a\nb|");
  EXPECT_EQ(written(StreamKind::kFile, "a\nb"), "a\nb|a\nb|");
  EXPECT_EQ(written(StreamKind::kTerminal, "a\nb"), "a\nb|a\nb|");
  EXPECT_EQ(written(StreamKind::kNull, "a\nb"), "||");
}

TEST(OutputChannel, AClosedDescriptorCountsAsNull) {
  EXPECT_EQ(stream_kind_of(987), StreamKind::kNull);
}

}  // namespace
}  // namespace raddle
