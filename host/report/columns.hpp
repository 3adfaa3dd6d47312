// Threads side by side: a margin for the number of the step, then a column for each thread. The one
// way in which failures, explanations, findings and traces show what threads did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/report/layout.hpp"

namespace raddle {

class Columns {
 public:
  static constexpr std::size_t kGap = 2;  // after the margin, and between two columns

  // `margin` is the width of the numbers with all around them; `count` is not 0.
  Columns(std::size_t margin, std::size_t count, const TextOptions& look);

  // The margin for steps up to `last`, with so much room before them.
  static std::size_t margin_for(std::uint64_t last, std::size_t indent);

  std::size_t width() const { return cell_; }  // of a column
  std::size_t at(std::size_t column) const { return margin_ + column * (cell_ + kGap); }

  // A line with the threads' titles, and one that underlines them.
  void titles(std::string& out, const std::vector<std::string>& titles) const;
  // One step: its number, and the text in its column, in as many lines as that takes.
  void step(std::string& out, std::uint64_t number, std::size_t column,
            const std::string& text) const;
  // Below the steps, in the verdict's colour; may use the room of the empty columns to its right.
  void mark(std::string& out, std::size_t column, const std::string& text) const;

 private:
  const TextOptions& look_;
  const std::size_t margin_;
  std::size_t cell_;
};

// The same without columns: number, thread and text on each line.
class StepList {
 public:
  // `label` is the width of the threads' labels with the gap after them.
  StepList(std::size_t margin, std::size_t label, const TextOptions& look)
      : look_(look), margin_(margin), label_(label) {}

  void step(std::string& out, std::uint64_t number, const std::string& label,
            const std::string& text) const;
  void mark(std::string& out, const std::string& label, const std::string& text) const;

 private:
  void text(std::string& out, const std::string& label, const std::string& text, Paint paint) const;

  const TextOptions& look_;
  const std::size_t margin_;
  const std::size_t label_;
};

// The text of the step at which it goes wrong: "account.cpp:17  locks m  <-- here".
std::string marked_here(const std::string& text);

// "  17", right in a margin that ends with the gap.
std::string step_number(std::uint64_t number, std::size_t margin);

}  // namespace raddle
