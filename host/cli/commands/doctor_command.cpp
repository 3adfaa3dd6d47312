// raddle doctor: can this machine, and this program, be controlled?
#include <fmt/format.h>

#include <algorithm>

#include "host/cli/commands/command_list.hpp"
#include "host/cli/running/try_restoring.hpp"
#include "host/report/results/doctor_report.hpp"

namespace raddle {
namespace {

class DoctorCommand final : public Subcommand {
 public:
  DoctorCommand()
      : Subcommand("doctor", "Can this machine, and this program, be controlled?",
                   Takes::kPerhapsProgram) {}

  void add_options(CLI::App& app) override { add_format(app); }

  Check project_file() const {
    const Defaults& file = defaults();
    if (!file.problem.empty())
      return {"project file", Check::bad, file.problem, "mend the file, or move it away"};
    return {"project file", Check::ok,
            fmt::format("{}: {}", file.path, file.all.empty() ? "no defaults" : file.all), ""};
  }

  static bool is_controllable(const DoctorReport& report) {
    return std::none_of(report.checks.begin(), report.checks.end(),
                        [](const Check& check) { return check.level == Check::bad; });
  }

  int run() override {
    DoctorReport report;
    report.checks = doctor_machine();
    if (!defaults().path.empty()) report.checks.push_back(project_file());
    if (!program().empty()) {
      report.subject = program().front();
      const Result<Target> target = inspect_target(report.subject);
      if (!target) {
        report.checks.push_back({"program", Check::bad, target.error(), ""});
      } else {
        for (Check& check : doctor_program(*target)) report.checks.push_back(std::move(check));
        if (is_controllable(report)) report.checks.push_back(try_restoring(program()));
      }
    }
    return show(document_of(report));
  }
};

}  // namespace

std::unique_ptr<Subcommand> make_doctor_command() { return std::make_unique<DoctorCommand>(); }

}  // namespace raddle
