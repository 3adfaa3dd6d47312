// raddle suite: many tests under one budget.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "host/base/git.hpp"
#include "host/campaign/queue/nats_queue.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/suite/broker_options.hpp"
#include "host/cli/suite/changed_tests.hpp"
#include "host/cli/suite/item_runner.hpp"
#include "host/cli/suite/local_queue.hpp"
#include "host/cli/suite/suite_run.hpp"
#include "host/cli/suite/suite_tests.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/report/results/suite/suite_report.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

class SuiteCommand final : public Subcommand {
 public:
  SuiteCommand()
      : Subcommand("suite", "Many tests under one budget, whose time goes where something new is",
                   Takes::kStore) {}

  void add_options(CLI::App& app) override {
    app.add_option("programs", sources_.programs,
                   "Test programs; of GoogleTest and Catch2 each case is a test")
        ->type_name("PROG...");
    app.add_option("--ctest", sources_.ctest, "The tests that ctest knows in this build folder")
        ->type_name("DIR");
    app.add_option("--test", sources_.commands,
                   "A test as a command line, or as NAME = COMMAND; may be given again")
        ->type_name("COMMAND");
    app.add_option("--filter", sources_.filter, "Only tests with this in their name")
        ->type_name("TEXT");
    app.add_option("--changes", changes_,
                   "Tests that execute functions changed between these revisions of git get more")
        ->type_name("OLD..NEW");
    const CLI::Option* budget =
        duration(app, "--budget,--time", budget_,
                 "How long, all tests together: 10m, 8h; a number alone is seconds")
            ->default_str("10m");
    app.final_callback([this, budget] { budget_given_ = budget->count() > 0; });
    number(app, "--executions", rounds_.executions, 0,
           std::numeric_limits<std::uint64_t>::max() / 4,
           "How many executions, all tests together, besides their probes; 0: as many as there\n"
           "is time for. Same number, same seed: same findings, however many workers");
    app.add_option("--until-risk", rounds_.until_risk,
                   "A test is done when, with each strategy, one more execution fails in a new\n"
                   "way with no more than this probability (95 % confidence)")
        ->type_name("P")
        ->check(CLI::Range(0.0, 1.0));
    number(app, "-j,--jobs", jobs_, 1, 256, "How many items at the same time");
    app.add_option("--out", out_, "Folder for replay files and campaign.db")
        ->type_name("DIR")
        ->default_str(out_);
    app.add_flag("--resume", resume_, "Go on with the suite that was cut short in --out");
    number(app, "--seed", rounds_.first_seed, 0, std::numeric_limits<std::uint64_t>::max() / 2,
           "First seed; the next ones follow");
    duration(app, "--timeout", timeout_, "Time limit of one execution")->default_str("30s");
    duration(app, "--item", item_, "How long an item should take")->default_str("2s");
    app.add_option("--queue", broker_.url,
                   "Workers are elsewhere: `raddle worker' with the same nats://HOST")
        ->type_name("URL");
    add_broker_options(app, broker_);
    app.add_option("--file", files_, "With --queue: one more file that tests need; again for more")
        ->type_name("FILE");
    duration(app, "--redelivery", redelivery_,
             "With --queue: how long a worker may be silent before others get its item")
        ->default_str("20s");
    add_reports(app);
  }

  int run() override {
    if (const Result<bool> writable = check_reports(); !writable) return fail(writable.error());
    Result<FoundTests> found = FoundTests{};
    if (!resume_) {
      found = find_tests(sources_);
      if (!found) return fail(found.error());
    }
    if (!resume_ && !changes_.empty()) {
      const Result<std::set<std::string>> changed = changed_tests(found->tests, changes_);
      if (!changed) return fail(changed.error());
      rounds_.changed = *changed;
    }
    Result<OutputFolder> folder = OutputFolder::open(out_);
    if (!folder) return fail(folder.error());
    const Result<int> status = run_in(*folder, std::move(*found));
    folder->remove_if_unused();
    return status ? *status : fail(status.error());
  }

 private:
  Result<int> run_in(OutputFolder& folder, FoundTests found) {
    Result<std::unique_ptr<Store>> store =
        Store::open((fs::path(out_) / kStoreName).string(),
                    resume_ ? Store::Existing::kRequired : Store::Existing::kMadeIfMissing);
    if (!store) return Error{store.error()};
    const std::atomic<bool>& stop = stop_on_signals();
    Result<std::unique_ptr<ItemQueue>> queue = make_queue(**store, stop);
    if (!queue) return Error{queue.error()};
    Result<SuiteStore> suite = begin(**store, **queue, found.tests);
    if (!suite) return Error{suite.error()};
    for (const SuiteTest& test : found.tests) note_build(*suite, test);

    SuiteRounds rounds(found.tests, rounds_);
    const Clock::time_point began = Clock::now();
    const SuiteRunOptions running{.budget = budget_, .stop = &stop};
    SuiteRun run(*suite, rounds, **queue, folder, out_, running);
    const auto done = run.run();
    if (!done) return Error{done.error()};
    // One that was interrupted can go on; its campaign has not ended.
    if (!run.interrupted()) suite->end(rounds.tests());
    if (!(*store)->ok()) return Error{(*store)->error()};
    const SuiteReport report{
        .folder = out_,
        .tests = rounds.tests(),
        .left_out = found.left_out,
        .replay_of = [&](const std::string& test,
                         const std::string& key) { return run.replay_of(test, key); },
        .workers = (*queue)->status().workers,
        .items = run.items(),
        .interrupted = run.interrupted(),
        .out_of_budget = run.out_of_budget(),
        .seconds = std::chrono::duration<double>(Clock::now() - began).count()};
    const int status = show(document_of(report));
    // An item under way may take long to notice that nobody wants it any more.
    if (run.interrupted()) {
      std::fflush(nullptr);
      std::_Exit(status);
    }
    return status;
  }

  Result<std::unique_ptr<ItemQueue>> make_queue(Store& store, const std::atomic<bool>& stop) {
    if (broker_.url.empty())
      return std::unique_ptr<ItemQueue>(std::make_unique<LocalQueue>(jobs_, stop));
    token_ = fmt::format("{:016x}",
                         std::random_device()() * 0x9e3779b97f4a7c15ULL + std::random_device()());
    if (resume_) {
      const Result<SuiteStore> suite = SuiteStore::resume(store);
      if (!suite) return Error{suite.error()};
      const nlohmann::json all = nlohmann::json::parse(suite->options(), nullptr, false);
      if (all.is_object() && all.contains("token") && all["token"].is_string())
        token_ = all["token"].get<std::string>();
    }
    broker_.name = "raddle suite";
    Result<std::unique_ptr<NatsQueue>> queue = NatsQueue::open(
        {.broker = broker_,
         .token = token_,
         .redelivery = std::chrono::duration_cast<std::chrono::milliseconds>(redelivery_),
         .files = files_});
    if (!queue) return Error{queue.error()};
    return std::unique_ptr<ItemQueue>(std::move(*queue));
  }

  // A new campaign of these tests; or the one that goes on, with its tests and options.
  Result<SuiteStore> begin(Store& store, ItemQueue& queue, std::vector<SuiteTest>& tests) {
    rounds_.timeout_ms = milliseconds(timeout_);
    rounds_.item_seconds = std::chrono::duration<double>(item_).count();
    if (resume_) {
      Result<SuiteStore> suite = SuiteStore::resume(store);
      if (!suite) return suite;
      if (!take_options(suite->options(), tests))
        return Error{fmt::format("{}: what is stored of the suite cannot be read", store.path())};
      if (!budget_given_) budget_ = what_is_left(*suite);
      if (const auto offered = queue.offer(tests); !offered) return Error{offered.error()};
      return suite;
    }
    if (const auto offered = queue.offer(tests); !offered) return Error{offered.error()};
    std::error_code error;
    SuiteStore suite = SuiteStore::begin(
        store, checked_out_commit(fs::current_path(error).string()), options_text(tests));
    if (!store.ok()) return Error{store.error()};
    return suite;
  }

  // Of the budget, by what the items took that are done; the end of the suite needs a little. How
  // many workers a queue had nobody knows: then it is all of the budget.
  Clock::duration what_is_left(SuiteStore& suite) const {
    double seconds = 0;
    std::vector<StoredItem> items;
    for (std::uint64_t round = 0; !(items = suite.round(round)).empty(); ++round) {
      for (const StoredItem& one : items)
        if (one.result) seconds += one.result->seconds;
    }
    if (!broker_.url.empty()) return budget_;
    const auto spent = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(seconds / std::max<std::uint32_t>(1, jobs_before_)));
    return std::max<Clock::duration>(budget_ - spent, std::chrono::seconds(1));
  }

  static std::uint64_t milliseconds(Clock::duration time) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
  }

  // All that decides what the suite does.
  std::string options_text(const std::vector<SuiteTest>& tests) const {
    nlohmann::json list = nlohmann::json::array();
    for (const SuiteTest& test : tests) {
      list.push_back({{"name", test.name},
                      {"command", test.command},
                      {"directory", test.directory},
                      {"environment", test.environment},
                      {"bundle", test.bundle}});
    }
    const nlohmann::json all = {{"tests", list},
                                {"token", token_},
                                {"first_seed", rounds_.first_seed},
                                {"executions", rounds_.executions},
                                {"until_risk", rounds_.until_risk},
                                {"timeout_ms", rounds_.timeout_ms},
                                {"item_seconds", rounds_.item_seconds},
                                {"changed", rounds_.changed},
                                {"budget_ms", milliseconds(budget_)},
                                {"jobs", jobs_}};
    return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  bool take_options(const std::string& text, std::vector<SuiteTest>& tests) {
    try {
      const nlohmann::json all = nlohmann::json::parse(text);
      for (const nlohmann::json& one : all.at("tests")) {
        SuiteTest& test = tests.emplace_back();
        one.at("name").get_to(test.name);
        one.at("command").get_to(test.command);
        one.at("directory").get_to(test.directory);
        one.at("environment").get_to(test.environment);
        one.at("bundle").get_to(test.bundle);
      }
      all.at("first_seed").get_to(rounds_.first_seed);
      all.at("executions").get_to(rounds_.executions);
      all.at("until_risk").get_to(rounds_.until_risk);
      all.at("timeout_ms").get_to(rounds_.timeout_ms);
      all.at("item_seconds").get_to(rounds_.item_seconds);
      all.at("changed").get_to(rounds_.changed);
      all.at("jobs").get_to(jobs_before_);
      if (!budget_given_)
        budget_ = std::chrono::milliseconds(all.at("budget_ms").get<std::uint64_t>());
      return true;
    } catch (const nlohmann::json::exception&) {
      return false;
    }
  }

  static void note_build(SuiteStore& suite, const SuiteTest& test) {
    const Result<PreparedTest> prepared = prepare_test(test);
    if (!prepared) return;  // its probe says why
    const Target& target = prepared->program.target;
    suite.set_build(test.name, {test.name, test.command, test.directory},
                    {target.path, target.build_id, target.file_hash});
  }

  SuiteSources sources_;
  std::string changes_;  // OLD..NEW
  RoundOptions rounds_;
  Clock::duration budget_ = std::chrono::minutes(10);
  bool budget_given_ = false;
  std::uint32_t jobs_before_ = 1;  // of the suite that goes on
  Clock::duration timeout_ = std::chrono::seconds(30);
  Clock::duration item_ = std::chrono::seconds(2);
  std::uint32_t jobs_ = 1;
  std::string out_ = "raddle-out";
  bool resume_ = false;
  BrokerOptions broker_;  // without a URL: the workers are threads of ours
  std::vector<std::string> files_;
  Clock::duration redelivery_ = std::chrono::seconds(20);
  std::string token_;  // of the campaign, on the broker
};

}  // namespace

std::unique_ptr<Subcommand> make_suite_command() { return std::make_unique<SuiteCommand>(); }

}  // namespace raddle
