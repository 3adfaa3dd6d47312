#include "target/snapshot/points.hpp"

#include <string.h>

#include <new>

namespace raddle {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::int64_t kMostBalance = 4 * Points::kMost * std::int64_t{kPointGap};
constexpr std::int64_t kTrials = 16;  // a point for every so many executions is tried all the same

}  // namespace

// The largest of 0, gap, 2 gap, 4 gap, ... that is not above `most`.
std::uint64_t Points::doubled_gap(std::uint64_t most) const {
  if (most < gap_) return 0;
  std::uint64_t gap = gap_;
  while (gap <= most / 2) gap *= 2;
  return gap;
}

Points* Points::make(std::size_t capacity) {
  constexpr std::size_t kTables = std::size_t{kMost} * kMostPages * sizeof(std::uint32_t);
  const std::size_t list = (capacity + 1) * sizeof(std::uint32_t);
  OwnMemory memory;
  const std::size_t all = sizeof(Points) + kTables + 2 * list + (capacity + 8) * kPage;
  if (!memory.map(kPointMemory, all / kPage * kPage)) return nullptr;
  auto* points = ::new (memory.allocate(sizeof(Points))) Points;
  points->capacity_ = std::uint32_t(capacity);
  auto* tables = static_cast<std::uint32_t*>(memory.allocate(kTables));
  for (int i = 0; i < kMost; ++i)
    points->points_[i].versions = tables + std::size_t(i) * kMostPages;
  points->uses_ = static_cast<std::uint32_t*>(memory.allocate(list));
  points->free_ = static_cast<std::uint32_t*>(memory.allocate(list));
  points->pages_ = static_cast<char*>(memory.allocate((capacity + 1) * kPage));
  points->memory_ = memory;
  return points;
}

void Points::unmap() {
  OwnMemory memory = memory_;
  memory.unmap();
}

// Version 0 is the page of zeros, which nobody writes.
char* Points::contents(std::uint32_t version) const { return pages_ + version * kPage; }

std::uint32_t Points::store(const char* page) {
  if (free_count_ == 0 && used_ == capacity_) return 0;
  const std::uint32_t version = free_count_ > 0 ? free_[--free_count_] : ++used_;
  uses_[version] = 1;
  memcpy(contents(version), page, kPage);
  return version;
}

void Points::release(std::uint32_t version) {
  if (version != 0 && --uses_[version] == 0) free_[free_count_++] = version;
}

Point* Points::add(std::uint64_t step, const SavedPages& pages, const SharedRegion& region) {
  if (pages.hot_count() > kMostPages) return nullptr;
  if (count_ == kMost) drop_least_useful();
  Point& point = points_[count_];
  const Point* before = count_ > 0 ? &points_[count_ - 1] : nullptr;
  for (point.pages = 0; point.pages < pages.hot_count(); ++point.pages) {
    const SavedPages::HotPage& hot = pages.hot(point.pages);
    std::uint32_t version =
        before != nullptr && point.pages < before->pages ? before->versions[point.pages] : 0;
    const char* last = version != 0 || hot.contents == nullptr ? contents(version) : hot.contents;
    if (memcmp(hot.page, last, kPage) != 0) {
      version = store(hot.page);
    } else if (version != 0) {
      ++uses_[version];
    } else {
      point.versions[point.pages] = 0;
      continue;
    }
    if (version == 0) {  // no room
      for (std::uint32_t i = 0; i < point.pages; ++i) release(point.versions[i]);
      drop_least_useful();
      return nullptr;
    }
    point.versions[point.pages] = version;
  }
  point.step = step;
  point.switches = region.live.switches.load(std::memory_order_relaxed);
  point.preemptions = region.live.preemptions.load(std::memory_order_relaxed);
  point.threads = region.live.threads.load(std::memory_order_relaxed);
  point.enabled_used = region.enabled.used;
  point.enabled_stacks = region.enabled.stacks;
  point.timed_waits = region.uncontrolled.timed_waits.load(std::memory_order_relaxed);
  point.circumstances = region.circumstances;
  point.misuses = region.report.misuses;
  point.is_new = true;
  ++count_;
  balance_ -= cost();
  return &point;
}

void Points::put_back(const Point& point, const SavedPages& pages) const {
  for (std::uint32_t i = 0; i < pages.hot_count(); ++i) {
    const SavedPages::HotPage& hot = pages.hot(i);
    const std::uint32_t version = i < point.pages ? point.versions[i] : 0;
    memcpy(hot.page, version != 0 || hot.contents == nullptr ? contents(version) : hot.contents,
           kPage);
  }
}

void Points::put_back(const Point& point, SharedRegion& region) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  region.live.switches.store(point.switches, kRelaxed);
  region.live.preemptions.store(point.preemptions, kRelaxed);
  region.live.threads.store(point.threads, kRelaxed);
  region.enabled.used = point.enabled_used;
  region.enabled.stacks = point.enabled_stacks;
  region.uncontrolled.timed_waits.store(point.timed_waits, kRelaxed);
  region.circumstances = point.circumstances;
  region.report.misuses = point.misuses;
  region.live.steps.store(point.step, std::memory_order_release);
}

void Points::drop_to(int count) {
  while (count_ > count) drop(count_ - 1);
}

void Points::drop(int index) {
  for (std::uint32_t i = 0; i < points_[index].pages; ++i) release(points_[index].versions[i]);
  std::uint32_t* const versions = points_[index].versions;
  for (--count_; index < count_; ++index) points_[index] = points_[index + 1];
  points_[count_].versions = versions;
}

// The one whose neighbours are closest: an execution that misses it has the least to repeat.
void Points::drop_least_useful() {
  int least = -1;
  std::uint64_t distance = kNever;
  for (int i = 0; i + 1 < count_; ++i) {
    const std::uint64_t before = i > 0 ? points_[i - 1].step : 0;
    const std::uint64_t between = points_[i + 1].step - before;
    if (between >= distance) continue;
    distance = between;
    least = i;
  }
  if (least >= 0) drop(least);
}

// But for how many steps it follows, and who sleeps or looks on after those.
bool Points::is_same_plan(const SharedRegion& region) const {
  Plan plan = region.plan;
  plan.replay_steps = plan_.replay_steps;
  plan.asleep = plan_.asleep;
  plan.looks_on = plan_.looks_on;
  return memcmp(&plan, &plan_, sizeof(plan)) == 0 && plan.aims <= kMaxAims &&
         memcmp(region.aims, aims_, plan.aims * sizeof(AimSite)) == 0;
}

const Point* Points::point_for(SharedRegion& region) {
  if (count_ == 0) return nullptr;
  std::uint64_t common = 0;
  if (is_same_plan(region) && region.plan.replay_steps <= region.replay_capacity) {
    const StepRecord* wanted = region.replay_log();
    const StepRecord* executed = region.log();
    const std::uint64_t most =
        region.plan.replay_steps < steps_ ? region.plan.replay_steps : steps_;
    while (common < most && same_step(wanted[common], executed[common])) ++common;
  }
  int kept = count_;
  while (kept > 0 && points_[kept - 1].step > common) --kept;
  drop_to(kept);
  if (kept == 0) return nullptr;
  balance_ += std::int64_t(points_[kept - 1].step);
  if (balance_ > kMostBalance) balance_ = kMostBalance;
  return &points_[kept - 1];
}

void Points::begin(const SharedRegion& region) {
  plan_ = region.plan;
  if (plan_.aims <= kMaxAims) memcpy(aims_, region.aims, plan_.aims * sizeof(AimSite));
  steps_ = 0;
  if (region.restoring.point_gap != 0) gap_ = region.restoring.point_gap;
  balance_ += cost() / kTrials;
}

void Points::end(const SharedRegion& region, bool incomplete) {
  while (incomplete && count_ > 0 && points_[count_ - 1].is_new) drop(count_ - 1);
  for (int i = 0; i < count_; ++i) points_[i].is_new = false;
  steps_ = region.live.steps.load(std::memory_order_relaxed);
  if (region.enabled.redundant == 0) expected_ = steps_;
}

// The next execution differs from this one most likely in a step close to where this one's prefix
// ends, or, depth first, close to its own end. So the distances to the two are halved from point
// to point.
std::uint64_t Points::next_step(std::uint64_t step) const {
  if (balance_ < 0) return kNever;
  const std::uint64_t branch = plan_.replay_steps > 0 ? plan_.replay_steps - 1 : 0;
  std::uint64_t lowest = step + 1;
  if (count_ > 0 && lowest < points_[count_ - 1].step + gap_)
    lowest = points_[count_ - 1].step + gap_;
  if (lowest < gap_) lowest = gap_;
  if (lowest <= branch) return branch - doubled_gap(branch - lowest);
  if (lowest + gap_ > expected_) return kNever;
  return expected_ - doubled_gap(expected_ - lowest);
}

}  // namespace raddle
