// raddle worker: executes items of suites that other machines started.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "host/campaign/queue/worker_loop.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/suite/broker_options.hpp"
#include "host/cli/suite/item_runner.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

// An ItemRunner for tests that come from a broker.
class BundleRunner {
 public:
  BundleRunner(const BrokerOptions& broker, std::string name, std::string cache,
               const std::atomic<bool>& stop)
      : broker_options_(broker), name_(std::move(name)), cache_(std::move(cache)), stop_(stop) {
    runner_ = std::make_unique<ItemRunner>(
        ItemRunnerOptions{.name = name_,
                          .stop = &stop_,
                          .alive =
                              [this] {
                                if (alive_) alive_();
                              },
                          .prepare = [this](const SuiteTest& test) { return prepare(test); }});
  }
  ~BundleRunner() {
    runner_.reset();
    std::error_code error;
    if (!scratch_.empty()) fs::remove_all(scratch_, error);
  }

  std::optional<ItemResult> run(const Item& item, const std::function<void()>& alive) {
    alive_ = alive;
    std::optional<ItemResult> result = runner_->run(item);
    alive_ = nullptr;
    return result;
  }

 private:
  // The test of the bundle, in a folder of this worker's own.
  Result<PreparedTest> prepare(const SuiteTest& test) {
    if (test.bundle.empty()) return prepare_test(test);  // nothing was offered: it says why
    if (broker_ == nullptr) {
      Result<std::unique_ptr<Broker>> connected = Broker::connect(broker_options_);
      if (!connected) return Error{connected.error()};
      broker_ = std::move(*connected);
    }
    const Result<FetchedBundle> bundle = fetch_bundle(*broker_, test.bundle, cache_);
    if (!bundle) return Error{bundle.error()};
    if (scratch_.empty()) {
      std::string name = cache_ + "/run-XXXXXX";
      if (mkdtemp(name.data()) == nullptr) return Error{"cannot make a folder to run tests in"};
      scratch_ = name;
    }
    const std::string folder = scratch_ + "/" + test.bundle.substr(0, 16);
    std::error_code error;
    if (!fs::exists(folder, error)) {
      fs::create_directories(folder, error);
      if (fs::exists(bundle->folder + "/run", error))
        fs::copy(bundle->folder + "/run", folder, fs::copy_options::recursive, error);
    }
    SuiteTest here = test;
    here.directory = folder;
    here.environment.push_back("LD_LIBRARY_PATH=" + bundle->folder + "/lib");
    const std::string given = here.command.front();
    here.command.front() = bundle->folder + "/" + bundle->file;
    Result<PreparedTest> prepared = prepare_test(here);
    if (!prepared) return prepared;
    // The program sees the name by which it was called.
    prepared->program.command.arguments.front() = given;
    prepared->recorded_program = bundle->program;
    prepared->recorded_directory = test.directory;
    prepared->recorded_environment = test.environment;
    return prepared;
  }

  const BrokerOptions broker_options_;
  const std::string name_;
  const std::string cache_;
  const std::atomic<bool>& stop_;
  std::unique_ptr<Broker> broker_;
  std::unique_ptr<ItemRunner> runner_;
  std::function<void()> alive_;
  std::string scratch_;
};

std::string default_cache() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache != nullptr && *cache != 0) return std::string(cache) + "/raddle";
  if (home != nullptr && *home != 0) return std::string(home) + "/.cache/raddle";
  return fmt::format("/tmp/raddle-{}", getuid());
}

class WorkerCommand final : public Subcommand {
 public:
  WorkerCommand()
      : Subcommand("worker", "Executes items of suites that other machines started",
                   Takes::kStore) {}

  void add_options(CLI::App& app) override {
    app.add_option("broker", broker_.url, "The broker: nats://HOST")->required()->type_name("URL");
    add_broker_options(app, broker_);
    number(app, "-j,--jobs", jobs_, 1, 256, "How many items at the same time");
    app.add_option("--cache", cache_, "Folder for the tests' files (~/.cache/raddle)")
        ->type_name("DIR");
    duration(app, "--until-idle", until_idle_, "End after so long without work; default: never");
    add_format(app);
  }

  int run() override {
    if (cache_.empty()) cache_ = default_cache();
    std::error_code error;
    fs::create_directories(cache_, error);
    cache_ = fs::absolute(cache_, error).lexically_normal().string();
    // Others must not put files there that we would execute.
    struct stat found{};
    if (stat(cache_.c_str(), &found) != 0 || found.st_uid != getuid() ||
        chmod(cache_.c_str(), 0700) != 0)
      return fail(fmt::format("the folder {} is not ours; choose another with --cache", cache_));
    char host[256] = "worker";
    gethostname(host, sizeof host - 1);
    std::string base = host;
    for (char& c : base)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
    const std::atomic<bool>& stop = stop_on_signals();
    std::vector<Result<WorkerLoopResult>> results(jobs_, WorkerLoopResult{});
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < jobs_; ++i) {
      threads.emplace_back([&, i] {
        const std::string name = fmt::format("{}-{}-{}", base, getpid(), i + 1);
        BrokerOptions broker = broker_;
        broker.name = name;
        BundleRunner runner(broker, name, cache_, stop);
        WorkerLoopOptions options{
            .broker = broker,
            .name = name,
            .stop = &stop,
            .until_idle = std::chrono::duration_cast<std::chrono::milliseconds>(until_idle_),
            .execute = [&](const Item& item,
                           const std::function<void()>& alive) { return runner.run(item, alive); },
            .say = {}};
        if (i == 0 && !captures_output())
          options.say = [](const std::string& line) { error_line(line); };
        results[i] = work_for(options);
      });
    }
    for (std::thread& thread : threads) thread.join();
    WorkerLoopResult all;
    for (const Result<WorkerLoopResult>& one : results) {
      if (!one) return fail(one.error());
      all.items += one->items;
      all.given_up += one->given_up;
    }
    Document document;
    document.command = name();
    document.program = broker_.url;
    document.counts = {{"items", all.items}, {"given up", all.given_up}};
    document.text = [&](const TextOptions&) {
      return fmt::format("{} executed\n", counted(all.items, "item"));
    };
    document.json = [&] {
      return nlohmann::ordered_json{
          {"command", name()}, {"items", all.items}, {"given_up", all.given_up}};
    };
    return show(document);
  }

 private:
  BrokerOptions broker_;
  std::uint32_t jobs_ = 1;
  std::string cache_;
  Clock::duration until_idle_{};
};

}  // namespace

std::unique_ptr<Subcommand> make_worker_command() { return std::make_unique<WorkerCommand>(); }

}  // namespace raddle
