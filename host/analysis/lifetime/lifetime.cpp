#include "host/analysis/lifetime/lifetime.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/shadow/extent.hpp"
#include "host/symbols/member_names.hpp"

namespace raddle {
namespace {

// glibc maps those of 128 KB one by one (M_MMAP_THRESHOLD), and unmaps them when they are freed.
// That counts its own header, and what alignment takes.
constexpr std::uint64_t kLargeBlock = 64 * 1024;
// What is unmapped begins with a page; blocks hardly ever do.
constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kMostNames = 200'000;

// The most that glibc gives to who asks for so much: all of it may be used (malloc_usable_size). It
// rounds up, and leaves no rest that is too small for a block.
std::uint64_t usable(std::uint64_t bytes) {
  constexpr std::uint64_t kHeader = 8, kAlignment = 16, kLeast = 24, kRest = 16;
  if (bytes > kMostRange) return bytes;
  const std::uint64_t all = (bytes + kHeader + kAlignment - 1) / kAlignment * kAlignment - kHeader;
  return std::max(kLeast, all) + kRest;
}

bool is_write(const Event& event) {
  return writes(event.kind) || event.kind == EventKind::atomic_store ||
         event.kind == EventKind::atomic_update ||
         (event.kind == EventKind::atomic_compare && (event.flags & kSuccess) != 0);
}

FindingRole role_of(const Event& event) {
  return is_write(event) ? FindingRole::writes : FindingRole::reads;
}

}  // namespace

std::uint64_t place_of_use(const ExecutionState& state, SiteId free, SiteId use) {
  return mix(mix(std::uint64_t(FindingKind::use_after_free) + 1, state.stable(free)),
             state.stable(use));
}

void LifetimeDetector::on_event(const Event& event) {
  switch (event.kind) {
    case EventKind::allocate:
      return allocate(event);
    case EventKind::free:
      return free(event);
    case EventKind::local:
      return freed_.forget(event.object, event.value);
    default:
      if (is_access(event.kind) || (is_atomic(event.kind) && event.kind != EventKind::fence))
        access(event);
  }
}

void LifetimeDetector::allocate(const Event& event) {
  blocks_[event.object] = event.value;
  freed_.forget(event.object, usable(event.value));
}

void LifetimeDetector::free(const Event& event) {
  const auto block = blocks_.find(event.object);
  const bool known = block != blocks_.end();
  if (!known && event.object % kPage == 0) return freed_.forget(event.object, event.value);
  const std::uint64_t bytes = known ? block->second : event.value;
  if (known) blocks_.erase(block);
  if (!known) freed_again(event);
  if (bytes == 0 || bytes >= kLargeBlock) return;
  Cell cell{state_.point(event), static_cast<std::uint32_t>(event.step), 0};
  if (names_.size() < kMostNames) {
    names_.push_back(state_.freed_name(event));
    cell.name = static_cast<std::uint32_t>(names_.size());
  }
  freed_.access(event.object, bytes, [&](Cell& one, std::uint64_t, unsigned) { one = cell; });
}

void LifetimeDetector::access(const Event& event) {
  const Extent extent = extent_of(event);
  Cell found;
  freed_.each(extent.address, extent.bytes, [&](const Cell& cell, std::uint64_t, unsigned) {
    if (found.point == kNoPoint) found = cell;
  });
  if (found.point == kNoPoint) return;
  if (all_uses != nullptr) all_uses->push_back({whole_step(found.step, event.step), event.step});
  describe(event, found);
}

// A block that nobody has: freed before, and not allocated again. By the same step it is one and
// the same free, which two layers of the allocator tell of.
void LifetimeDetector::freed_again(const Event& event) {
  Cell found;
  freed_.each(event.object, 1, [&](const Cell& cell, std::uint64_t, unsigned) { found = cell; });
  if (found.point == kNoPoint) return;
  const std::uint64_t step = whole_step(found.step, event.step);
  const bool itself =
      step == event.step && state_.recall(found.point, event.object, step).thread == event.thread;
  if (!itself) describe(event, found);
}

void LifetimeDetector::describe(const Event& event, const Cell& freed) {
  const std::uint64_t place =
      place_of_use(state_, state_.recall(freed.point, 0, 0).site, event.site);
  if (findings_.count(place)) return;
  Finding finding;
  finding.kind = FindingKind::use_after_free;
  finding.level = FindingLevel::kConfirmed;
  finding.place = place;
  const std::uint64_t step = whole_step(freed.step, event.step);
  const Event given_up = state_.recall(freed.point, event.object, step);
  finding.steps.push_back(state_.step(freed.point, event.object, step, FindingRole::frees));
  const FindingRole role = event.kind == EventKind::free ? FindingRole::frees : role_of(event);
  finding.steps.push_back(state_.step(event, role));
  finding.object = freed.name == 0 ? "a block" : names_[freed.name - 1];
  const bool of_library = is_library_member(state_.site(event.site).field);
  const std::string field = of_library ? std::string() : state_.field(event.site);
  finding.steps[0].object = finding.object;
  finding.steps[1].object = field.empty() ? finding.object : field;
  const bool same = given_up.thread == event.thread;
  finding.what =
      fmt::format("{} {} {}{} after {} freed it", state_.thread_name(event.thread),
                  finding_role_text(role), field.empty() ? std::string() : field + " of ",
                  finding.object, same ? std::string("it") : state_.thread_name(given_up.thread));
  finding.why =
      "Freed memory belongs to the allocator, and soon to somebody else: in C and C++ the "
      "program's behaviour is undefined.";
  findings_.add(std::move(finding));
}

std::unique_ptr<Detector> make_lifetime_detector(ExecutionState& state, const AnalysisOptions&) {
  return std::make_unique<LifetimeDetector>(state);
}

}  // namespace raddle
