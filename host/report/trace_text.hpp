// A trace as text for a terminal: one column per thread, in the order of execution.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/report/columns.hpp"
#include "host/report/filtered_trace.hpp"
#include "host/report/text.hpp"

namespace raddle {

// Streams: lines are laid out in pages of a thousand events, of which nothing is kept. A page has a
// column for each thread that does something in it, as far as they fit; else it is a list with the
// thread on each line, and says so. Titles are repeated when the columns change.
class TraceText : public FilteredTrace {
 public:
  TraceText(TraceFilter filter, const TextOptions& look, TextOut out);

  void begin(const TraceHeader& header) override;
  void end(const TraceEnd& end) override;
  void flush() override;

 protected:
  void show(const Event& event) override;

 private:
  struct Row {
    std::uint64_t step;
    ThreadId thread;
    std::string place;
    std::string words;
  };
  static constexpr std::size_t kPage = 1000;
  static constexpr std::size_t kMargin = 6;

  void choose_columns();
  void titles();
  void add_to_columns(const Row& row, const Columns& columns);
  void add_to_list(const Row& row);
  void write();

  const TextOptions look_;
  const TextOut out_;
  const std::size_t width_;
  const std::size_t most_columns_;
  std::vector<Row> page_;
  std::vector<ThreadId> columns_;  // ascending; of the last page with columns
  bool listing_ = false;           // the last page was a list
  std::size_t margin_ = kMargin;   // step number and its gap
  std::string text_;
};

}  // namespace raddle
