#include "host/report/finding_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "host/base/printable.hpp"
#include "host/report/columns.hpp"
#include "host/report/layout.hpp"
#include "host/report/words/finding_words.hpp"
#include "host/report/words/harm_words.hpp"
#include "host/report/words/unseen_words.hpp"

namespace raddle {
namespace {

constexpr std::size_t kIndent = 3;
constexpr std::size_t kNarrowest = 24;  // column that can still be read

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

class Steps {
 public:
  Steps(const std::vector<StoryStep>& steps, const TextOptions& look) : steps_(steps), look_(look) {
    std::uint64_t last = 0;
    for (const StoryStep& step : steps) {
      last = std::max(last, step.step);
      titles_.emplace(raw(step.thread), step.thread_name);
    }
    margin_ = Columns::margin_for(last, kIndent);
    const Columns columns(margin_, titles_.size(), look);
    as_columns_ = columns.width() >= kNarrowest;
    cell_ = as_columns_ ? columns.width() : usable_width(look) - margin_;
    if (as_columns_) titles(columns);
    for (const StoryStep& step : steps_) add(step, columns);
  }

  std::string text() { return std::move(out_); }

 private:
  struct Said {  // of a thread, by its latest step that is shown
    std::string inside;
    std::string locks;
  };

  void titles(const Columns& columns) {
    std::vector<std::string> titles;
    for (const auto& [thread, title] : titles_) titles.push_back(title);
    columns.titles(out_, titles);
  }

  // The first line of a step has its number; what has not changed since the thread's step before is
  // not said again.
  void add(const StoryStep& step, const Columns& columns) {
    number_ = step_number(step.step, margin_);
    const auto column =
        static_cast<std::size_t>(std::distance(titles_.begin(), titles_.find(raw(step.thread))));
    at_ = as_columns_ ? columns.at(column) : margin_;
    if (!as_columns_) lines(step.thread_name, Paint::kThread, 1);
    const std::string words = finding_step_words(step);
    lines(step.place.empty() ? words : step.place + "  " + words, Paint::kPlain, 9);
    if (!step.source.empty()) source(step.source);
    Said& said = said_[raw(step.thread)];
    const std::string inside = inside_words(step);
    const std::string locks = locks_words(step);
    if (!inside.empty() && inside != said.inside) lines(inside, Paint::kPlain, 3);
    if (!locks.empty() && locks != said.locks) lines(locks, Paint::kPlain, 3);
    said = {inside, locks};
  }

  void source(const std::string& line) {
    out_.append(at_, ' ');
    out_ += painted(cut_to_width("| " + line, cell_), Paint::kFaint, look_);
    end_line(out_);
  }

  void lines(const std::string& text, Paint paint, std::size_t most) {
    const std::vector<std::string> all = wrapped(text, cell_, 2);
    for (std::size_t i = 0; i < all.size() && i < most; ++i) {
      out_ += padded(std::exchange(number_, {}), at_);
      const bool cut = i + 1 == most && all.size() > most;
      out_ += painted(cut ? cut_to_width(all[i] + " ......", cell_) : all[i], paint, look_);
      end_line(out_);
    }
  }

  const std::vector<StoryStep>& steps_;
  const TextOptions& look_;
  std::map<std::uint16_t, std::string> titles_;
  std::map<std::uint16_t, Said> said_;
  std::size_t margin_ = 0;  // step number and its gap
  std::size_t cell_ = 0;    // width of a column
  bool as_columns_ = true;
  std::string number_;
  std::size_t at_ = 0;
  std::string out_;
};

std::string headline(std::size_t number, const FindingStory& story, const TextOptions& look) {
  const std::size_t width = usable_width(look);
  std::string out = fmt::format("{:<{}}", number, kIndent);
  const std::string level = upper(finding_level_text(story.level));
  const std::string kind =
      story.pattern != 0
          ? fmt::format("{} (pattern {})", finding_kind_text(story.kind), story.pattern)
          : finding_kind_text(story.kind);
  const std::string count =
      story.count == 1 ? "once" : fmt::format("{} times", grouped(story.count));
  const std::size_t used = out.size() + level.size() + 2 + kind.size() + 2 + count.size() + 2;
  const std::size_t room = width > used ? width - used : 0;
  const std::string object = room >= 8 ? cut_to_width(story.object, room) : std::string();
  out += painted(level, Paint::kVerdict, look) + "  " + painted(kind, Paint::kThread, look) + "  ";
  out += padded(object, room) + "  " + count;
  end_line(out);
  return out;
}

}  // namespace

std::string finding_text(std::size_t number, const FindingStory& story, std::size_t like,
                         const TextOptions& look) {
  std::string out = headline(number, story, look);
  const std::string harm = harm_words(story.harm);
  if (story.harm.found) add_lines(out, "Harm: " + harm, kIndent, 2, Paint::kPlain, look);
  add_lines(out, story.what, kIndent, 2, Paint::kPlain, look);
  if (like != 0) {
    add_lines(out, fmt::format("At the places of {}. id:{}", like, story.id), kIndent, 2,
              Paint::kFaint, look);
    return out;
  }
  if (!story.steps.empty()) out += "\n" + Steps(story.steps, look).text() + "\n";
  add_lines(out, "Why: " + why_words(story), kIndent, 2, Paint::kPlain, look);
  if (const std::string words = inference_words(story); !words.empty())
    add_lines(out, "Rests on: " + words, kIndent, 2, Paint::kPlain, look);
  if (!story.harm.found && !harm.empty())
    add_lines(out, "Harm: " + harm, kIndent, 2, Paint::kPlain, look);
  if (const std::string doubt = ordered_unseen_text(story.maybe_ordered_by); !doubt.empty())
    add_lines(out, "Not certain: " + doubt + ".", kIndent, 2, Paint::kPlain, look);
  add_lines(out, "id:" + story.id, kIndent, 2, Paint::kFaint, look);
  return out;
}

bool same_places(const FindingStory& story, const FindingStory& earlier) {
  return !story.steps.empty() &&
         std::all_of(story.steps.begin(), story.steps.end(), [&](const StoryStep& step) {
           return std::any_of(earlier.steps.begin(), earlier.steps.end(),
                              [&](const StoryStep& other) {
                                return !step.place.empty() && step.where.file == other.where.file &&
                                       step.place == other.place;
                              });
         });
}

}  // namespace raddle
