#include "host/explore/causal/prediction.hpp"

#include <algorithm>
#include <map>

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
  return reading_.read(execution);
}

std::vector<RacingPlaces> Prediction::pairs() const {
  std::vector<const CausalStep*> accesses;
  for (const CausalStep& step : reading_.steps()) {
    const causal::ActionKind kind = histories_.node(step.at).next->kind;
    if ((causal::reads(kind) || causal::writes(kind)) && touched_size(step.pending) > 0 &&
        step.pending.op != OpKind::barrier_wait && step.pending.op != OpKind::once)
      accesses.push_back(&step);
  }
  std::vector<RacingPlaces> found;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> index;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    for (std::size_t k = i + 1; k < accesses.size(); ++k) {
      const CausalStep& a = *accesses[i];
      const CausalStep& b = *accesses[k];
      if (!conflict(a, b)) continue;
      const auto places = std::minmax(a.pending.site, b.pending.site);
      const auto [it, added] = index.try_emplace({places.first, places.second}, found.size());
      if (added) found.emplace_back();
      if (found[it->second].size() < kMostPairs)
        found[it->second].push_back({{a.at, b.at}, {a.pending, b.pending}});
    }
  }
  return found;
}

void Prediction::count(const causal::Answer& answer) {
  if (answer.solved) ++queries_;
  if (answer.verdict == causal::Verdict::kUnknown) ++unknown_;
}

std::optional<CausalWork> Prediction::witness(const RacingPair& pair) {
  const causal::Answer answer =
      causal::ask_for_meeting(histories_, {pair.at[0], pair.at[1]}, rules_);
  count(answer);
  if (answer.verdict != causal::Verdict::kYes) return std::nullopt;
  CausalWork work;
  // Both accesses, one after the other. What the second one sees is not known, so that the model
  // names their threads one by one.
  for (const causal::NodeId at : pair.at) {
    std::vector<causal::Move> schedule = answer.schedule;
    schedule.push_back({histories_.node(at).thread});
    const std::vector<StepRecord> records = reading_.prefix(schedule);
    if (work.prefix.empty()) {
      work.prefix = records;
    } else {
      work.prefix.push_back(records.back());
    }
  }
  work.schedule = answer.schedule;
  return work;
}

std::optional<CausalWork> Prediction::deadlock() {
  causal::Answer answer;
  if (rules_.cycles_end) {
    answer = causal::ask_for_cycle(histories_, cycles_, rules_);
    count(answer);
  }
  if (answer.verdict != causal::Verdict::kYes) {
    answer = causal::ask_for_deadlock(histories_, deadlocks_, cycles_, rules_);
    count(answer);
  }
  if (answer.verdict != causal::Verdict::kYes) return std::nullopt;
  const StandstillGroup group = group_after(histories_, answer.schedule, rules_);
  (group.is_cycle ? cycles_ : deadlocks_).push_back(group.blocked);
  CausalWork work;
  work.schedule = answer.schedule;
  work.deadlock = true;
  work.prefix = reading_.prefix(work.schedule);
  return work;
}

}  // namespace raddle
