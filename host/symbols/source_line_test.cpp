#include "host/symbols/source_line.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace raddle {
namespace {

class SourceLinesTest : public testing::Test {
 protected:
  SourceLinesTest() { std::filesystem::create_directories(folder_); }
  ~SourceLinesTest() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("source_line" + std::to_string(getpid()));
  SourceLines sources_;
};

TEST_F(SourceLinesTest, LinesWithoutWhiteSpaceAround) {
  const std::string path = file("a.cpp", "\tfirst;  \r\n\n  third(\t1);");
  EXPECT_EQ(sources_.line(path, 1), "first;");
  EXPECT_EQ(sources_.line(path, 2), "");
  EXPECT_EQ(sources_.line(path, 3), "third( 1);");
  EXPECT_EQ(sources_.line(path, 4), "");
  EXPECT_EQ(sources_.line(path, 0), "");
  EXPECT_EQ(sources_.line(path, 0xffffffff), "");
}

TEST_F(SourceLinesTest, WhatIsNoSourceFileHasNoLines) {
  EXPECT_EQ(sources_.line("", 1), "");
  EXPECT_EQ(sources_.line(folder_ / "gone.cpp", 1), "");
  EXPECT_EQ(sources_.line(folder_, 1), "");
  EXPECT_EQ(sources_.line("/dev/zero", 1), "");
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(sources_.line(pipe, 1), "");  // does not wait for a writer
  const std::string huge = file("huge.cpp", "x\n");
  std::filesystem::resize_file(huge, 1U << 30);
  EXPECT_EQ(sources_.line(huge, 1), "");
}

TEST_F(SourceLinesTest, BytesFitForATerminal) {
  const std::string path =
      file("b.cpp", std::string("a\x1b[31m\0b\xff\n", 10) + std::string(100'000, 'x') + "\n");
  EXPECT_EQ(sources_.line(path, 1), "a\\x1b[31m\\x00b\\xff");
  EXPECT_LE(sources_.line(path, 2).size(), 500U);
}

}  // namespace
}  // namespace raddle
