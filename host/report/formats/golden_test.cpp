// What each format makes of one document, to the byte. With RADDLE_UPDATE_GOLDEN=1 the files are
// written anew; tests/reports_test.py reads them as other programs would.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/report/formats/format.hpp"
#include "host/report/testing/sample_document.hpp"

namespace raddle {
namespace {

std::string golden_path(const Format& format) {
  const std::filesystem::path here = std::filesystem::path(__FILE__).parent_path();
  return (here.parent_path() / "testing" / "golden" / (std::string("sample.") + format.name))
      .string();
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Golden, EveryFormatThatGoesToFilesIsAsItWas) {
  std::size_t formats_seen = 0;
  for (const Format* format : formats()) {
    if (format->to_file == nullptr || format == &html_format) continue;  // html/html_test.cpp
    ++formats_seen;
    const std::string written = format->write(sample_document(), TextOptions{});
    const std::string path = golden_path(*format);
    if (std::getenv("RADDLE_UPDATE_GOLDEN") != nullptr)
      std::ofstream(path, std::ios::binary) << written;
    EXPECT_EQ(written, content(path)) << path;
  }
  EXPECT_GE(formats_seen, 6U);
}

TEST(Golden, ADocumentWithoutFindingsIsWrittenByEveryFormat) {
  Document nothing = sample_document();
  nothing.findings.clear();
  nothing.verdict = DocumentVerdict::kNothingFound;
  for (const Format* format : formats()) {
    if (format->to_file == nullptr) continue;
    const std::string written = format->write(nothing, TextOptions{});
    EXPECT_EQ(written.find("balance_"), std::string::npos) << format->name;
  }
}

}  // namespace
}  // namespace raddle
