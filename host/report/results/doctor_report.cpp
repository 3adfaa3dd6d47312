#include "host/report/results/doctor_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/report/results/words.hpp"

namespace raddle {
namespace {

const char* level_text(Check::Level level) {
  switch (level) {
    case Check::ok:
      return "ok";
    case Check::warn:
      return "warn";
    case Check::bad:
      return "bad";
  }
  return "bad";
}

std::size_t count(const DoctorReport& report, Check::Level level) {
  return static_cast<std::size_t>(
      std::count_if(report.checks.begin(), report.checks.end(),
                    [level](const Check& check) { return check.level == level; }));
}

std::string check_text(const Check& check, const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  std::string text = paragraph(
      fmt::format("{:<4}  {}: {}", level_text(check.level), check.what, check.detail), width, 2);
  if (!check.advice.empty()) text += paragraph(check.advice, width, 8);
  return text;
}

std::string text_of(const DoctorReport& report, const TextOptions& look) {
  const std::string verdict =
      count(report, Check::bad) > 0
          ? fmt::format("{} cannot be controlled as it is", report.subject)
          : fmt::format("{} can be controlled{}", report.subject,
                        count(report, Check::warn) > 0 ? ", with limits" : "");
  std::string text = fmt::format("raddle: {}\n", bold(verdict, look));
  for (const Check& check : report.checks) text += check_text(check, look);
  return text;
}

nlohmann::ordered_json json_of(const DoctorReport& report) {
  nlohmann::ordered_json json = {{"command", "doctor"},
                                 {"controllable", count(report, Check::bad) == 0},
                                 {"checks", nlohmann::ordered_json::array()}};
  for (const Check& check : report.checks) {
    json["checks"].push_back({{"what", check.what},
                              {"level", level_text(check.level)},
                              {"detail", check.detail},
                              {"advice", check.advice}});
  }
  return json;
}

}  // namespace

Document document_of(const DoctorReport& report) {
  Document document;
  document.command = "doctor";
  document.program = report.subject;
  document.verdict =
      count(report, Check::bad) > 0 ? DocumentVerdict::kBadInput : DocumentVerdict::kNothingFound;
  document.counts = {{"ok", count(report, Check::ok)},
                     {"warnings", count(report, Check::warn)},
                     {"bad", count(report, Check::bad)}};
  for (const Check& check : report.checks) {
    if (check.level != Check::ok)
      document.notes.push_back(fmt::format("{}: {}", check.what, check.detail));
  }
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
