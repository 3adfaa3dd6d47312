// A hunt and its store: what is known from before, what is written down while it runs, and what is
// saved at its end. The command makes one before it hunts.
//
// Whatever is found has its replay file at once, under a provisional name (found-1.replay), and a
// row of the store that names it. At the end the file of the smallest execution takes its place.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/hunt/hunt.hpp"
#include "host/campaign/store/store.hpp"
#include "host/cli/running/prepared_program.hpp"

namespace raddle {

class StoredHunt final : public HuntJournal {
 public:
  // `resume`: goes on where the hunt of this program in this store stopped. The error refuses a
  // store that has no such hunt, or one of another build or of other arguments.
  static Result<std::unique_ptr<StoredHunt>> begin(std::unique_ptr<Store> store, bool resume,
                                                   const PreparedProgram& prepared,
                                                   OutputFolder& folder);

  const EarlierCampaigns& earlier() const { return earlier_; }
  std::vector<KnownCandidate> known_candidates() const;

  void executed(const Execution& execution, const HuntFinding* candidate) override;
  void failed(const FailureGroup& group) override;
  void found(const HuntFinding& finding) override;
  void misused(const FoundMisuse& misuse) override;

  // The replay files of what the hunt shows, and their rows; findings of `least` level and more.
  Result<std::monostate> finish(HuntResult& result, FindingLevel least);

  // Replay files of failures from before that this hunt did not meet.
  std::vector<std::string> not_seen_again(const HuntResult& result) const;

 private:
  StoredHunt(std::unique_ptr<Store> store, const PreparedProgram& prepared, OutputFolder& folder)
      : store_(std::move(store)), prepared_(prepared), folder_(folder) {}
  void keep(StoredFinding finding, const Execution& execution, const RecordedFinding& recorded);
  std::string save(const Execution& execution, const RecordedFinding& recorded,
                   const std::string& path);
  void write(StoredFinding finding, const std::string& replay);

  std::unique_ptr<Store> store_;
  const PreparedProgram& prepared_;
  OutputFolder& folder_;
  StoreScope scope_;
  EarlierCampaigns earlier_;
  std::map<std::string, std::string> provisional_;  // key of a finding, path of its replay file
  std::string problem_;                             // the first file that could not be written
};

}  // namespace raddle
