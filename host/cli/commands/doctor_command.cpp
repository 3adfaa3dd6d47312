// raddle doctor: can this machine, and this program, be controlled?
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/cli/commands/commands.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/program/doctor.hpp"

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

std::string check_text(const Check& check, const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  std::string text = paragraph(
      fmt::format("{:<4}  {}: {}", level_text(check.level), check.what, check.detail), width, 2);
  if (!check.advice.empty()) text += paragraph(check.advice, width, 8);
  return text;
}

}  // namespace

int doctor_command(const DoctorCommand& command) {
  std::vector<Check> checks = doctor_machine();
  std::string subject = "this machine";
  if (!command.program.empty()) {
    subject = command.program.front();
    const Result<Target> target = inspect_target(command.program.front());
    if (!target) {
      checks.push_back({"program", Check::bad, target.error(), ""});
    } else {
      for (Check& check : doctor_program(*target)) checks.push_back(std::move(check));
    }
  }
  std::size_t bad = 0;
  std::size_t warnings = 0;
  for (const Check& check : checks) {
    bad += check.level == Check::bad;
    warnings += check.level == Check::warn;
  }

  if (command.json) {
    nlohmann::ordered_json json = {{"command", "doctor"},
                                   {"controllable", bad == 0},
                                   {"checks", nlohmann::ordered_json::array()}};
    for (const Check& check : checks) {
      json["checks"].push_back({{"what", check.what},
                                {"level", level_text(check.level)},
                                {"detail", check.detail},
                                {"advice", check.advice}});
    }
    print(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } else {
    const TextOptions look = text_options(stdout);
    const std::string verdict = bad > 0 ? fmt::format("{} cannot be controlled as it is", subject)
                                        : fmt::format("{} can be controlled{}", subject,
                                                      warnings > 0 ? ", with limits" : "");
    print(fmt::format("raddle: {}\n", bold(verdict, look)));
    for (const Check& check : checks) print(check_text(check, look));
  }
  return bad > 0 ? kBadInput : kNothingFound;
}

}  // namespace raddle
