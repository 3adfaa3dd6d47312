#include "host/report/columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/printable.hpp"
#include "host/report/layout.hpp"

namespace raddle {

namespace {

constexpr std::size_t kRecentSteps = 12;
constexpr std::size_t kMostColumns = 3;
constexpr std::size_t kGap = 2;

std::string step_text(const StepLine& step) {
  const std::string place = short_place(step.where);
  const std::string& what = step.brief.empty() ? step.what : step.brief;
  return place.empty() ? what : place + "  " + what;
}

// What stands under a thread's last step: where the failure is, or what the thread waits for.
std::string mark_text(const Failure& failure, const ThreadLine& thread) {
  if (failure.kind == OutcomeKind::kDeadlock) {
    return thread.blocked ? "^ " + thread.doing : std::string();
  }
  if (thread.id != failure.thread) return {};
  const std::string place = short_place(failure.where);
  // The function is part of the place, and the verdict above has it in full.
  std::string text = "^ " + failure.headline;
  const std::string in_function = " in " + failure.where.function;
  const std::size_t at = text.find(in_function);
  if (!failure.where.function.empty() && at != std::string::npos)
    text.erase(at, in_function.size());
  return failure.where.file.empty() ? text : text + ", " + place;
}

std::vector<const ThreadLine*> threads_of(const std::vector<MergedStep>& steps) {
  std::vector<const ThreadLine*> threads;
  for (const MergedStep& step : steps) {
    if (std::find(threads.begin(), threads.end(), step.thread) == threads.end()) {
      threads.push_back(step.thread);
    }
  }
  std::sort(threads.begin(), threads.end(),
            [](const ThreadLine* a, const ThreadLine* b) { return a->id < b->id; });
  return threads;
}

// Two wide columns read better than three narrow ones: leaves out the oldest steps where that makes
// the columns of two threads, one of them the failing one, and enough is left. Typically those in
// which main created the others. Where main itself fails, having looked at what the others did, all
// of them matter.
void drop_bystanders(const Failure& failure, std::vector<MergedStep>& steps) {
  constexpr std::size_t kEnough = 6;
  const auto failing = [&](const ThreadLine* thread) { return thread->id == failure.thread; };
  if (threads_of(steps).size() <= 2 || failure.thread == 0) return;
  for (std::size_t drop = 1; drop + kEnough <= steps.size(); ++drop) {
    const auto first = steps.begin() + static_cast<std::ptrdiff_t>(drop);
    const std::vector<const ThreadLine*> left = threads_of({first, steps.end()});
    if (left.size() > 2 || std::none_of(left.begin(), left.end(), failing)) continue;
    steps.erase(steps.begin(), first);
    return;
  }
}

class Columns {
 public:
  Columns(const Failure& failure, std::vector<MergedStep> steps,
          std::vector<const ThreadLine*> threads, const TextOptions& options)
      : failure_(failure),
        steps_(std::move(steps)),
        threads_(std::move(threads)),
        options_(options) {
    margin_ = 2 + fmt::formatted_size("{}", steps_.back().step->step) + kGap;
    const std::size_t room = usable_width(options) - margin_ - kGap * (threads_.size() - 1);
    cell_ = std::max<std::size_t>(room / threads_.size(), 8);
  }

  std::string columns() {
    const std::string no_margin(margin_, ' ');
    out_ += no_margin;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      const std::string title = cut_to_width(thread_title(*threads_[i]), cell_);
      out_ += painted(title, Paint::kThread, options_);
      if (i + 1 < threads_.size()) out_.append(cell_ + kGap - text_width(title), ' ');
    }
    end_line(out_);
    out_ += no_margin;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      out_.append(i == 0 ? 0 : kGap, ' ').append(cell_, '-');
    }
    end_line(out_);
    for (const MergedStep& step : steps_) {
      const std::string number = fmt::format("{:>{}}", step.step->step, margin_ - kGap);
      cell(number, column_of(step.thread), step_text(*step.step), Paint::kPlain);
    }
    // Marks end the picture: nothing happened after them.
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      const std::string mark = mark_text(failure_, *threads_[i]);
      if (!mark.empty()) cell("", i, mark, Paint::kVerdict);
    }
    return std::move(out_);
  }

  std::string list() {
    std::size_t label = 0;
    for (const ThreadLine* thread : threads_) {
      label = std::max(label, fmt::formatted_size("T{}", thread->id));
    }
    const std::size_t text_at = margin_ + label + kGap;
    for (const MergedStep& step : steps_) {
      out_ += fmt::format("{:>{}}  ", step.step->step, margin_ - kGap);
      out_ += padded(fmt::format("T{}", step.thread->id), label + kGap);
      lines(step_text(*step.step), text_at, Paint::kPlain);
    }
    for (const ThreadLine* thread : threads_) {
      const std::string mark = mark_text(failure_, *thread);
      if (mark.empty()) continue;
      out_.append(margin_, ' ');
      out_ += padded(fmt::format("T{}", thread->id), label + kGap);
      lines(mark, text_at, Paint::kVerdict);
    }
    return std::move(out_);
  }

 private:
  std::size_t column_of(const ThreadLine* thread) const {
    const auto at = std::find(threads_.begin(), threads_.end(), thread);
    return static_cast<std::size_t>(at - threads_.begin());
  }

  // A mark may use the room of the empty cells to its right.
  void cell(const std::string& margin, std::size_t column, const std::string& text, Paint paint) {
    const std::size_t at = margin_ + column * (cell_ + kGap);
    out_ += padded(margin, at);
    const bool is_mark = paint != Paint::kPlain;
    wrap(text, at, is_mark ? usable_width(options_) - at : cell_, paint);
  }

  void lines(const std::string& text, std::size_t at, Paint paint) {
    wrap(text, at, usable_width(options_) - at, paint);
  }

  // The first line goes where the output stands, the others below it.
  void wrap(const std::string& text, std::size_t at, std::size_t width, Paint paint) {
    bool first = true;
    for (const std::string& line : wrapped(text, width, 2)) {
      if (!first) out_.append(at, ' ');
      first = false;
      out_ += painted(line, paint, options_);
      end_line(out_);
    }
  }

  const Failure& failure_;
  std::vector<MergedStep> steps_;
  std::vector<const ThreadLine*> threads_;
  const TextOptions& options_;
  std::size_t margin_ = 0;  // step number and its gap
  std::size_t cell_ = 0;    // width of a column
  std::string out_;
};

}  // namespace

std::string step_columns(const Failure& failure, const TextOptions& options) {
  std::vector<MergedStep> steps = merged_steps(failure);
  if (!options.verbose && steps.size() > kRecentSteps) {
    steps.erase(steps.begin(), steps.end() - kRecentSteps);
  }
  if (steps.empty()) return {};
  // In a deadlock nobody is a bystander.
  if (!options.verbose && failure.kind != OutcomeKind::kDeadlock) drop_bystanders(failure, steps);
  std::vector<const ThreadLine*> threads = threads_of(steps);
  const bool as_columns = threads.size() <= kMostColumns;
  Columns columns(failure, std::move(steps), std::move(threads), options);
  return as_columns ? columns.columns() : columns.list();
}

}  // namespace raddle
