// --html FILE, --format html: one page that needs nothing else. The page is the same for every
// report; what differs is its data, which is JSON, and which the page's script sets as text.
#include <nlohmann/json.hpp>

#include "host/report/formats/format.hpp"
#include "host/report/html/page_data.hpp"
#include "host/report/html/page_text.hpp"

namespace raddle {
namespace {

// JSON that no markup can begin in: a '<' stands only in strings, where it may be written so.
std::string embedded(const nlohmann::ordered_json& data) {
  const std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size() + text.size() / 64);
  for (const char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string write(const Document& document, const TextOptions&) {
  std::string page = kReportPage;
  const std::string_view mark = kPageDataMark;
  page.replace(page.find(mark), mark.size(), embedded(page_data(document)));
  return page;
}

}  // namespace

const Format html_format{.name = "html",
                         .summary = "one page, with everything in it",
                         .owns_output = true,
                         .to_file = "to look at, in any browser",
                         .write = write};

}  // namespace raddle
