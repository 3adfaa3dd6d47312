#include "trace/trace_model.hpp"

namespace raddle {

void TraceModel::learn_rest(const Event& e, SiteModel& s, ThreadModel& t) {
  s.value2 = e.kind == EventKind::atomic_update ? e.value2 - e.value : e.value2;

  if (t.learn_at != ThreadModel::kNoSlot) {
    contexts[t.learn_at] = e.context;
    t.learn_at = ThreadModel::kNoSlot;
  }
  std::uint64_t next = e.context;
  if (e.kind == EventKind::enter) {
    const std::uint64_t slot = context_slot(t, raw(e.site));
    t.frames[t.top++ % ThreadModel::kFrames] = {t.context, e.object};
    enter_has_callee = e.context != t.context;
    if (enter_has_callee) {
      contexts[slot] = e.context;
    } else {
      next = contexts[slot];
      t.learn_at = slot;
    }
  } else if (e.kind == EventKind::exit) {
    const std::uint64_t caller = frame(t).context;
    exit_has_caller = e.context == caller && e.context != t.context;
    next = caller;
    --t.top;
  }
  t.context = next;

  const bool decision = e.kind == EventKind::decision;
  if (decision) {
    step_to_decision[after_decision] = e.step - last_step;
  } else if (after_decision) {
    step_after_decision = e.step - last_step;
  }
  last_step = e.step;
  step = e.step + (decision ? step_after_decision : 0);
  after_decision = decision;
  t.unusual = decision || t.learn_at != ThreadModel::kNoSlot;
}

}  // namespace raddle
