#include "host/report/trace_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "host/base/printable.hpp"
#include "host/report/columns.hpp"
#include "host/report/layout.hpp"
#include "host/report/words/event_words.hpp"

namespace raddle {

namespace {

constexpr std::size_t kGap = Columns::kGap;
constexpr std::size_t kNarrowest = 22;   // column that can still be read
constexpr std::size_t kPlaceWidth = 18;  // in a list
constexpr std::size_t kWideList = 64;
constexpr std::size_t kLabelWidth = 6;

std::string command_line(const TraceHeader& header) {
  std::string text = header.arguments.empty() ? header.program : std::string();
  for (const std::string& argument : header.arguments) {
    text += text.empty() ? argument : " " + argument;
  }
  return printable(text);
}

std::string facts(const TraceHeader& header) {
  if (!header.origin.empty() && header.origin != "raddle") {
    return "imported from " + printable(header.origin);
  }
  std::string text = !header.instrumented ? "synchronisation only"
                     : header.shared_only ? "with shared accesses only"
                                          : "with memory accesses";
  if (header.strategy.empty()) return text;
  return fmt::format("strategy {}, seed {}, {}", printable(header.strategy), header.seed, text);
}

}  // namespace

TraceText::TraceText(TraceFilter filter, const TextOptions& look, TextOut out)
    : FilteredTrace(std::move(filter)),
      look_(look),
      out_(std::move(out)),
      width_(usable_width(look)),
      most_columns_(std::max<std::size_t>((width_ - kMargin + kGap) / (kNarrowest + kGap), 1)) {}

void TraceText::write() {
  if (!text_.empty()) out_(text_);
  text_.clear();
}

void TraceText::begin(const TraceHeader& header) {
  for (const std::string& line :
       wrapped(fmt::format("{}  ({})", command_line(header), facts(header)), width_, 2)) {
    text_ += painted(line, Paint::kFaint, look_);
    end_line(text_);
  }
  text_ += '\n';
}

void TraceText::show(const Event& event) {
  const SiteName& site = names().sites()[event.site];
  page_.push_back({event.step, event.thread, printable(site.place),
                   event_words(event, names(), NameForm::kShort)});
  if (page_.size() >= kPage) flush();
}

// The columns of the page before stay as long as they will do: fewer titles, and less to find one's
// way in again.
void TraceText::choose_columns() {
  std::vector<ThreadId> present;
  for (const Row& row : page_) {
    const auto at = std::lower_bound(present.begin(), present.end(), row.thread);
    if (at == present.end() || *at != row.thread) present.insert(at, row.thread);
  }
  const bool fit_before =
      std::includes(columns_.begin(), columns_.end(), present.begin(), present.end());
  if (fit_before && !listing_ && !columns_.empty()) return;
  if (present.size() > most_columns_) {
    if (!listing_) {
      const std::string note = fmt::format(
          "{} threads are too many for columns here: one line for each event (--thread chooses)",
          present.size());
      if (!columns_.empty()) text_ += '\n';
      for (const std::string& line : wrapped(note, width_, 2)) {
        text_ += painted(line, Paint::kFaint, look_);
        end_line(text_);
      }
    }
    listing_ = true;
    return;
  }
  std::vector<ThreadId> both;
  std::set_union(present.begin(), present.end(), columns_.begin(), columns_.end(),
                 std::back_inserter(both));
  if (!columns_.empty() || listing_) text_ += '\n';
  columns_ = both.size() <= most_columns_ ? both : present;
  listing_ = false;
  titles();
}

void TraceText::titles() {
  std::vector<std::string> titles;
  titles.reserve(columns_.size());
  for (const ThreadId id : columns_) titles.push_back(printable(names().thread_name(id)));
  Columns(margin_, columns_.size(), look_).titles(text_, titles);
}

void TraceText::add_to_columns(const Row& row, const Columns& columns) {
  const auto column = static_cast<std::size_t>(
      std::find(columns_.begin(), columns_.end(), row.thread) - columns_.begin());
  columns.step(text_, row.step, column,
               row.place.empty() ? row.words : row.place + "  " + row.words);
}

void TraceText::add_to_list(const Row& row) {
  // Places under each other, where there is room for that.
  const std::string place =
      width_ < kWideList || row.place.empty() ? row.place : padded(row.place, kPlaceWidth);
  StepList(margin_, kLabelWidth, look_)
      .step(text_, row.step, fmt::format("T{}", raw(row.thread)),
            place.empty() ? row.words : place + "  " + row.words);
}

void TraceText::flush() {
  if (page_.empty()) return write();
  margin_ = std::max(margin_, Columns::margin_for(page_.back().step, 0));
  choose_columns();
  if (listing_) {
    for (const Row& row : page_) add_to_list(row);
  } else {
    const Columns columns(margin_, columns_.size(), look_);
    for (const Row& row : page_) add_to_columns(row, columns);
  }
  page_.clear();
  write();
}

void TraceText::end(const TraceEnd& end) {
  flush();
  if (shown() == 0) return;
  const std::string counted =
      shown() == seen() ? fmt::format("{} events", grouped(seen()))
                        : fmt::format("{} of {} events", grouped(shown()), grouped(seen()));
  text_ += '\n';
  const std::string line =
      fmt::format("{}, {} thread{}, {} steps; {}", counted, threads(), threads() == 1 ? "" : "s",
                  grouped(last_step() + 1), end_words(end));
  const bool hidden = !filter().is_narrow() && shown() != seen();
  for (const std::string& part : wrapped(hidden ? line + " (--all shows all)" : line, width_, 2)) {
    text_ += part;
    end_line(text_);
  }
  write();
}

}  // namespace raddle
