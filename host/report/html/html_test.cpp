// The page of a document: its data comes back as it went in, and nothing of it is markup.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "host/report/formats/format.hpp"
#include "host/report/html/column.hpp"
#include "host/report/html/page_data.hpp"
#include "host/report/html/sources.hpp"
#include "host/report/testing/sample_document.hpp"

namespace raddle {
namespace {

std::string data_in(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return page.substr(from, page.find("</script>", from) - from);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++times;
  return times;
}

TEST(Html, ThePageHoldsTheData) {
  const std::string page = html_format.write(sample_document(), TextOptions{});
  const std::string data = data_in(page);
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_EQ(count(page, "</script>"), 2U);
  const auto json = nlohmann::ordered_json::parse(data);
  EXPECT_EQ(json, page_data(sample_document()));
  EXPECT_EQ(json["findings"][0]["execution"]["threads"][1]["title"], "T2 \"</script><b>\"");
  EXPECT_EQ(json["findings"][0]["execution"]["orders"][0]["from"], 1);
}

TEST(Html, BytesThatAreNoTextAreReplaced) {
  Document document = sample_document();
  document.findings[0].printed = "a\xff\xfe</script>";
  const auto json =
      nlohmann::ordered_json::parse(data_in(html_format.write(document, TextOptions{})));
  EXPECT_EQ(json["findings"][0]["printed"], "a\xef\xbf\xbd\xef\xbf\xbd</script>");
}

TEST(Html, SourcesAreTheLinesAroundWhatIsShown) {
  const std::string file =
      (std::filesystem::temp_directory_path() / "raddle-html-test.cpp").string();
  {
    std::ofstream out(file);
    for (int i = 1; i <= 100; ++i) out << "line " << i << "\n";
  }
  ShownSources sources;
  sources.add({file, 20, "f"});
  sources.add({file, 30, "f"});
  sources.add({file, 90, "f"});
  sources.add({file, 900, "beyond its end"});
  sources.add({"/does/not/exist.cpp", 1, "f"});
  const auto json = sources.json();
  std::filesystem::remove(file);
  ASSERT_EQ(json.size(), 1U);
  ASSERT_EQ(json[0]["parts"].size(), 2U);
  EXPECT_EQ(json[0]["parts"][0]["first"], 5);
  EXPECT_EQ(json[0]["parts"][0]["lines"].size(), 41U);  // 5 to 45
  EXPECT_EQ(json[0]["parts"][0]["lines"][0], "line 5");
  EXPECT_EQ(json[0]["parts"][1]["first"], 75);
  EXPECT_EQ(json[0]["parts"][1]["lines"].size(), 26U);  // 75 to 100
}

TEST(Html, ColumnsTakeTheBytesThatTheyNeed) {
  EXPECT_EQ(column_json({1, 2, 255}), (nlohmann::ordered_json{{"bytes", 1}, {"data", "AQL/"}}));
  EXPECT_EQ(column_json({256}), (nlohmann::ordered_json{{"bytes", 2}, {"data", "AAE="}}));
  EXPECT_EQ(column_json({0x10000}), (nlohmann::ordered_json{{"bytes", 4}, {"data", "AAABAA=="}}));
  EXPECT_EQ(column_json({}), (nlohmann::ordered_json{{"bytes", 1}, {"data", ""}}));
}

}  // namespace
}  // namespace raddle
