#include "host/campaign/feedback/reads_from_schedules.hpp"

#include <algorithm>

namespace raddle {
namespace {

// Schedules that showed something new; the oldest go first.
constexpr std::size_t kMostKept = 256;
constexpr std::size_t kMostRivals = 64;
constexpr std::size_t kMostPairs = 4096;
// One in so many executions changes a kept schedule although there are pairs to be tried.
constexpr std::uint64_t kChangesAmongTries = 4;
// Of four new constraints, so many are positive.
constexpr std::uint64_t kPositive = 3;

std::uint64_t end_of(const Observation& shown) {
  std::uint64_t hash = 0;
  for (const ReadsFrom& pair : shown.reads_from)
    hash = (hash ^ pair.read ^ (pair.write << 17)) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
  return hash;
}

}  // namespace

void add_aims(const Constraint& constraint, std::uint8_t number,
              std::span<const std::uint64_t> rivals, std::vector<AimSite>& aims) {
  const auto add = [&](AimRole role, std::uint64_t site) {
    aims.push_back({.site = site,
                    .context = 0,
                    .role = role,
                    .thread = number,
                    .order = 0,
                    .location = constraint.positive ? std::uint8_t{1} : std::uint8_t{0}});
  };
  add(AimRole::kReads, constraint.pair.read);
  add(AimRole::kSees, constraint.pair.write);
  for (const std::uint64_t rival : rivals) add(AimRole::kRival, rival);
}

void ReadsFromSchedules::learn_places(const UsedBy& used) {
  for (const std::uint64_t read : used.reads) {
    std::set<std::uint64_t>& rivals = rivals_[read];
    for (const std::uint64_t claim : used.claims) {
      if (claim != read && rivals.size() < kMostRivals) rivals.insert(claim);
    }
    const auto learn = [&](std::uint64_t write) {
      if (order_.size() >= kMostPairs || !pairs_.try_emplace({read, write}).second) return;
      order_.push_back({read, write});
    };
    // Without rivals whoever comes first sees the beginning, and nobody can be kept from it.
    if (!rivals.empty()) learn(0);
    for (const std::uint64_t write : used.writes) learn(write);
  }
}

std::size_t ReadsFromSchedules::ended(const AbstractSchedule& schedule, const Observation& shown) {
  for (const UsedBy& used : shown.objects) learn_places(used);
  for (const ReadsFrom& pair : shown.reads_from) {
    const auto known = pairs_.find(pair);
    if (known == pairs_.end() || known->second.seen) continue;
    known->second.seen = true;
    ++seen_pairs_;
  }
  for (const Constraint& constraint : schedule) {
    const auto known = pairs_.find(constraint.pair);
    if (constraint.positive && known != pairs_.end() && !known->second.seen) ++known->second.tried;
  }
  std::size_t news = 0;
  for (const std::uint64_t hash : shown.seen) news += seen_.insert(hash).second ? 1 : 0;
  const std::uint64_t end = end_of(shown);
  const bool first_end = ++ends_[end] == 1;
  if (news > 0 || first_end) {
    if (kept_.size() == kMostKept) kept_.erase(kept_.begin());
    kept_.push_back({schedule, end});
  }
  return news;
}

// The next pair that nobody asked for alone: first those that were never seen, then the others.
const ReadsFrom* ReadsFromSchedules::untried() {
  for (const bool seen : {false, true}) {
    for (const ReadsFrom& pair : order_) {
      Pair& state = pairs_[pair];
      if (state.tried_alone || state.seen != seen) continue;
      state.tried_alone = true;
      return &pair;
    }
  }
  return nullptr;
}

const ReadsFromSchedules::Kept& ReadsFromSchedules::least_seen() {
  const auto weight = [&](const Kept& kept) { return (kept.taken + 1) * ends_[kept.end]; };
  std::size_t best = 0;
  for (std::size_t i = 1; i < kept_.size(); ++i) {
    if (weight(kept_[i]) < weight(kept_[best])) best = i;
  }
  ++kept_[best].taken;
  return kept_[best];
}

const ReadsFrom* ReadsFromSchedules::any_pair() {
  constexpr int kLooks = 8;
  for (int i = 0; i < kLooks && !order_.empty(); ++i) {
    const ReadsFrom& pair = order_[generator_.below(order_.size())];
    if (!pairs_[pair].forgotten()) return &pair;
  }
  return nullptr;
}

void ReadsFromSchedules::change(AbstractSchedule& schedule) {
  enum Change : std::uint64_t { kAdd, kExchange, kTakeAway, kNegate, kChanges };
  std::uint64_t what = generator_.below(kChanges);
  if (schedule.empty()) what = kAdd;
  if (what == kAdd && schedule.size() >= kMostConstraints) what = kExchange;
  if (what == kTakeAway || what == kNegate) {
    const std::size_t at = generator_.below(schedule.size());
    if (what == kNegate) {
      schedule[at].positive = !schedule[at].positive;
    } else {
      schedule.erase(schedule.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return;
  }
  const ReadsFrom* pair = any_pair();
  if (pair == nullptr) return;
  if (what == kExchange)
    schedule.erase(schedule.begin() +
                   static_cast<std::ptrdiff_t>(generator_.below(schedule.size())));
  // A read sees one write: what was asked of it before goes.
  std::erase_if(schedule, [&](const Constraint& one) { return one.pair.read == pair->read; });
  schedule.push_back({*pair, generator_.below(4) < kPositive});
}

AbstractSchedule ReadsFromSchedules::next() {
  ++turns_;
  if (kept_.empty()) return {};
  if (turns_ % kChangesAmongTries != 0) {
    if (const ReadsFrom* pair = untried()) return {{*pair, true}};
  }
  AbstractSchedule schedule = least_seen().schedule;
  change(schedule);
  return schedule;
}

std::vector<AimSite> ReadsFromSchedules::aims_of(const AbstractSchedule& schedule) const {
  std::vector<AimSite> aims;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    std::vector<std::uint64_t> rivals;
    const auto known = rivals_.find(schedule[i].pair.read);
    if (known != rivals_.end()) rivals.assign(known->second.begin(), known->second.end());
    add_aims(schedule[i], static_cast<std::uint8_t>(i), rivals, aims);
  }
  return aims;
}

}  // namespace raddle
