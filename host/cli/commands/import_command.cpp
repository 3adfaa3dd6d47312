// raddle import: other stores, and loose replay files, into a store.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/campaign/store/merge.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

class ImportCommand final : public Subcommand {
 public:
  ImportCommand()
      : Subcommand("import", "Takes other stores, and saved executions, into a store",
                   Takes::kReplayFile) {}

  void add_options(CLI::App& app) override {
    app.add_option("files", paths_, "Folders with a campaign.db, stores, replay files")
        ->required()
        ->type_name("DIR|FILE...");
    app.add_option("--out", out_, "The folder of the store that takes them")
        ->type_name("DIR")
        ->default_str(out_);
    add_format(app);
  }

  int run() override {
    Result<OutputFolder> folder = OutputFolder::open(out_);
    if (!folder) return fail(folder.error());
    const Result<Imported> done = import_all(*folder);
    folder->remove_if_unused();
    if (!done) return fail(done.error());
    Document document;
    document.command = name();
    document.program = out_;
    document.counts = {{"campaigns", done->campaigns},
                       {"findings", done->findings},
                       {"sightings", done->sightings}};
    document.text = [&](const TextOptions&) {
      return fmt::format("imported into {}: {}, {} of findings, {} new\n", store_path(out_),
                         counted(done->campaigns, "campaign"), counted(done->sightings, "sighting"),
                         counted(done->findings, "finding"));
    };
    document.json = [&] {
      return nlohmann::ordered_json{{"command", name()},
                                    {"store", store_path(out_)},
                                    {"campaigns", done->campaigns},
                                    {"findings", done->findings},
                                    {"sightings", done->sightings}};
    };
    return show(document);
  }

 private:
  Result<Imported> import_all(OutputFolder& folder) const {
    Result<std::unique_ptr<Store>> store =
        Store::open((fs::path(out_) / kStoreName).string(), Store::Existing::kMadeIfMissing);
    if (!store) return Error{store.error()};
    Imported all;
    for (const std::string& path : paths_) {
      std::error_code error;
      const bool replay = !fs::is_directory(path, error) && path.ends_with(".replay");
      const Result<Imported> one =
          replay ? from_replay(**store, path, folder) : from_store(**store, path, folder);
      if (!one) return one;
      all.campaigns += one->campaigns;
      all.findings += one->findings;
      all.sightings += one->sightings;
    }
    return all;
  }

  static bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    return fs::equivalent(a, b, error) && !error;
  }

  static Result<Imported> from_replay(Store& store, const std::string& path, OutputFolder& folder) {
    const Result<ReplayFile> file = read_replay(path);
    if (!file) return Error{file.error()};
    const fs::path parent = fs::path(path).parent_path();
    std::string kept = path;
    if (!is_same_file(parent.empty() ? "." : parent.string(), store.folder())) {
      kept = folder.next_replay();
      const auto written = write_replay(kept, *file);
      if (!written) return Error{written.error()};
    }
    return import_replay(store, *file, fs::path(kept).filename().string());
  }

  static Result<Imported> from_store(Store& store, const std::string& path, OutputFolder& folder) {
    const std::string other = store_path(path);
    if (is_same_file(other, store.path()))
      return Error{fmt::format("{} is the store itself", other)};
    const fs::path from = fs::path(other).parent_path();
    return import_store(store, other, [&](const std::string& name) -> std::string {
      if (name.find('/') != std::string::npos) return {};
      const std::string source = (from / name).string();
      if (is_same_file(from.empty() ? "." : from.string(), store.folder())) return name;
      const Result<ReplayFile> file = read_replay(source);
      if (!file) return {};
      const std::string kept = folder.next_replay();
      return write_replay(kept, *file) ? fs::path(kept).filename().string() : std::string();
    });
  }

  std::vector<std::string> paths_;
  std::string out_ = "raddle-out";
};

}  // namespace

std::unique_ptr<Subcommand> make_import_command() { return std::make_unique<ImportCommand>(); }

}  // namespace raddle
