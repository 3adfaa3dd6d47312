// POS: Yuan, Yang, Gu, "Partial Order Aware Concurrency Sampling" (CAV 2018). Every pending
// operation has a random priority, and the enabled operation with the highest one runs. Then POS
// draws new priorities for that thread's next operation and for all pending operations that
// conflict with the executed one. Two operations conflict if they race in the paper's sense: they
// use the same object, and at least one is no reader.
//
// Deviations. A blocked operation has no priority, because it would not matter; it gets one when it
// becomes enabled. A thread that gives way renews all priorities, because two such threads could
// starve a third.
#include <new>

#include "protocol/dependence.hpp"
#include "protocol/generator.hpp"
#include "target/strategy/table.hpp"

namespace raddle {
namespace {

class Pos final : public Strategy {
 public:
  Pos(std::uint64_t seed, std::uint64_t* priorities) : generator_(seed), priorities_(priorities) {}

  std::size_t choose(const View& view) override {
    std::size_t best = 0;
    for (std::size_t i = 0; i < view.enabled.size(); ++i) {
      std::uint64_t& priority = priorities_[raw(view.enabled[i]->thread)];
      if (priority == 0) priority = generator_.next() | 1;
      if (priority > priorities_[raw(view.enabled[best]->thread)]) best = i;
    }
    const Pending& chosen = *view.enabled[best];
    for (const Pending* other : view.enabled) {
      if (dependent(chosen, *other) || is_idle_op(chosen.op)) priorities_[raw(other->thread)] = 0;
    }
    return best;
  }

  std::uint32_t choose_value(ThreadId, std::uint32_t count) override {
    return static_cast<std::uint32_t>(generator_.below(count));
  }

 private:
  Generator generator_;
  std::uint64_t* priorities_;  // by thread; 0: not drawn yet
};

}  // namespace

Strategy* make_pos(const Plan& plan, Allocate allocate) {
  auto* priorities = static_cast<std::uint64_t*>(allocate(0x10000 * sizeof(std::uint64_t)));
  return new (allocate(sizeof(Pos))) Pos(plan.seed, priorities);
}

}  // namespace raddle
