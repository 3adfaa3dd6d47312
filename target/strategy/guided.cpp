#include "target/strategy/guided.hpp"

#include <new>

namespace raddle {
namespace {

constexpr std::size_t kThreads = 0x10000;

struct Progress {
  std::uint64_t steps;     // number of steps so far
  std::uint64_t last_run;  // 0: never
  std::uint64_t values;    // index into the guide: where the search for its next value begins
};

class Guided final : public Strategy {
 public:
  Guided(std::span<const StepRecord> guide, Progress* threads) : guide_(guide), threads_(threads) {}

  std::size_t choose(const View& view) override {
    std::size_t chosen = by_turn(view);
    if (chosen == view.enabled.size()) chosen = by_default(view);
    const ThreadId thread = view.enabled[chosen]->thread;
    in_a_row_ = thread == last_ ? in_a_row_ + 1 : 1;
    last_ = thread;
    Progress& progress = threads_[raw(thread)];
    ++progress.steps;
    progress.last_run = ++now_;
    return chosen;
  }

  std::uint32_t choose_value(ThreadId thread, std::uint32_t count) override {
    std::uint64_t& at = threads_[raw(thread)].values;
    while (at < guide_.size()) {
      const StepRecord& record = guide_[at++];
      if (record.op != OpKind::value_choice || record.thread != thread) continue;
      return record.outcome < count ? record.outcome : 0;
    }
    return 0;
  }

 private:
  // A thread that runs for so long, and neither waits nor gives way, may be polling for something
  // that another thread has to do.
  static constexpr std::uint64_t kPatience = 10'000;

  // Index of the thread whose turn it is; the number of enabled threads if no turn is left.
  std::size_t by_turn(const View& view) {
    for (; turn_ < guide_.size(); ++turn_) {
      const StepRecord& turn = guide_[turn_];
      if (turn.op == OpKind::value_choice || threads_[raw(turn.thread)].steps >= turn.site) {
        continue;
      }
      for (std::size_t i = 0; i < view.enabled.size(); ++i) {
        if (view.enabled[i]->thread == turn.thread) return i;
      }
    }
    return view.enabled.size();
  }

  std::size_t by_default(const View& view) const {
    const bool patient = in_a_row_ < kPatience;
    std::size_t best = 0;
    for (std::size_t i = 0; i < view.enabled.size(); ++i) {
      const Pending& pending = *view.enabled[i];
      if (patient && pending.thread == last_ && !waits(pending)) return i;
      if (before(pending, *view.enabled[best], patient)) best = i;
    }
    return best;
  }

  // The thread gives way, or can move only because a deadline may come at any time (adversarial
  // clock).
  static bool waits(const Pending& pending) {
    return is_idle_op(pending.op) || pending.outcome == StepOutcome::kTimeout;
  }

  bool before(const Pending& a, const Pending& b, bool patient) const {
    if (patient && waits(a) != waits(b)) return waits(b);
    const Progress& of_a = threads_[raw(a.thread)];
    const Progress& of_b = threads_[raw(b.thread)];
    if (of_a.last_run != of_b.last_run) return of_a.last_run < of_b.last_run;
    return raw(a.thread) < raw(b.thread);
  }

  std::span<const StepRecord> guide_;
  Progress* threads_;     // by thread
  std::size_t turn_ = 0;  // all turns before it are over
  ThreadId last_ = kMainThread;
  std::uint64_t in_a_row_ = 0;  // steps of last_ since another thread ran
  std::uint64_t now_ = 0;
};

}  // namespace

Strategy* make_guided(std::span<const StepRecord> guide, Allocate allocate) {
  auto* threads = static_cast<Progress*>(allocate(kThreads * sizeof(Progress)));
  return new (allocate(sizeof(Guided))) Guided(guide, threads);
}

Strategy* make_non_preemptive(const Plan&, Allocate allocate) { return make_guided({}, allocate); }

}  // namespace raddle
