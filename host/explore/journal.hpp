// A checkpoint of an exploration: a file to which every execution that is taken and every one that
// is done is appended, so that a process that is killed at any moment loses at most the executions
// under way. Resuming shows the search the same executions again, in the same order, without
// running them: it then knows what it knew.
//
// The file begins with what it is a checkpoint of; one of another program, build or search is
// refused. A record that was not written to its end (the process was killed while it wrote) ends
// the file there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/result.hpp"
#include "host/base/unique_fd.hpp"
#include "host/explore/search.hpp"
#include "host/replay/aims.hpp"

namespace raddle {

// Everything that must be the same to go on, as names and values in words of the user.
using JournalIdentity = std::vector<std::pair<std::string, std::string>>;

class Journal {
 public:
  // A new file. An older checkpoint there is replaced; something else is not.
  static Result<Journal> create(const std::string& path, const JournalIdentity& identity);

  // Opens a file to go on with it. The error says what differs.
  static Result<Journal> open(const std::string& path, const JournalIdentity& identity);

  // Shows the search what is in the file; called by explore() before anything else.
  Result<bool> resume(Search& search);

  // The accesses that are decision points (AimRole::kDecides): an exploration goes on with those it
  // began with, since it would come to other ones if it looked for them with more or less time.
  // Those of an opened file are there after open(), unless the process ended before it knew them.
  void decide_at(const std::vector<PlanAim>& places);
  const std::optional<std::vector<PlanAim>>& places() const { return places_; }

  // Both in the order in which the search saw them.
  void taken(const Work& work);
  void done(const Work& work, const Explored& execution);

  // Something to remember: findings, with where they were saved. Those of an opened file are there
  // after open().
  void note(const std::string& text);
  const std::vector<std::string>& notes() const { return notes_; }

  // The first thing that went wrong with writing; empty if nothing did.
  const std::string& error() const { return error_; }

 private:
  Journal(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  void append(char kind, std::string_view body);

  UniqueFd fd_;
  std::string path_;
  std::string records_;  // of an opened file, until the search has seen them
  std::vector<std::string> notes_;
  std::optional<std::vector<PlanAim>> places_;
  std::string error_;
  std::string buffer_;
};

}  // namespace raddle
