// Findings that the user does not want to see, by what they are about. A file has one entry a line:
//
//   function:NAME   a step is in this function, or in one that it called
//   file:GLOB       ... in a function of this file: its path, or its last part
//   object:GLOB     it is about this object: its name, or the part of it without the instance
//   id:HEX          this very finding
//
// with a kind of finding before it, or for all kinds: "race function:Cache::peek". In NAME and GLOB
// `*' stands for any text and `?' for one character; "peek" names Cache::peek too. A line that
// begins with `#', and what follows a `#' between blanks, is a comment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/finding.hpp"
#include "host/base/result.hpp"

namespace raddle {

class Suppressions {
 public:
  // The error names the file and the line, and what was expected there.
  static Result<Suppressions> read(const std::string& path);
  static Result<Suppressions> parse(std::string_view text, const std::string& name);

  // Whether an entry matches. All that match count as used. `state` is that of the execution.
  bool cover(const Finding& finding, const ExecutionState& state);

  // Entries that matched nothing so far: "race function:peek (file.txt:3)".
  std::vector<std::string> unused() const;

 private:
  enum class By : std::uint8_t { kFunction, kFile, kObject, kId };
  struct Entry {
    std::optional<FindingKind> kind;
    By by{};
    std::string pattern;
    std::uint64_t id = 0;
    std::string text;  // as written
    std::uint64_t line = 0;
    bool used = false;
  };
  static Result<Entry> parse_entry(std::string_view line);
  static bool matches(const Entry& entry, const Finding& finding, const ExecutionState& state);

  std::string name_;
  std::vector<Entry> entries_;
};

// `*' any text, `?' one character, everything else itself.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace raddle
