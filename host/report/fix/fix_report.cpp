#include "host/report/fix/fix_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/report/results/words.hpp"

namespace raddle {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return out;
}

// What the property says, in a sentence without its end.
std::string rule(const Fix& fix) {
  switch (fix.kind) {
    case FixKind::kNone:
      return {};
    case FixKind::kExclusion:
      return fix.functions.size() == 1
                 ? fmt::format("one thread at a time is in {}", fix.functions.front())
                 : fmt::format("one thread at a time is in {} together", listed(fix.functions));
    case FixKind::kOrder:
      return fmt::format("{} begins after {} has returned once", fix.functions[1],
                         fix.functions[0]);
  }
  return {};
}

// What the user should know of it before it is built.
std::vector<std::string> remarks(const Fix& fix) {
  std::vector<std::string> out = {
      "The places of the finding are not calls, so the property encloses the functions that they "
      "are in, from entry to return."};
  if (fix.widened)
    out.emplace_back(
        "Where a place is in a lambda, which no pointcut names, the named function around it is "
        "enclosed.");
  if (fix.kind == FixKind::kExclusion)
    out.emplace_back(
        "It does not look at objects: calls for different objects wait for each other, too.");
  return out;
}

std::string build_command(const FixReport& report, const char* option) {
  return fmt::format("raddle-c++ -g -O2 -pthread {}--mop {} SOURCES -o PROG", option,
                     shell_quoted(report.property));
}

std::string prove_command(const FixReport& report) {
  std::string files;
  for (const FixedFinding& finding : report.findings) files += " " + shell_quoted(finding.replay);
  return fmt::format("{} fix --prove{} -- ./PROG ARGS", tool_name(), files);
}

std::string text_of(const FixReport& report, const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  std::string text = fmt::format("raddle: {}  {}\n", bold(report.property, look), rule(report.fix));
  for (const FixedFinding& finding : report.findings)
    text += paragraph(fmt::format("against  {} ({})", finding.title, finding.replay), width, 3);
  for (const std::string& remark : remarks(report.fix)) text += paragraph(remark, width, 3);
  text += fmt::format("   build    {}\n", build_command(report, ""));
  return text + fmt::format("   prove    {}\n            {}\n",
                            build_command(report, "--instrument "), prove_command(report));
}

nlohmann::ordered_json json_of(const FixReport& report) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const FixedFinding& finding : report.findings)
    findings.push_back({{"replay", finding.replay}, {"title", finding.title}});
  return {{"command", "fix"},
          {"property", report.property},
          {"name", property_name(report.fix)},
          {"kind", report.fix.kind == FixKind::kOrder ? "order" : "exclusion"},
          {"functions", report.fix.functions},
          {"findings", findings},
          {"build", build_command(report, "")},
          {"prove", prove_command(report)}};
}

}  // namespace

std::vector<std::string> fix_comment(const FixReport& report) {
  std::vector<std::string> lines = {"Written by `raddle fix' against"};
  for (const FixedFinding& finding : report.findings) lines.push_back("  " + finding.title);
  lines.push_back("From now on " + rule(report.fix) + ".");
  return lines;
}

Document document_of(const FixReport& report) {
  Document document;
  document.command = "fix";
  document.program = report.program;
  document.notes = remarks(report.fix);
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
