// The findings that are known already, so that only new ones are reported: a text file that can be
// kept beside the program, compared and merged. One a line, ordered: id, kind, and for the reader
// what it says.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "host/analysis/model/finding.hpp"
#include "host/base/result.hpp"

namespace raddle {

class Baseline {
 public:
  // The error names the file and the line, and what was expected there.
  static Result<Baseline> read(const std::string& path);
  static Result<Baseline> parse(std::string_view text, const std::string& name);

  bool knows(const Finding& finding) const { return known_.contains(finding.place); }
  void add(const Finding& finding);
  std::size_t size() const { return known_.size(); }

  // The file. Equal for equal findings, in whatever order they were added.
  std::string text() const;

 private:
  std::map<std::uint64_t, std::string> known_;  // what else stands on its line
};

}  // namespace raddle
