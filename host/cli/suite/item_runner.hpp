// Executes items: the one place where a suite starts processes. A thread of `raddle suite` and a
// `raddle worker` have one each; an ItemRunner belongs to its thread, since fork servers die with
// the thread that started them.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/campaign/suite/item.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/process/worker.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

// A test that can be started here.
struct PreparedTest {
  PreparedProgram program;
  // As replay files name them: where the test lies for whoever started the suite.
  std::string recorded_program;
  std::string recorded_directory;
  std::vector<std::string> recorded_environment;  // beyond the present one
  std::string scratch;  // its folder for temporary files, emptied before each execution
};

struct ItemRunnerOptions {
  std::string name;                         // of the worker, for reports
  const std::atomic<bool>* stop = nullptr;  // set: end the item now
  std::function<void()> alive;              // after each execution
  // Finds the test's program on this machine; null: as it lies.
  std::function<Result<PreparedTest>(const SuiteTest&)> prepare;
};

class ItemRunner {
 public:
  explicit ItemRunner(ItemRunnerOptions options);
  ~ItemRunner();

  // Nothing if it was stopped. What goes wrong with the test is the result's `problem`.
  std::optional<ItemResult> run(const Item& item);

 private:
  struct Started;  // a test with its fork server
  Result<Started*> started(const Item& item);
  std::string own_scratch();

  ItemRunnerOptions options_;
  std::string scratch_;  // a folder of our own; empty: not made yet
  unsigned scratches_ = 0;
  std::list<std::unique_ptr<Started>> started_;  // the last used first
};

// The present environment, with these variables in place of its own of the same names.
std::vector<std::string> merged_environment(const std::vector<std::string>& more);

// Empties the folder of a test's temporary files: what one execution left must not decide the next.
void empty_folder(const std::string& folder);

// Whether the test passes without Raddle now, in one of five runs, or in those that fit into the
// time that one may take.
bool passes_natively(const PreparedTest& test, const Item& item, const std::atomic<bool>* stop);

// The test as it lies on this machine.
Result<PreparedTest> prepare_test(const SuiteTest& test);

}  // namespace raddle
