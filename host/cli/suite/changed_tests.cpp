#include "host/cli/suite/changed_tests.hpp"

#include <fmt/format.h>

#include "host/cli/running/explore_changes.hpp"
#include "host/cli/suite/item_runner.hpp"
#include "host/cli/suite/item_work.hpp"
#include "host/process/worker.hpp"

namespace raddle {

namespace {

constexpr std::chrono::seconds kLongest{10};  // execution

}  // namespace

Result<std::set<std::string>> changed_tests(const std::vector<SuiteTest>& tests,
                                            const std::string& changes) {
  if (changes.find("..") == std::string::npos)
    return Error{fmt::format("--changes `{}': two revisions of git are needed, OLD..NEW", changes)};
  std::set<std::string> names;
  for (const SuiteTest& test : tests) {
    const Result<PreparedTest> prepared = prepare_test(test);
    if (!prepared) continue;
    WorkerOptions starting;
    starting.command = prepared->program.command;
    starting.library = prepared->program.library.path();
    starting.ok_exit = test.ok_exit;
    Result<std::unique_ptr<Worker>> worker = Worker::start(std::move(starting));
    if (!worker) continue;
    ChangeOptions options;
    options.changes = changes;
    RunOptions running;
    running.timeout = kLongest;
    const Result<ChangeImpact> impact = impact_of(options, **worker, suite_plan(), running);
    if (!impact) return Error{impact.error()};
    // The lines are those of the whole change; functions are of the execution.
    if (!impact->points.functions.empty()) names.insert(test.name);
  }
  return names;
}

}  // namespace raddle
