#include "host/campaign/confirm/deadlock_of.hpp"

#include <algorithm>
#include <vector>

#include "host/process/aim_places.hpp"

namespace raddle {
namespace {

using Waiting = std::vector<const ThreadReport*>;

// Those of the cycle; if there is none, all that are blocked.
Waiting waiting_in(const Report& report) {
  const std::size_t known = std::min<std::size_t>(report.threads, kMaxReportThreads);
  const std::size_t length = std::min<std::size_t>(report.cycle_length, std::size(report.cycle));
  Waiting waiting;
  for (std::size_t i = 0; i < known; ++i) {
    const ThreadReport& one = report.thread_table[i];
    const ThreadId* end = report.cycle + length;
    const bool in_cycle = std::find(report.cycle, end, one.id) != end;
    if (in_cycle || (length == 0 && one.state == ThreadState::kBlocked)) waiting.push_back(&one);
  }
  return waiting;
}

bool is_at(const ThreadReport& thread, const PlanAim& place, const std::string& maps) {
  const std::size_t frames = std::min<std::size_t>(thread.stack.frames, kMaxFrames);
  return std::any_of(thread.stack.pc, thread.stack.pc + frames, [&](std::uint64_t pc) {
    const PlanAim here = aim_at(pc, maps);
    return here.module == place.module && here.offset == place.offset;
  });
}

// Each place has a thread of its own.
bool assign(const std::vector<PlanAim>& places, std::size_t next, Waiting& free,
            const std::string& maps) {
  if (next == places.size()) return true;
  for (const ThreadReport*& slot : free) {
    if (slot == nullptr || !is_at(*slot, places[next], maps)) continue;
    const ThreadReport* const taken = slot;
    slot = nullptr;
    if (assign(places, next + 1, free, maps)) return true;
    slot = taken;
  }
  return false;
}

}  // namespace

bool is_deadlock_of(const Candidate& candidate, const Execution& execution) {
  if (execution.kind != OutcomeKind::kDeadlock || !execution.report) return false;
  Waiting waiting = waiting_in(*execution.report);
  const bool cycle = execution.report->cycle_length != 0;
  if (cycle && waiting.size() != candidate.steps.size()) return false;
  return assign(candidate.steps, 0, waiting, execution.maps);
}

}  // namespace raddle
