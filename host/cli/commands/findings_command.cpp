// raddle findings: what the campaigns of a folder found, and what became of it.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "host/analysis/model/finding.hpp"
#include "host/base/git.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/report/results/suite/findings_report.hpp"

namespace raddle {
namespace {

class FindingsCommand final : public Subcommand {
 public:
  FindingsCommand()
      : Subcommand("findings", "What campaigns found: open, new, fixed, back again",
                   Takes::kStore) {}

  void add_options(CLI::App& app) override {
    app.add_option("folder", folder_, "The folder of the campaigns, or its campaign.db")
        ->type_name("DIR")
        ->default_str(folder_);
    app.add_option("--since", since_,
                   "What is new, fixed or back again since this commit, and what is still open")
        ->type_name("COMMIT");
    app.add_flag("--strict", strict_, "Also what was seen without harm, which counts then");
    add_format(app);
  }

  int run() override {
    Result<std::unique_ptr<Store>> store = Store::open(folder_, Store::Existing::kRequired);
    if (!store) return fail(store.error());
    Result<std::int64_t> boundary = boundary_of(**store);
    if (!boundary) return fail(boundary.error());
    FindingsReport report{.store = (*store)->path(),
                          .folder = (*store)->folder(),
                          .since = since_,
                          .campaigns = static_cast<std::uint64_t>((*store)->campaign_count()),
                          .findings = {}};
    for (FindingHistory& history : finding_histories(**store)) {
      // A hunt that lists everything saves what did no harm, too: that is open for nobody.
      if (history.level == finding_level_text(FindingLevel::kSeen) && !strict_) continue;
      ListedFinding one{.history = std::move(history)};
      one.state = state_after(one.history.looks, kAll);
      const FindingState before = state_after(one.history.looks, *boundary);
      one.is_new = before == FindingState::kUnknown;
      // What was done with before is no news.
      const bool settled = one.state == FindingState::kFixed && before == FindingState::kFixed;
      if (!since_.empty() && settled) continue;
      if (!since_.empty() && one.state == FindingState::kBack && before != FindingState::kFixed &&
          before != FindingState::kUnknown)
        one.state = FindingState::kOpen;
      report.findings.push_back(std::move(one));
    }
    if (!(*store)->ok()) return fail((*store)->error());
    const auto rank = [](const ListedFinding& one) {
      return std::pair(one.state == FindingState::kFixed, !one.is_new);
    };
    std::stable_sort(report.findings.begin(), report.findings.end(),
                     [&](auto& a, auto& b) { return rank(a) < rank(b); });
    return show(document_of(report));
  }

 private:
  bool strict_ = false;
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

  // The last campaign that belongs to the time before: of a commit that --since has in its history;
  // without --since, all but the last campaign.
  Result<std::int64_t> boundary_of(Store& store) const {
    const std::vector<CampaignCommit> campaigns = campaign_commits(store);
    if (since_.empty()) return campaigns.empty() ? 0 : campaigns.back().campaign - 1;
    if (since_.front() == '-') return Error{fmt::format("`{}' is no commit", since_)};
    const Result<std::string> history =
        git_output(".", {"rev-list", since_, "--"}, GitComplaints::kHidden);
    std::set<std::string> before;
    if (history) {
      std::istringstream lines(*history);
      for (std::string line; std::getline(lines, line);) before.insert(line);
    }
    std::int64_t boundary = -1;
    for (const CampaignCommit& one : campaigns) {
      // Without a checkout the commit's own name, or the beginning of it, has to do.
      const bool matches =
          history ? before.contains(one.commit) : since_.size() >= 7 && one.commit == since_;
      const bool begins = !history && since_.size() >= 7 && one.commit.starts_with(since_) &&
                          one.commit.find('-') == std::string::npos;
      if (matches || begins) boundary = one.campaign;
    }
    if (boundary >= 0) return boundary;
    if (!history) {
      return Error{
          fmt::format("`{}' is neither a commit of the checkout in this folder nor one "
                      "that a campaign ran at",
                      since_)};
    }
    return std::int64_t{0};  // no campaign is that old: everything is new
  }

  std::string folder_ = "raddle-out";
  std::string since_;
};

}  // namespace

std::unique_ptr<Subcommand> make_findings_command() { return std::make_unique<FindingsCommand>(); }

}  // namespace raddle
