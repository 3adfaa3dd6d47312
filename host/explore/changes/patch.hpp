// What changed between two revisions of a program's sources: a unified diff, as `git diff` and
// `diff -u` write it, and whether the sources are its newer side.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace raddle {

struct PatchLine {
  std::uint32_t line = 0;  // in the newer file
  std::string text;
  bool changed = false;  // added; or next to lines that were only removed
};

struct Hunk {
  std::string file;  // of the newer side, as the patch names it, without the a/ and b/ of git
  std::vector<PatchLine> lines;  // those that the newer side has
};

struct Patch {
  std::vector<Hunk> hunks;
};

// Text around hunks is passed over. An error names the line of the patch.
Result<Patch> parse_patch(std::string_view text);

struct ChangedLine {
  std::string file;  // absolute
  std::uint32_t line = 0;
  auto operator<=>(const ChangedLine&) const = default;
};

struct AppliedPatch {
  std::vector<ChangedLine> lines;     // sorted
  std::vector<std::string> problems;  // hunks that the sources do not have, each in a line
};

// Looks for the files below `folder`. A hunk whose lines are not there as the patch says has no
// changed lines, and is named.
AppliedPatch apply_patch(const Patch& patch, const std::string& folder);

// `git diff OLD NEW` in a folder.
Result<std::string> git_diff(const std::string& folder, const std::string& older,
                             const std::string& newer);

}  // namespace raddle
