#include "host/report/step_picture.hpp"

#include <algorithm>

#include "host/report/columns.hpp"
#include "host/report/words/object_words.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostColumns = 3;
constexpr std::size_t kIndent = 2;

std::string as_columns(const std::vector<PictureStep>& steps,
                       const std::vector<PictureThread>& threads, std::size_t margin,
                       const TextOptions& options) {
  const Columns columns(margin, threads.size(), options);
  std::vector<std::string> titles;
  for (const PictureThread& thread : threads) titles.push_back(thread.title);
  std::string out;
  columns.titles(out, titles);
  for (const PictureStep& step : steps) {
    const auto column = std::find_if(threads.begin(), threads.end(), [&](const PictureThread& one) {
      return one.id == step.thread;
    });
    columns.step(out, step.step, static_cast<std::size_t>(column - threads.begin()), step.text);
  }
  // Marks end the picture: nothing happened after them.
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (!threads[i].mark.empty()) columns.mark(out, i, threads[i].mark);
  }
  return out;
}

std::string as_list(const std::vector<PictureStep>& steps,
                    const std::vector<PictureThread>& threads, std::size_t margin,
                    const TextOptions& options) {
  std::size_t label = 0;
  for (const PictureThread& thread : threads) {
    label = std::max(label, thread_label(thread.id).size());
  }
  const StepList list(margin, label + Columns::kGap, options);
  std::string out;
  for (const PictureStep& step : steps) {
    list.step(out, step.step, thread_label(step.thread), step.text);
  }
  for (const PictureThread& thread : threads) {
    if (!thread.mark.empty()) list.mark(out, thread_label(thread.id), thread.mark);
  }
  return out;
}

}  // namespace

std::string step_picture(const std::vector<PictureStep>& steps, std::vector<PictureThread> threads,
                         const TextOptions& options) {
  if (steps.empty()) return {};
  std::erase_if(threads, [&](const PictureThread& thread) {
    return std::none_of(steps.begin(), steps.end(),
                        [&](const PictureStep& step) { return step.thread == thread.id; });
  });
  std::sort(threads.begin(), threads.end(),
            [](const PictureThread& a, const PictureThread& b) { return raw(a.id) < raw(b.id); });
  const std::size_t margin = Columns::margin_for(steps.back().step, kIndent);
  return threads.size() <= kMostColumns ? as_columns(steps, threads, margin, options)
                                        : as_list(steps, threads, margin, options);
}

}  // namespace raddle
