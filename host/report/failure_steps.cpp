#include "host/report/failure_steps.hpp"

#include <algorithm>
#include <set>

#include "host/report/layout.hpp"
#include "host/report/step_picture.hpp"
#include "host/report/words/headline.hpp"
#include "host/report/words/object_words.hpp"
#include "host/report/words/step_words.hpp"

namespace raddle {
namespace {

constexpr std::size_t kRecentSteps = 12;

std::string step_text(const StepLine& step) {
  const std::string place = short_place(step.where);
  const std::string what = brief_step_words(step);
  return place.empty() ? what : place + "  " + what;
}

// Two wide columns read better than three narrow ones: leaves out the oldest steps where that makes
// the columns of two threads, one of them the failing one, and enough is left. Typically those in
// which main created the others. Where main itself fails, having looked at what the others did, all
// of them matter.
void drop_bystanders(const Failure& failure, std::vector<MergedStep>& steps) {
  constexpr std::size_t kEnough = 6;
  const auto threads_from = [&](std::size_t first) {
    std::set<std::uint16_t> threads;
    for (std::size_t i = first; i < steps.size(); ++i) threads.insert(raw(steps[i].thread->id));
    return threads;
  };
  if (threads_from(0).size() <= 2 || failure.thread == kMainThread) return;
  for (std::size_t drop = 1; drop + kEnough <= steps.size(); ++drop) {
    const std::set<std::uint16_t> left = threads_from(drop);
    if (left.size() > 2 || !left.contains(raw(failure.thread))) continue;
    steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(drop));
    return;
  }
}

// Threads wait: what each waits for is what matters, and nobody is a bystander.
bool is_about_waits(OutcomeKind kind) {
  return kind == OutcomeKind::kDeadlock || kind == OutcomeKind::kPossibleHang;
}

// Of a thread that ticks, one round tells as much as all; the steps of those that wait are older.
void keep_one_round(const Failure& failure, std::vector<MergedStep>& steps) {
  constexpr std::size_t kRound = 4;
  for (const ThreadId id : failure.verdict->ticking) {
    std::size_t kept = 0;
    for (std::size_t i = steps.size(); i-- > 0;) {
      if (steps[i].thread->id == id && ++kept > kRound)
        steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace

std::string mark_words(const Failure& failure, const ThreadLine& thread) {
  if (is_about_waits(failure.kind)) {
    return thread.blocked ? "^ " + doing_words(thread.doing) : std::string();
  }
  if (thread.id != failure.thread) return {};
  // The function is part of the place, and the verdict above has it in full.
  const std::string text = "^ " + headline(failure, InFunction::kLeftOut);
  return failure.where.file.empty() ? text : text + ", " + short_place(failure.where);
}

std::string failure_steps(const Failure& failure, const TextOptions& options) {
  std::vector<MergedStep> steps = merged_steps(failure);
  if (!options.verbose && failure.verdict) keep_one_round(failure, steps);
  if (!options.verbose && steps.size() > kRecentSteps) {
    steps.erase(steps.begin(), steps.end() - kRecentSteps);
  }
  if (!options.verbose && !is_about_waits(failure.kind)) drop_bystanders(failure, steps);
  std::vector<PictureStep> shown;
  for (const MergedStep& step : steps) {
    shown.push_back({step.step->step, step.thread->id, step_text(*step.step)});
  }
  std::vector<PictureThread> threads;
  for (const ThreadLine& thread : failure.threads) {
    threads.push_back(
        {thread.id, thread_title(thread.id, thread.name), mark_words(failure, thread)});
  }
  return step_picture(shown, std::move(threads), options);
}

}  // namespace raddle
