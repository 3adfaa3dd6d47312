#include "host/campaign/harm/harm_looks.hpp"

#include <algorithm>
#include <utility>

namespace raddle {
namespace {

constexpr Clock::duration kLeastTime = std::chrono::milliseconds(200);  // of an execution
constexpr Clock::duration kLeastBudget = std::chrono::seconds(1);
constexpr int kPercent = 30;  // of the time so far

Clock::duration duration_of(const Execution& execution) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(execution.seconds));
}

}  // namespace

bool HarmLooks::has_time() const {
  const Clock::duration spent{spent_.load()};
  return !began_ || spent < kLeastBudget || spent < (Clock::now() - *began_) * kPercent / 100;
}

HarmChecked HarmLooks::look(Worker& worker, const Finding& finding, const Execution& execution,
                            const RunOptions& running, const Plan& plan, const AimList& aims) {
  HarmChecked none;
  none.harm.why_not = "there was no time to look for it";
  if (!has_time()) return none;
  // One that takes much longer than the first did goes another way: it polls, or waits.
  RunOptions limited = running;
  if (began_)
    limited.timeout = std::min(limited.timeout, std::max(kLeastTime, 10 * duration_of(execution)));
  const Clock::time_point begin = Clock::now();
  Result<HarmChecked> checked = check_harm(worker, finding, execution, limited);
  spent_ += (Clock::now() - begin).count();
  if (!checked) return {};
  if (!checked->harm.found && !checked->serial.empty()) {
    RunOptions writing = running;
    writing.aims = aims;
    compare_output(worker, *checked, plan, writing);
  }
  return std::move(*checked);
}

void HarmLooks::compare_output(Worker& worker, HarmChecked& checked, const Plan& plan,
                               const RunOptions& running) {
  const std::lock_guard lock(mutex_);
  if (!written_) {
    Result<WrittenSerially> learned = WrittenSerially::learn(worker, plan, running);
    if (!learned) return;
    written_ = std::move(*learned);
  }
  written_->differs(checked.interleaved, checked.serial, checked.harm);
}

}  // namespace raddle
