// --junit FILE, --format junit: JUnit's XML, which every CI system reads. The program is one test
// case; if something counts, it fails with the whole report.
#include <fmt/format.h>

#include "host/base/printable.hpp"
#include "host/report/formats/format.hpp"

namespace raddle {
namespace {

constexpr int kWidth = 100;

void add_escaped(std::string& out, std::string_view line) {
  const std::string text = printable(line);
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // U+FFFE and U+FFFF are characters of UTF-8 that XML does not have.
        if (text.compare(i, 2, "\xef\xbf") == 0 && i + 2 < text.size() &&
            static_cast<unsigned char>(text[i + 2]) >= 0xbe) {
          out += "\xef\xbf\xbd";
          i += 2;
        } else {
          out += text[i];
        }
    }
  }
}

// Lines stay lines; control characters become escapes.
std::string escaped(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    add_escaped(out, text.substr(0, end));
    if (end == text.size()) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

const DocumentFinding* first_that_counts(const Document& document) {
  for (const DocumentFinding& finding : document.findings) {
    if (finding.counts) return &finding;
  }
  return nullptr;
}

std::string name_of(const Document& document) {
  std::string name = document.program;
  for (const std::string& argument : document.arguments) name += " " + argument;
  return name;
}

std::string failure(const Document& document, const std::string& report) {
  const DocumentFinding* finding = first_that_counts(document);
  const std::string kind = finding != nullptr ? finding->kind : "finding";
  const std::string message = finding != nullptr ? finding->message : "something counts";
  return fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", escaped(kind),
                     escaped(message), escaped(report));
}

std::string write(const Document& document, const TextOptions&) {
  TextOptions look;
  look.width = kWidth;
  const std::string report = document.text(look);
  const bool failed = document.verdict == DocumentVerdict::kFound;
  const bool passed = document.verdict == DocumentVerdict::kNothingFound;
  const std::string numbers =
      fmt::format("tests=\"1\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"{:.3f}\"",
                  failed ? 1 : 0, failed || passed ? 0 : 1, document.seconds);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"raddle\" {}>\n", numbers);
  out += fmt::format("  <testsuite name=\"raddle {}\" {}>\n", escaped(document.command), numbers);
  out += fmt::format("    <testcase classname=\"raddle.{}\" name=\"{}\" time=\"{:.3f}\">\n",
                     escaped(document.command), escaped(name_of(document)), document.seconds);
  if (failed) {
    out += failure(document, report);
  } else if (!passed) {
    const std::string why =
        document.notes.empty() ? std::string("no verdict") : document.notes.front();
    out += fmt::format("      <error type=\"inconclusive\" message=\"{}\">{}</error>\n",
                       escaped(why), escaped(report));
  } else {
    out += fmt::format("      <system-out>{}</system-out>\n", escaped(report));
  }
  return out + "    </testcase>\n  </testsuite>\n</testsuites>\n";
}

}  // namespace

const Format junit_format{.name = "junit",
                          .summary = "JUnit's XML",
                          .owns_output = true,
                          .to_file = "for CI systems: the program is a test case",
                          .write = write};

}  // namespace raddle
