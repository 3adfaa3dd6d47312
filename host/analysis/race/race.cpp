#include "host/analysis/race/race.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/analysis/model/volatile_access.hpp"
#include "host/analysis/race/way_to.hpp"
#include "host/analysis/shadow/extent.hpp"

namespace raddle {

RaceDetector::RaceDetector(ExecutionState& state) : OrderedAccesses(state), shadow_(*this) {}

RaceDetector::Cell RaceDetector::clone(const Cell& cell) {
  Cell copy = cell;
  if (cell.lists != 0) {
    copy.lists = 0;
    const Lists original = lists_[cell.lists - 1];
    lists(copy) = original;
  }
  return copy;
}

void RaceDetector::drop(Cell& cell) { drop_lists(cell); }

RaceDetector::Lists& RaceDetector::lists(Cell& cell) {
  if (cell.lists == 0) {
    if (unused_lists_.empty()) {
      lists_.emplace_back();
      unused_lists_.push_back(static_cast<std::uint32_t>(lists_.size()));
    }
    cell.lists = unused_lists_.back();
    unused_lists_.pop_back();
  }
  return lists_[cell.lists - 1];
}

void RaceDetector::drop_lists(Cell& cell) {
  if (cell.lists == 0) return;
  Lists& lists = lists_[cell.lists - 1];
  lists.reads.clear();
  lists.atomic_reads.clear();
  lists.atomic_writes.clear();
  unused_lists_.push_back(cell.lists);
  cell.lists = 0;
}

const RaceDetector::Access* RaceDetector::unknown(const std::vector<Access>& list,
                                                  const Now& now) const {
  const Access* latest = nullptr;
  for (const Access& access : list)
    if (!now.clock.knows(access.epoch)) latest = &access;
  return latest;
}

// What happens before the new access need not be kept: whoever knows the new one knows it.
void RaceDetector::insert(std::vector<Access>& list, const Now& now) {
  std::erase_if(list, [&](const Access& old) { return now.clock.knows(old.epoch); });
  list.push_back(now.access);
}

bool RaceDetector::races_with_write(Cell& cell, const Now& now) {
  if (!now.clock.knows(cell.write))
    return report(cell, now, {cell.write, cell.write_point, cell.write_step});
  if (now.atomic || cell.lists == 0) return false;
  const Access* found = unknown(lists_[cell.lists - 1].atomic_writes, now);
  return found != nullptr && report(cell, now, *found);
}

bool RaceDetector::races_with_read(Cell& cell, const Now& now) {
  if (!now.clock.knows(cell.read))
    return report(cell, now, {cell.read, cell.read_point, cell.read_step});
  if (cell.lists == 0) return false;
  const Lists& lists = lists_[cell.lists - 1];
  const Access* found = unknown(lists.reads, now);
  if (found == nullptr && !now.atomic) found = unknown(lists.atomic_reads, now);
  return found != nullptr && report(cell, now, *found);
}

void RaceDetector::read(Cell& cell, const Now& now) {
  if (cell.raced || (cell.read == now.access.epoch)) return;
  if (races_with_write(cell, now)) return;
  if (cell.lists != 0 && !lists_[cell.lists - 1].reads.empty()) {
    std::vector<Access>& reads = lists_[cell.lists - 1].reads;
    for (const Access& access : reads)
      if (access.epoch == now.access.epoch) return;
    insert(reads, now);
    return;
  }
  if (!now.clock.knows(cell.read)) {  // concurrent reads: from an epoch to a list
    std::vector<Access>& reads = lists(cell).reads;
    reads.push_back({cell.read, cell.read_point, cell.read_step});
    reads.push_back(now.access);
    cell.read = Epoch{};
    return;
  }
  cell.read = now.access.epoch;
  cell.read_point = now.access.point;
  cell.read_step = now.access.step;
}

void RaceDetector::write(Cell& cell, const Now& now) {
  if (cell.raced || cell.write == now.access.epoch) return;
  if (races_with_write(cell, now) || races_with_read(cell, now)) return;
  // Everything before happens before this write: it alone need be known.
  cell.write = now.access.epoch;
  cell.write_point = now.access.point;
  cell.write_step = now.access.step;
  cell.read = Epoch{};
  drop_lists(cell);
}

void RaceDetector::atomic(Cell& cell, const Now& now, bool writes) {
  if (cell.raced || races_with_write(cell, now)) return;
  if (writes && races_with_read(cell, now)) return;
  Lists& all = lists(cell);
  if (meets_volatile_) report_volatile(all, now, writes);
  std::vector<Access>& list = writes ? all.atomic_writes : all.atomic_reads;
  insert(list, now);
}

// Each pair of places once: a loop that polls would report without end.
void RaceDetector::report_volatile(const Lists& lists, const Now& now, bool writes) {
  const auto look_in = [&](const std::vector<Access>& list) {
    for (const Access& earlier : list) {
      if (now.clock.knows(earlier.epoch)) continue;
      const Event first =
          state_.recall(earlier.point, segment_, whole_step(earlier.step, now.event.step));
      if (!now.is_volatile && !raddle::is_volatile(first, state_)) continue;
      if (!volatile_.insert(mix(raw(first.site), raw(now.event.site))).second) continue;
      if (all_races != nullptr) all_races->push_back({first, now.event, segment_, segment_bytes_});
      describe(now, earlier, segment_, true);
    }
  };
  look_in(lists.atomic_writes);
  if (writes) look_in(lists.atomic_reads);
}

void RaceDetector::access(const Event& event, Manner manner) {
  const Extent extent = extent_of(event);
  if (extent.bytes == 0) return;
  const ThreadIndex thread = state_.index(event.thread);
  const VectorClock& clock = order_.clock(thread);
  const Now now{
      event, clock,
      Access{order_.epoch(thread), state_.point(event), static_cast<std::uint32_t>(event.step)},
      is_atomic(event.kind) || manner.is_volatile, manner.is_volatile};
  meets_volatile_ |= manner.is_volatile;
  reported_ = false;
  shadow_.access(extent.address, extent.bytes,
                 [&](Cell& cell, std::uint64_t address, unsigned bytes) {
                   segment_ = address;
                   segment_bytes_ = bytes;
                   if (now.atomic) {
                     atomic(cell, now, manner.writes);
                   } else if (manner.writes) {
                     write(cell, now);
                   } else {
                     read(cell, now);
                   }
                 });
}

void RaceDetector::free_own(const Event& event) {
  const ThreadIndex thread = state_.index(event.thread);
  const Now now{
      event, order_.clock(thread),
      Access{order_.epoch(thread), state_.point(event), static_cast<std::uint32_t>(event.step)}};
  reported_ = false;
  shadow_.each(event.object, event.value, [&](Cell& cell, std::uint64_t address, unsigned bytes) {
    segment_ = address;
    segment_bytes_ = bytes;
    if (!cell.raced && !races_with_write(cell, now)) races_with_read(cell, now);
  });
  renew(event);  // what comes after it is a use after free, not a race
}

void RaceDetector::renew(const Event& event) { shadow_.forget(event.object, event.value); }

bool RaceDetector::report(Cell& cell, const Now& now, Access earlier) {
  cell.raced = true;
  drop_lists(cell);
  if (all_races != nullptr) {
    const std::uint64_t step = whole_step(earlier.step, now.event.step);
    all_races->push_back(
        {state_.recall(earlier.point, segment_, step), now.event, segment_, segment_bytes_});
  }
  // An access that races on several segments is one race.
  if (!reported_) describe(now, earlier, segment_, false);
  reported_ = true;
  return true;
}

namespace {

FindingRole verb(EventKind kind) {
  if (kind == EventKind::free) return FindingRole::frees;
  if (kind == EventKind::atomic_load) return FindingRole::atomically_reads;
  if (is_atomic(kind)) return FindingRole::atomically_writes;
  return writes(kind) ? FindingRole::writes : FindingRole::reads;
}

// A lock that both hold for reading; "" for none. One that is called by its place may be two.
std::string held_for_reading(const FindingStep& one, const FindingStep& other) {
  for (const std::string& lock : one.locks) {
    const bool by_place = lock.starts_with("the lock ") || lock.starts_with("a lock ");
    const bool both = std::find(other.locks.begin(), other.locks.end(), lock) != other.locks.end();
    if (lock.ends_with(kForReading) && both && !by_place)
      return lock.substr(0, lock.size() - std::string_view(kForReading).size());
  }
  return {};
}

}  // namespace

void RaceDetector::describe(const Now& now, const Access& earlier, std::uint64_t address,
                            bool both_atomic) {
  const std::uint64_t a = state_.stable(earlier.point), b = state_.stable(now.event.site);
  // The same two places race, whichever comes first.
  const std::uint64_t place =
      mix(mix(std::uint64_t(FindingKind::race) + 1, std::min(a, b)), std::max(a, b));
  if (findings_.count(place)) return;
  Finding finding;
  finding.kind = FindingKind::race;
  // It happened; unless something that was not seen orders it, or it is meant so.
  finding.level =
      state_.unseen().empty() && !both_atomic ? FindingLevel::kConfirmed : FindingLevel::kCandidate;
  finding.meant_as_atomic = both_atomic;
  finding.place = place;
  const std::uint64_t step = whole_step(earlier.step, now.event.step);
  const Event first = state_.recall(earlier.point, address, step);
  finding.steps.push_back(state_.step(earlier.point, address, step, verb(first.kind)));
  finding.steps.push_back(state_.step(now.event, verb(now.event.kind)));
  finding.object = finding.steps[1].object;
  const bool frees = now.event.kind == EventKind::free;
  if (frees) {  // the block had its name until now
    const std::string field = state_.field(first.site);
    finding.object = finding.steps[1].object = state_.freed_name(now.event);
    finding.steps[0].object = field.empty() ? finding.object : field;
  }
  finding.what = fmt::format(
      "{} {} {} while {} {} it: nothing {}orders the two{}", state_.thread_name(now.event.thread),
      finding_role_text(verb(now.event.kind)), finding.object, state_.thread_name(first.thread),
      finding_role_text(verb(first.kind)), state_.unseen().empty() ? "" : "that was seen ",
      frees ? "" : " accesses");
  finding.maybe_ordered_by = state_.unseen();
  finding.why =
      frees ? "What is not ordered before the free may come after it, and use memory that is "
              "somebody else's by then: in C and C++ the program's behaviour is undefined."
            : "Two unordered accesses of which one writes are a data race: in C and C++ the "
              "program's behaviour is undefined.";
  for (const FindingStep& step : finding.steps) {
    const std::string way = way_to(state_.site(step.event.site), step.stack, state_);
    if (way.empty()) continue;
    finding.why += fmt::format(" {} {} it in {}.", state_.thread_name(step.event.thread),
                               finding_role_text(step.role), way);
  }
  const std::string lock = held_for_reading(finding.steps[0], finding.steps[1]);
  if (!lock.empty()) {
    const Event& write = frees || writes(now.event.kind) ? now.event : first;
    finding.why += fmt::format(
        " Both threads hold {} for reading only, which does not keep the other one out: {} {}, "
        "and must hold it for writing.",
        lock, state_.thread_name(write.thread), frees ? "frees it" : "writes");
  }
  findings_.add(std::move(finding));
}

std::unique_ptr<Detector> make_race_detector(ExecutionState& state, const AnalysisOptions&) {
  return std::make_unique<RaceDetector>(state);
}

}  // namespace raddle
