// Each enabled thread in turn, by thread number. The seed is the length of a turn in steps (0 means
// 1), so that consecutive seeds give different, predictable schedules.
//
// Every 64th turn is some steps longer, and giving way does not end it. Otherwise threads that back
// off from each other in lockstep, as in std::lock, would do so for ever.
#include <new>

#include "protocol/generator.hpp"
#include "target/strategy/table.hpp"

namespace raddle {
namespace {

class RoundRobin final : public Strategy {
 public:
  explicit RoundRobin(std::uint64_t turn) : turn_(turn == 0 ? 1 : turn) {}

  std::size_t choose(const View& view) override {
    std::size_t same = view.enabled.size();
    std::size_t next = 0;    // the enabled thread with the smallest number above last_
    std::size_t lowest = 0;  // the enabled thread with the smallest number, if `next` is not found
    bool found = false;
    for (std::size_t i = 0; i < view.enabled.size(); ++i) {
      ThreadId id = view.enabled[i]->thread;
      if (id == last_) same = i;
      if (raw(id) < raw(view.enabled[lowest]->thread)) lowest = i;
      if (raw(id) > raw(last_) && (!found || raw(id) < raw(view.enabled[next]->thread))) {
        next = i;
        found = true;
      }
    }
    // A thread that gives way ends its turn: a turn of yields would starve the others.
    bool gives_way =
        same != view.enabled.size() && is_idle_op(view.enabled[same]->op) && extra_ == 0;
    if (same != view.enabled.size() && used_ < turn_ + extra_ && !gives_way) {
      ++used_;
      return same;
    }
    std::size_t chosen = found ? next : lowest;
    last_ = view.enabled[chosen]->thread;
    used_ = 1;
    extra_ = ++turns_ % kLongTurn == 0 ? 1 + generator_.below(16) : 0;
    return chosen;
  }

  std::uint32_t choose_value(ThreadId, std::uint32_t) override { return 0; }

 private:
  static constexpr std::uint64_t kLongTurn = 64;

  std::uint64_t turn_;
  std::uint64_t used_ = 0;
  std::uint64_t turns_ = 0;
  std::uint64_t extra_ = 0;
  Generator generator_{0};
  ThreadId last_ = kMainThread;
};

}  // namespace

Strategy* make_round_robin(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(RoundRobin))) RoundRobin(plan.seed);
}

}  // namespace raddle
