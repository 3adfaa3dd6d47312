#include "host/base/git.hpp"

#include "host/base/command_output.hpp"

namespace raddle {

Result<std::string> git_output(const std::string& folder, const std::vector<std::string>& given,
                               GitComplaints complaints) {
  std::vector<std::string> words = {"git", "-C", folder};
  words.insert(words.end(), given.begin(), given.end());
  return command_output(words, {.folder = {}, .complains = complaints == GitComplaints::kShown});
}

std::string checked_out_commit(const std::string& folder) {
  const Result<std::string> head =
      git_output(folder, {"rev-parse", "HEAD"}, GitComplaints::kHidden);
  if (!head || head->empty()) return {};
  std::string commit = head->substr(0, head->find('\n'));
  const bool same =
      bool(git_output(folder, {"diff-index", "--quiet", "HEAD", "--"}, GitComplaints::kHidden));
  return same ? commit : commit + "-dirty";
}

}  // namespace raddle
