// raddle forget: takes findings or tests out of a store.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/campaign/store/finding_history.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

class ForgetCommand final : public Subcommand {
 public:
  ForgetCommand()
      : Subcommand("forget", "Takes findings or tests out of a store, with their replay files",
                   Takes::kStore) {}

  void add_options(CLI::App& app) override {
    app.add_option("findings", findings_, "Numbers of findings, as `raddle findings' shows them")
        ->type_name("N...");
    app.add_option("--test", tests_, "A test, with everything that is known of it")
        ->type_name("NAME");
    app.add_flag("--fixed", fixed_, "All findings that are fixed");
    app.add_option("--out", out_, "The folder of the campaigns")
        ->type_name("DIR")
        ->default_str(out_);
    add_format(app);
  }

  std::string conflict() const override {
    if (findings_.empty() && tests_.empty() && !fixed_)
      return "nothing to forget: name findings, or give --test or --fixed";
    return {};
  }

  int run() override {
    Result<std::unique_ptr<Store>> store = Store::open(out_, Store::Existing::kRequired);
    if (!store) return fail(store.error());
    std::vector<std::string> replays;
    if (const std::string problem = forget(**store, &replays); !problem.empty())
      return fail(problem);
    (*store)->compact();
    if (!(*store)->ok()) return fail((*store)->error());
    std::uint64_t files = 0;
    for (const std::string& name : replays) {
      // A name from the file goes nowhere else.
      if (name.find('/') != std::string::npos) continue;
      files += unlink((fs::path((*store)->folder()) / name).c_str()) == 0;
    }
    Document document;
    document.command = name();
    document.program = (*store)->path();
    document.counts = {{"findings", forgotten_}, {"tests", tests_.size()}, {"files", files}};
    document.text = [&](const TextOptions&) {
      return fmt::format("forgotten: {}, {}; {} removed\n", counted(forgotten_, "finding"),
                         counted(tests_.size(), "test"), counted(files, "replay file"));
    };
    document.json = [&] {
      return nlohmann::ordered_json{{"command", name()},
                                    {"store", (*store)->path()},
                                    {"findings", forgotten_},
                                    {"tests", tests_.size()},
                                    {"files", files}};
    };
    return show(document);
  }

 private:
  // All or nothing: a line on what is wrong, empty if it is done.
  std::string forget(Store& store, std::vector<std::string>* replays) {
    Transaction transaction(store.database());
    const auto gives_up = [&](std::string why) {
      transaction.cancel();
      return why;
    };
    for (const std::string& word : findings_) {
      std::int64_t id = 0;
      const auto [rest, bad] = std::from_chars(word.data(), word.data() + word.size(), id);
      const bool is_number = bad == std::errc() && rest == word.data() + word.size();
      if (!is_number || !store.forget_finding(id, replays))
        return gives_up(fmt::format("there is no finding {} in {}", word, store.path()));
      ++forgotten_;
    }
    for (const std::string& test : tests_) {
      if (!store.forget_test(test, replays))
        return gives_up(fmt::format("there is no test `{}' in {}", test, store.path()));
    }
    if (fixed_) {
      for (const FindingHistory& one : finding_histories(store)) {
        constexpr auto kAll = std::numeric_limits<std::int64_t>::max();
        if (state_after(one.looks, kAll) != FindingState::kFixed) continue;
        forgotten_ += store.forget_finding(one.id, replays);
      }
    }
    return {};
  }

  std::vector<std::string> findings_;
  std::vector<std::string> tests_;
  bool fixed_ = false;
  std::string out_ = "raddle-out";
  std::uint64_t forgotten_ = 0;
};

}  // namespace

std::unique_ptr<Subcommand> make_forget_command() { return std::make_unique<ForgetCommand>(); }

}  // namespace raddle
