#include "host/explore/causal/prediction.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <unordered_map>

#include "host/explore/causal/standstill.hpp"

namespace raddle {
namespace {

// Pairs of accesses at the same two places: loops have many, and mostly one answer for all.
constexpr std::size_t kMostPairs = 8;
// Each has a solver with what it learned: some megabytes.
constexpr std::size_t kMostConversations = 16;
constexpr std::size_t kWindowsAtATime = 8;

bool is_plain(OpKind op) {
  return op == OpKind::memory_read || op == OpKind::memory_write || op == OpKind::memory_again;
}

bool conflict(const CausalStep& a, const CausalStep& b) {
  if (a.thread == b.thread || (!may_write(a.pending) && !may_write(b.pending))) return false;
  if (!is_plain(a.pending.op) && !is_plain(b.pending.op)) return false;
  const std::uint64_t from = touched_address(a.pending);
  const std::uint64_t other = touched_address(b.pending);
  return from < other + touched_size(b.pending) && other < from + touched_size(a.pending);
}

}  // namespace

CausalProblem Prediction::learn(const Explored& execution) {
  reading_.learn_sharing(execution);
  const CausalProblem problem = reading_.read(execution);
  if (problem.kind != CausalProblem::kNone) return problem;
  log_.assign(execution.log.begin(), execution.log.end());
  windows_ = std::make_unique<Windows>(
      RecordedSteps{histories_, reading_.steps(), reading_.moves(), log_, reading_.thread_of()},
      window_);
  standstills_.assign(windows_->list().size(), false);
  return problem;
}

std::vector<RacingPlaces> Prediction::pairs() const {
  const std::vector<CausalStep>& steps = reading_.steps();
  std::vector<RacingPlaces> found;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> index;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_word;  // of accesses so far
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const CausalStep& b = steps[k];
    const causal::ActionKind kind = histories_.node(b.at).next->kind;
    if ((!causal::reads(kind) && !causal::writes(kind)) || touched_size(b.pending) == 0 ||
        b.pending.op == OpKind::barrier_wait || b.pending.op == OpKind::once)
      continue;
    std::vector<std::size_t> earlier;
    const std::uint64_t last = (touched_address(b.pending) + touched_size(b.pending) - 1) >> 3;
    for (std::uint64_t word = touched_address(b.pending) >> 3; word <= last; ++word) {
      std::vector<std::size_t>& at_word = by_word[word];
      // The latest are nearest, and fit into one window.
      for (auto it = at_word.rbegin(); it != at_word.rend(); ++it) {
        const std::size_t both[2] = {*it, k};
        if (windows_->of(both) == nullptr) break;
        earlier.push_back(*it);
      }
      at_word.push_back(k);
    }
    std::sort(earlier.begin(), earlier.end());
    earlier.erase(std::unique(earlier.begin(), earlier.end()), earlier.end());
    for (const std::size_t i : earlier) {
      const CausalStep& a = steps[i];
      if (!conflict(a, b)) continue;
      const auto places = std::minmax(a.pending.site, b.pending.site);
      const auto [it, added] = index.try_emplace({places.first, places.second}, found.size());
      if (added) found.emplace_back();
      if (found[it->second].size() < kMostPairs)
        found[it->second].push_back({{a.step, b.step}, {a.pending, b.pending}});
    }
  }
  return found;
}

void Prediction::count(const causal::Answer& answer) {
  ++(answer.solved ? queries_ : pruned_);
  if (answer.verdict == causal::Verdict::kUnknown) ++unknown_;
  effort_ += answer.effort;
}

std::optional<std::size_t> Prediction::index_of(std::uint64_t step) const {
  const std::vector<CausalStep>& steps = reading_.steps();
  const auto it =
      std::lower_bound(steps.begin(), steps.end(), step,
                       [](const CausalStep& one, std::uint64_t s) { return one.step < s; });
  if (it == steps.end() || it->step != step) return std::nullopt;
  return static_cast<std::size_t>(it - steps.begin());
}

struct Prediction::Asked {
  PredictionQuery::Kind kind = PredictionQuery::kNextToEachOther;
  const Window* window = nullptr;  // null: not asked
  std::vector<causal::NodeId> nodes;
  std::vector<causal::ThreadIndex> threads;  // of the steps
  causal::Answer answer;
  std::optional<CausalWork> work;
};

Prediction::Asked Prediction::prepare(const PredictionQuery& query) {
  Asked asked{query.kind, nullptr, {}, {}, {}, std::nullopt};
  const bool meets = query.kind == PredictionQuery::kNextToEachOther;
  std::vector<std::size_t> indices;
  for (const std::uint64_t step : query.steps) {
    const std::optional<std::size_t> index = index_of(step);
    if (!index) return asked;
    // One step may be several accesses of the program.
    if (indices.empty() || indices.back() != *index) indices.push_back(*index);
  }
  const Window* window = windows_->of(indices);
  if (window == nullptr) {
    ++too_far_;
    return asked;
  }
  for (const std::size_t index : indices) {
    const std::optional<causal::NodeId> node = meets ? window->before(index) : window->event(index);
    if (!node) return asked;
    asked.nodes.push_back(*node);
    asked.threads.push_back(reading_.steps()[index].thread);
  }
  asked.window = window;
  return asked;
}

void Prediction::answer(Asked& asked, causal::Conversation& conversation) const {
  const Window& window = *asked.window;
  if (asked.kind != PredictionQuery::kNextToEachOther) {
    const bool proved = asked.kind == PredictionQuery::kProvedOrder;
    asked.answer =
        conversation.order(asked.nodes, proved ? causal::Trust::kProved : causal::Trust::kTried);
  } else {
    asked.answer = conversation.meeting(asked.nodes);
  }
  if (asked.answer.verdict != causal::Verdict::kYes) return;
  CausalWork work;
  work.schedule = asked.answer.schedule;
  if (asked.kind == PredictionQuery::kNextToEachOther) {
    // Both accesses, one after the other. What the second one sees is not known, so that the model
    // names their threads one by one.
    work.prefix = window.choices(work.schedule, asked.threads);
    for (const causal::ThreadIndex t : asked.threads)
      work.prefix.push_back({window.number(work.schedule, t), OpKind::none, 0, kNoObject, 0});
  } else {
    work.prefix = window.choices(work.schedule, {});
  }
  asked.work = std::move(work);
}

// Which conversations go on depends on the questions alone.
void Prediction::open_conversations(std::span<const Asked> all) {
  for (const Asked& one : all) {
    if (one.window == nullptr) continue;
    const auto it = std::find_if(conversations_.begin(), conversations_.end(),
                                 [&](const auto& known) { return known.first == one.window; });
    if (it != conversations_.end()) {
      conversations_.splice(conversations_.begin(), conversations_, it);
    } else {
      conversations_.emplace_front(one.window, nullptr);
    }
  }
}

std::vector<std::optional<CausalWork>> Prediction::ask(std::span<const PredictionQuery> queries) {
  std::vector<Asked> all;
  all.reserve(queries.size());
  for (const PredictionQuery& query : queries) all.push_back(prepare(query));
  open_conversations(all);
  // What belongs to one window is asked by one thread, in order.
  std::vector<std::vector<Asked*>> groups;
  std::vector<std::unique_ptr<causal::Conversation>*> talks;
  for (auto& [window, conversation] : conversations_) {
    std::vector<Asked*> group;
    for (Asked& one : all) {
      if (one.window == window) group.push_back(&one);
    }
    if (group.empty()) continue;
    groups.push_back(std::move(group));
    talks.push_back(&conversation);
  }
  in_parallel(groups.size(), [&](std::size_t i) {
    std::unique_ptr<causal::Conversation>& talk = *talks[i];
    if (!talk)
      talk = std::make_unique<causal::Conversation>(groups[i].front()->window->histories(), rules_);
    for (Asked* one : groups[i]) answer(*one, *talk);
  });
  while (conversations_.size() > kMostConversations) conversations_.pop_back();
  std::vector<std::optional<CausalWork>> found;
  for (Asked& one : all) {
    if (one.window != nullptr) count(one.answer);
    found.push_back(std::move(one.work));
  }
  return found;
}

causal::Answer Prediction::standstill(const Window& window,
                                      std::vector<causal::Answer>& all) const {
  const causal::Histories& histories = window.histories();
  if (rules_.cycles_end) {
    all.push_back(causal::ask_for_cycle(histories, cycles_, rules_));
    if (all.back().verdict == causal::Verdict::kYes) return all.back();
  }
  all.push_back(causal::ask_for_deadlock(histories, deadlocks_, cycles_, rules_));
  return all.back();
}

std::vector<CausalWork> Prediction::deadlocks() {
  std::vector<CausalWork> works;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < standstills_.size() && open.size() < kWindowsAtATime; ++i) {
    if (!standstills_[i]) open.push_back(i);
  }
  std::vector<std::vector<causal::Answer>> answers(open.size());
  std::vector<causal::Answer> last(open.size());
  in_parallel(open.size(),
              [&](std::size_t i) { last[i] = standstill(windows_->list()[open[i]], answers[i]); });
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const causal::Answer& answer : answers[i]) count(answer);
    const Window& window = windows_->list()[open[i]];
    if (last[i].verdict != causal::Verdict::kYes) {
      standstills_[open[i]] = true;
      continue;
    }
    // Another window of this group may have the same: then this one is asked again.
    const StandstillGroup group = group_after(window.histories(), last[i].schedule, rules_);
    std::vector<causal::Blocked>& known = group.is_cycle ? cycles_ : deadlocks_;
    if (std::find(known.begin(), known.end(), group.blocked) != known.end()) continue;
    known.push_back(group.blocked);
    CausalWork work;
    work.schedule = last[i].schedule;
    work.deadlock = true;
    std::vector<causal::ThreadIndex> standing;
    for (const auto& [thread, site] : group.blocked) standing.push_back(thread);
    work.prefix = window.choices(work.schedule, standing);
    works.push_back(std::move(work));
  }
  return works;
}

std::size_t Prediction::settled_windows() const {
  return static_cast<std::size_t>(std::count(standstills_.begin(), standstills_.end(), true));
}

// The tasks are independent of each other.
void Prediction::in_parallel(std::size_t tasks,
                             const std::function<void(std::size_t)>& task) const {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks; i = next++) task(i);
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads_, tasks); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace raddle
