#include "host/explore/candidates.hpp"

#include <algorithm>

#include "protocol/turns/looking_on.hpp"

namespace raddle {

namespace {

void add_threads(std::span<const Pending> enabled, const IdleFairness& turns, ThreadId last,
                 std::vector<Branch>& out) {
  bool could_go_on = false;
  for (const Pending& p : enabled) {
    Branch& b = out.emplace_back();
    b.pending = p;
    b.has_turn = turns.has_turn(p);
    b.looks_on = !b.has_turn && may_look_on(p.op) && turns.repeats(p.thread) < kEndlessLooks;
    could_go_on |= p.thread == last && !is_idle_op(p.op);
  }
  for (Branch& b : out) b.preempts = could_go_on && b.pending.thread != last;
  std::sort(out.begin(), out.end(), [](const Branch& a, const Branch& b) {
    return raw(a.pending.thread) < raw(b.pending.thread);
  });
}

}  // namespace

void find_candidates(const Explored& execution, std::uint32_t step, const IdleFairness& turns,
                     ThreadId last, std::vector<Branch>& out) {
  out.clear();
  const StepRecord& record = execution.log[step];
  if (record.op == OpKind::value_choice) {
    const auto count = std::min<std::uint32_t>(raw(record.object), 255);
    for (std::uint32_t value = 0; value < count; ++value) {
      Branch& b = out.emplace_back();
      b.pending = {record.thread, OpKind::value_choice, StepOutcome::kReady, record.object, 0, 0};
      b.value = static_cast<std::uint8_t>(value);
    }
    return;
  }
  add_threads(execution.enabled(step), turns, last, out);
}

void find_candidates_at_end(const Explored& execution, const IdleFairness& turns, ThreadId last,
                            std::vector<Branch>& out) {
  out.clear();
  add_threads(execution.at_end().first(execution.enabled_at_end), turns, last, out);
}

}  // namespace raddle
