#include "host/cli/suite/item_runner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>

#include "host/cli/suite/item_work.hpp"
#include "host/explore/process_executor.hpp"
#include "host/process/native.hpp"
#include "host/process/program/environment.hpp"
#include "host/process/program/runtime_library.hpp"
#include "host/report/results/hunt/hunt_report.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostStarted = 4;  // fork servers that a runner keeps
constexpr std::chrono::seconds kLongestNativeRun{10};
constexpr std::size_t kMostEntries = 10'000;  // of a folder that is looked through

// The files of a folder with the time of their last change.
std::map<std::string, std::int64_t> files_in(const std::string& folder) {
  std::map<std::string, std::int64_t> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    struct stat found{};
    if (lstat(at->path().c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    files[at->path().filename().string()] =
        found.st_mtim.tv_sec * 1'000'000'000LL + found.st_mtim.tv_nsec;
    if (files.size() >= kMostEntries) break;
  }
  return files;
}

// Whatever runs in a folder shares its lock; who wants to know whose files are there has it alone.
std::shared_mutex& folder_mutex(const std::string& folder) {
  static std::mutex guard;
  static std::map<std::string, std::shared_mutex> mutexes;
  const std::lock_guard lock(guard);
  return mutexes[folder];
}

// One native run, and the files of its folder that changed meanwhile.
Result<NativeRun> run_watched(const Command& command, const NativeOptions& options,
                              std::vector<std::string>* changed) {
  const std::map<std::string, std::int64_t> before = files_in(command.directory);
  Result<NativeRun> run = run_natively(command, options);
  changed->clear();
  for (const auto& [name, time] : files_in(command.directory)) {
    const auto was = before.find(name);
    if (was == before.end() || was->second != time) changed->push_back(name);
  }
  return run;
}

// Whether the test passes when its standard streams are a terminal.
bool passes_on_terminal(const Command& command, NativeOptions options) {
  // Not openpty(): what other threads start must not inherit the terminal.
  const UniqueFd ours(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[64];
  const bool made = ours && grantpt(ours.get()) == 0 && unlockpt(ours.get()) == 0 &&
                    ptsname_r(ours.get(), name, sizeof name) == 0;
  UniqueFd theirs(made ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1);
  if (!theirs) return false;
  std::atomic<bool> ended{false};
  std::thread reader([&] {
    char buffer[4096];
    pollfd waiting{ours.get(), POLLIN, 0};
    while (!ended.load()) {
      if (poll(&waiting, 1, 50) > 0 && read(ours.get(), buffer, sizeof buffer) <= 0) break;
    }
  });
  options.input = theirs.get();
  options.output = theirs.get();
  const Result<NativeRun> run = run_natively(command, options);
  ended = true;
  reader.join();
  return run && run->end == NativeRun::End::kPassed;
}

// Why the test cannot be searched: it does not even pass alone. Empty: it does.
std::string native_problem(const PreparedTest& test, const Item& item,
                           const std::atomic<bool>* stop, std::vector<std::string>* written,
                           std::shared_lock<std::shared_mutex>& in_folder) {
  const Command& command = test.program.command;
  NativeOptions options;
  options.limit =
      std::min<Clock::duration>(kLongestNativeRun, std::chrono::milliseconds(item.timeout_ms));
  options.ok_exit = item.test.ok_exit;
  options.stop = stop;
  const Result<NativeRun> run = run_watched(command, options, written);
  if (!run) return run.error();
  if (!written->empty()) {
    // It may have been another test that runs there: once more, with nobody else.
    in_folder.unlock();
    {
      const std::unique_lock alone(folder_mutex(command.directory));
      (void)run_watched(command, options, written);
    }
    in_folder.lock();
  }
  switch (run->end) {
    case NativeRun::End::kPassed:
    case NativeRun::End::kInterrupted:
      return {};
    case NativeRun::End::kNoEnd:
      return fmt::format("does not end within {} s without Raddle",
                         std::chrono::duration_cast<std::chrono::seconds>(options.limit).count());
    case NativeRun::End::kFailed:
      // A test that fails now and then is what a suite is for.
      if (passes_natively(test, item, stop)) return {};
      return passes_on_terminal(command, options)
                 ? "needs a terminal: it passes on one, and fails without"
                 : native_text(*run);
  }
  return {};
}

}  // namespace

std::vector<std::string> merged_environment(const std::vector<std::string>& more) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name =
        std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    const bool replaced = std::any_of(more.begin(), more.end(), [&](const std::string& one) {
      return one.substr(0, one.find('=')) == name;
    });
    if (!replaced) result.emplace_back(*entry);
  }
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

Result<PreparedTest> prepare_test(const SuiteTest& test) {
  if (test.command.empty()) return Error{"no command"};
  std::error_code error;
  if (!fs::is_directory(test.directory, error))
    return Error{fmt::format("its folder {} is not there", test.directory)};
  std::string name = test.command.front();
  // As the test's own folder sees it.
  if (name.find('/') != std::string::npos && name.front() != '/')
    name = (fs::path(test.directory) / name).lexically_normal().string();
  std::vector<std::string> arguments = test.command;
  if (const std::string shell = shell_of_script(name); !shell.empty()) {
    arguments.front() = name;
    arguments.insert(arguments.begin(), shell);
    name = shell;
  }
  Result<Target> target = inspect_target(name);
  if (!target) return Error{target.error()};
  Result<RuntimeLibrary> library = RuntimeLibrary::find();
  if (!library) return Error{library.error()};
  Command command{target->path, arguments, merged_environment(test.environment), test.directory};
  if (target->has_asan) adapt_asan_options(command.environment);
  PreparedTest prepared{
      {std::move(*target), std::move(command), std::move(*library)}, {}, {}, {}, {}};
  prepared.recorded_program = prepared.program.target.path;
  prepared.recorded_directory = test.directory;
  prepared.recorded_environment = test.environment;
  return prepared;
}

struct ItemRunner::Started {
  SuiteTest test;
  std::uint64_t most_steps = 0;
  PreparedTest prepared;
  std::unique_ptr<Worker> worker;
  Symbolizer symbols;
};

ItemRunner::ItemRunner(ItemRunnerOptions options) : options_(std::move(options)) {}
ItemRunner::~ItemRunner() {
  started_.clear();
  std::error_code error;
  if (!scratch_.empty()) fs::remove_all(scratch_, error);
}

void empty_folder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    fs::remove_all(at->path(), ignored);
  }
}

bool passes_natively(const PreparedTest& test, const Item& item, const std::atomic<bool>* stop) {
  NativeOptions options;
  options.limit =
      std::min<Clock::duration>(kLongestNativeRun, std::chrono::milliseconds(item.timeout_ms));
  options.ok_exit = item.test.ok_exit;
  options.stop = stop;
  // What was left behind fails each time; the mistake that the suite looks for fails natively, too,
  // but seldom so often in a row.
  constexpr int kTimes = 5;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < kTimes && Clock::now() - begin < options.limit; ++i) {
    empty_folder(test.scratch);
    const Result<NativeRun> run = run_natively(test.program.command, options);
    if (run && run->end != NativeRun::End::kFailed) return true;
  }
  return false;
}

// A folder for the temporary files of one test.
std::string ItemRunner::own_scratch() {
  if (scratch_.empty()) {
    char name[] = "/tmp/raddle-XXXXXX";
    if (mkdtemp(name) == nullptr) return {};
    scratch_ = name;
  }
  const std::string folder = fmt::format("{}/{:06}", scratch_, scratches_++);
  std::error_code error;
  return fs::create_directory(folder, error) ? folder : std::string();
}

Result<ItemRunner::Started*> ItemRunner::started(const Item& item) {
  for (auto at = started_.begin(); at != started_.end(); ++at) {
    if ((*at)->test != item.test || (*at)->most_steps != item.most_steps) continue;
    started_.splice(started_.begin(), started_, at);
    return started_.front().get();
  }
  auto one = std::make_unique<Started>();
  one->test = item.test;
  one->most_steps = item.most_steps;
  Result<PreparedTest> prepared =
      options_.prepare ? options_.prepare(item.test) : prepare_test(item.test);
  if (!prepared) return Error{prepared.error()};
  one->prepared = std::move(*prepared);
  // Tests that leave files in the folder for temporary ones find those of others there. So each has
  // one of its own, if it can be told so.
  one->prepared.scratch = own_scratch();
  if (!one->prepared.scratch.empty()) {
    for (const char* variable : {"TMPDIR", "TEST_TMPDIR"}) {
      const std::string entry = fmt::format("{}={}", variable, one->prepared.scratch);
      const auto names_it = [&](const std::string& given) {
        return given.starts_with(std::string(variable) + "=");
      };
      const auto& given = item.test.environment;
      if (std::any_of(given.begin(), given.end(), names_it)) continue;
      auto& environment = one->prepared.program.command.environment;
      std::erase_if(environment, names_it);
      environment.push_back(entry);
    }
  }
  started_.push_front(std::move(one));
  if (started_.size() > kMostStarted) started_.pop_back();
  return started_.front().get();
}

std::optional<ItemResult> ItemRunner::run(const Item& item) {
  const Clock::time_point begin = Clock::now();
  ItemResult failed;
  failed.id = item.id;
  failed.worker = options_.name;
  const auto timed = [&](ItemResult result) {
    result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return result;
  };
  const Result<Started*> found = started(item);
  if (!found) {
    failed.problem = found.error();
    return timed(std::move(failed));
  }
  Started& use = **found;
  std::vector<std::string> written;
  std::shared_lock in_folder(folder_mutex(use.prepared.program.command.directory));
  if (item.kind == ItemKind::kProbe) {
    failed.problem = native_problem(use.prepared, item, options_.stop, &written, in_folder);
    if (options_.stop != nullptr && options_.stop->load()) return std::nullopt;
    failed.written = written;
    if (!failed.problem.empty()) return timed(std::move(failed));
  }
  if (use.worker == nullptr) {
    WorkerOptions starting;
    starting.command = use.prepared.program.command;
    starting.library = use.prepared.program.library.path();
    starting.enabled_capacity = kEnabledCapacity;
    starting.restore = true;
    if (item.most_steps != 0) starting.max_steps = item.most_steps;
    starting.ok_exit = item.test.ok_exit;
    Result<std::unique_ptr<Worker>> worker = Worker::start(std::move(starting));
    if (!worker) {
      failed.problem = worker.error().substr(0, worker.error().find('\n'));
      return timed(std::move(failed));
    }
    use.worker = std::move(*worker);
  }
  ItemWork work(item, use.prepared, *use.worker, use.symbols, options_);
  bool whole = false;
  switch (item.kind) {
    case ItemKind::kProbe:
      whole = work.probe();
      break;
    case ItemKind::kSearch:
      whole = work.search();
      break;
    case ItemKind::kCandidate:
      whole = work.try_candidate();
      break;
    case ItemKind::kExplore:
      whole = work.explore();
      break;
    case ItemKind::kSmallest:
      whole = work.make_smallest();
      break;
  }
  if (!whole) return std::nullopt;
  work.result().written = written;
  return timed(std::move(work.result()));
}

}  // namespace raddle
