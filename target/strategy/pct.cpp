// PCT: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic
// Guarantees of Finding Bugs" (ASPLOS 2010). Each thread gets a random priority above d, and the
// enabled thread with the highest priority runs. There are d-1 change points at random steps. At a
// change point, the priority of the thread that is about to run drops to the value that belongs to
// the change point, which is at most d.
//
// Deviations:
// - PCT does not know the number of threads beforehand. It draws the priority of a new thread when
//   the thread comes into being, which gives every order of the threads the same probability.
// - The plan estimates the length of the execution, and change points are drawn from that range. An
//   execution that turns out longer has no change points in the rest.
// - A thread that yields or spins drops below all others, and so does one that runs kPatience steps
//   in a row while others are enabled. The paper's programs wait with blocking operations only.
//   Here a thread of high priority that polls would run for ever.
#include <new>

#include "protocol/generator.hpp"
#include "target/strategy/table.hpp"

namespace raddle {
namespace {

class Pct final : public Strategy {
 public:
  Pct(const Plan& plan, std::uint64_t* change_steps, std::int64_t* priorities)
      : generator_(plan.seed),
        depth_(plan.pct_depth == 0 ? 1 : plan.pct_depth),
        change_steps_(change_steps),
        priorities_(priorities) {
    std::uint64_t length = plan.pct_steps == 0 ? 1 : plan.pct_steps;
    for (std::uint32_t i = 0; i + 1 < depth_; ++i) change_steps_[i] = generator_.below(length) + 1;
    on_create(kMainThread);
  }

  void on_create(ThreadId id) override {
    // 62 random bits make a tie unlikely. In a tie the thread at the lower index wins.
    priorities_[raw(id)] = static_cast<std::int64_t>((generator_.next() >> 2) | kInitial);
  }

  std::size_t choose(const View& view) override {
    std::size_t best = highest(view);
    ++step_;
    for (std::uint32_t i = 0; i + 1 < depth_; ++i) {
      if (change_steps_[i] != step_) continue;
      priorities_[raw(view.enabled[best]->thread)] = static_cast<std::int64_t>(depth_ - i);
      best = highest(view);
    }
    if (view.enabled.size() > 1 && (is_idle_op(view.enabled[best]->op) || ran_long(view, best))) {
      priorities_[raw(view.enabled[best]->thread)] = --lowest_;
      best = highest(view);
    }
    return best;
  }

  std::uint32_t choose_value(ThreadId, std::uint32_t count) override {
    return static_cast<std::uint32_t>(generator_.below(count));
  }

 private:
  static constexpr std::uint64_t kInitial =
      1ULL << 62;  // every initial priority is above all change points

  static constexpr std::uint64_t kPatience = 10'000;

  bool ran_long(const View& view, std::size_t chosen) {
    ThreadId thread = view.enabled[chosen]->thread;
    in_a_row_ = thread == last_ ? in_a_row_ + 1 : 0;
    last_ = thread;
    return in_a_row_ > kPatience;
  }

  std::size_t highest(const View& view) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < view.enabled.size(); ++i) {
      if (priorities_[raw(view.enabled[i]->thread)] >
          priorities_[raw(view.enabled[best]->thread)]) {
        best = i;
      }
    }
    return best;
  }

  Generator generator_;
  std::uint32_t depth_;
  std::uint64_t step_ = 0;
  std::int64_t lowest_ = 0;
  ThreadId last_ = kMainThread;
  std::uint64_t in_a_row_ = 0;   // steps of last_ while others were enabled
  std::uint64_t* change_steps_;  // depth_ - 1 of them
  std::int64_t* priorities_;     // by thread
};

}  // namespace

Strategy* make_pct(const Plan& plan, Allocate allocate) {
  auto* changes =
      static_cast<std::uint64_t*>(allocate((plan.pct_depth + 1) * sizeof(std::uint64_t)));
  auto* priorities = static_cast<std::int64_t*>(allocate(0x10000 * sizeof(std::int64_t)));
  return new (allocate(sizeof(Pct))) Pct(plan, changes, priorities);
}

}  // namespace raddle
