#include "host/explore/causal/prediction.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "host/explore/causal/standstill.hpp"

namespace raddle {
namespace {

// Pairs of accesses at the same two places: loops have many, and mostly one answer for all.
constexpr std::size_t kMostPairs = 8;

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
  if (answer.solved) ++queries_;
  if (answer.verdict == causal::Verdict::kUnknown) ++unknown_;
}

std::optional<std::size_t> Prediction::index_of(std::uint64_t step) const {
  const std::vector<CausalStep>& steps = reading_.steps();
  const auto it =
      std::lower_bound(steps.begin(), steps.end(), step,
                       [](const CausalStep& one, std::uint64_t s) { return one.step < s; });
  if (it == steps.end() || it->step != step) return std::nullopt;
  return static_cast<std::size_t>(it - steps.begin());
}

std::optional<CausalWork> Prediction::witness(const RacingPair& pair) {
  const std::optional<std::size_t> first = index_of(pair.step[0]);
  const std::optional<std::size_t> second = index_of(pair.step[1]);
  if (!first || !second) return std::nullopt;
  const std::size_t both[2] = {*first, *second};
  const Window* window = windows_->of(both);
  if (window == nullptr) {
    ++too_far_;
    return std::nullopt;
  }
  const std::optional<causal::NodeId> at[2] = {window->before(*first), window->before(*second)};
  if (!at[0] || !at[1]) return std::nullopt;
  const causal::Answer answer =
      causal::ask_for_meeting(window->histories(), {*at[0], *at[1]}, rules_);
  count(answer);
  if (answer.verdict != causal::Verdict::kYes) return std::nullopt;
  // Both accesses, one after the other. What the second one sees is not known, so that the model
  // names their threads one by one.
  CausalWork work;
  work.schedule = answer.schedule;
  const causal::ThreadIndex standing[2] = {reading_.steps()[*first].thread,
                                           reading_.steps()[*second].thread};
  work.prefix = window->choices(answer.schedule, standing);
  for (const causal::ThreadIndex t : standing)
    work.prefix.push_back({window->number(answer.schedule, t), OpKind::none, 0, kNoObject, 0});
  return work;
}

std::optional<CausalWork> Prediction::ordered(const std::vector<std::uint64_t>& steps,
                                              causal::Trust trust) {
  std::vector<std::size_t> indices;
  for (const std::uint64_t step : steps) {
    const std::optional<std::size_t> index = index_of(step);
    if (!index) return std::nullopt;
    // One step may be several accesses of the program.
    if (indices.empty() || indices.back() != *index) indices.push_back(*index);
  }
  const Window* window = windows_->of(indices);
  if (window == nullptr) {
    ++too_far_;
    return std::nullopt;
  }
  std::vector<causal::NodeId> events;
  for (const std::size_t index : indices) {
    const std::optional<causal::NodeId> event = window->event(index);
    if (!event) return std::nullopt;
    events.push_back(*event);
  }
  const causal::Answer answer = causal::ask_for_order(window->histories(), events, trust, rules_);
  count(answer);
  if (answer.verdict != causal::Verdict::kYes) return std::nullopt;
  CausalWork work;
  work.schedule = answer.schedule;
  work.prefix = window->choices(work.schedule, {});
  return work;
}

std::optional<CausalWork> Prediction::deadlock() {
  for (; looked_at_ < windows_->list().size(); ++looked_at_) {
    const Window& window = windows_->list()[looked_at_];
    const causal::Histories& histories = window.histories();
    causal::Answer answer;
    if (rules_.cycles_end) {
      answer = causal::ask_for_cycle(histories, cycles_, rules_);
      count(answer);
    }
    if (answer.verdict != causal::Verdict::kYes) {
      answer = causal::ask_for_deadlock(histories, deadlocks_, cycles_, rules_);
      count(answer);
    }
    if (answer.verdict != causal::Verdict::kYes) continue;
    const StandstillGroup group = group_after(histories, answer.schedule, rules_);
    (group.is_cycle ? cycles_ : deadlocks_).push_back(group.blocked);
    CausalWork work;
    work.schedule = answer.schedule;
    work.deadlock = true;
    std::vector<causal::ThreadIndex> standing;
    for (const auto& [thread, site] : group.blocked) standing.push_back(thread);
    work.prefix = window.choices(work.schedule, standing);
    return work;
  }
  return std::nullopt;
}

}  // namespace raddle
