// How far a long job is, on standard error. On a terminal: one line that rewrites itself, with a
// bar, a rate and what is left. Elsewhere, in the log of a CI job: a plain line a minute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace raddle {

struct Progress {
  std::string what;            // "120 of 1,000 executions, no failure yet"
  std::uint64_t done = 0;      // executions, for the rate
  double seconds = 0;          // since the job began
  double share = 0;            // of it that is done, 0 to 1
  std::optional<double> left;  // seconds, at most; nothing: not known
};

// "WHAT, 40/s, 22 s left"
std::string progress_words(const Progress& progress);
// The same behind a bar, cut to `width` columns.
std::string progress_bar(const Progress& progress, std::size_t width);

// When the next line is due: ten times a second on a terminal, else once a minute, the first after
// a minute, so that a short job leaves none.
class ProgressPace {
 public:
  explicit ProgressPace(bool terminal);
  bool due(double seconds);

 private:
  double period_;
  double next_;
};

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Prints it, if a line is due.
  void update(const Progress& progress);
  // Leaves no trace on a terminal.
  void clear();

 private:
  const bool terminal_;
  ProgressPace pace_;
  bool shown_ = false;
};

}  // namespace raddle
