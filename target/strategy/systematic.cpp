// Completes an execution of an explorer after its prefix, without preemption. The thread that ran
// last goes on until it blocks, ends or only tries again (protocol/turns/idle_fairness.hpp). Then
// the enabled thread with the lowest number follows. Value choices are 0. So an execution differs
// from the one that it branched off by the explorer's choice, and by no other preemption.
//
// Sleep sets (Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems", 1996):
// this strategy does not choose a thread of Plan::asleep until another thread executes an operation
// that depends on the sleeper's. Other executions explore what the sleeper would do now. If only
// sleepers could move, the execution is redundant: choose() returns that there is none. Asked
// again, it takes everybody for awake.
//
// With Plan::looks_on the thread of the prefix's last step goes on first, for as long as it only
// looks again (protocol/turns/looking_on.hpp). If it does not give up, there is nobody to choose
// either.
//
// A thread that runs kPatience steps in a row, neither blocked nor idle, polls something that the
// runtime does not see. Then the other threads get a turn.
#include <new>
#include <optional>

#include "protocol/dependence.hpp"
#include "protocol/turns/looking_on.hpp"
#include "target/strategy/table.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kPatience = 10'000;

class Systematic final : public Strategy {
 public:
  Systematic(const Plan& plan, Allocate allocate)
      : asleep_(plan.asleep),
        allocate_(allocate),
        turns_(nullptr),
        looks_on_(plan.looks_on ? LooksOn::kFromHere : LooksOn::kNot) {
    make_room(kMainThread);
  }

  void on_create(ThreadId id) override { make_room(id); }

  std::size_t choose(const View& view) override {
    if (looks_on_ != LooksOn::kNot) {
      const std::optional<std::size_t> looker = look_on(view);
      if (looker) return *looker;
    }
    const std::size_t none = view.enabled.size();
    std::size_t best = none;
    std::size_t waiting = none;  // the awake thread without a turn that was idle longest
    bool sleeper = false;
    for (std::size_t i = 0; i < view.enabled.size(); ++i) {
      const Pending& p = *view.enabled[i];
      const bool turn = turns_.has_turn(p);
      if (asleep(p.thread)) {
        sleeper = true;
      } else if (turn) {
        if (best == none || better(p, *view.enabled[best], view.current)) best = i;
      } else if (waiting == none || longer_idle(p, *view.enabled[waiting])) {
        waiting = i;
      }
    }
    // Threads without a turn would change nothing before a sleeper moves.
    if (best == none && !sleeper) best = waiting;
    if (best == none) {
      asleep_ = 0;  // whoever asks again wants the execution to reach its end
      return none;
    }
    take(view, best);
    return best;
  }

  void on_followed(const View& view, std::size_t index) override { note(*view.enabled[index]); }

  std::uint32_t choose_value(ThreadId, std::uint32_t) override { return 0; }

  void go_on_for(const Plan& plan) override {
    asleep_ = plan.asleep;
    looks_on_ = plan.looks_on ? LooksOn::kFromHere : LooksOn::kNot;
    in_a_row_ = 0;
  }

 private:
  enum class LooksOn : std::uint8_t { kNot, kFromHere, kStill };

  // What to choose as long as a thread looks on: that thread, or nobody if it never gives up.
  std::optional<std::size_t> look_on(const View& view) {
    if (looks_on_ == LooksOn::kFromHere) loop_.start(last_op_, last_site_);
    looks_on_ = LooksOn::kStill;
    const std::size_t none = view.enabled.size();
    std::size_t looker = 0;
    while (looker < none && view.enabled[looker]->thread != view.current) ++looker;
    const Pending* pending = looker < none ? view.enabled[looker] : nullptr;
    switch (loop_.next(pending, turns_.repeats(view.current))) {
      case LookingOn::Next::kOver:
        break;
      case LookingOn::Next::kEndless:
        looks_on_ = LooksOn::kNot;
        asleep_ = 0;
        return none;
      case LookingOn::Next::kAnybody:
      case LookingOn::Next::kAlone:
        take(view, looker);
        return looker;
    }
    looks_on_ = LooksOn::kNot;
    return std::nullopt;
  }

  void take(const View& view, std::size_t index) {
    const Pending& chosen = *view.enabled[index];
    in_a_row_ = chosen.thread == view.current ? in_a_row_ + 1 : 0;
    for (const Pending* other : view.enabled) {
      if (asleep(other->thread) && dependent(*other, chosen)) wake(other->thread);
    }
    note(chosen);
  }

  void note(const Pending& executed) {
    turns_.executed(executed.thread, executed.op, executed.site);
    last_op_ = executed.op;
    last_site_ = executed.site;
  }

  // Starts with room for few threads: an execution should touch little memory.
  void make_room(ThreadId id) {
    if (raw(id) < room_) return;
    std::size_t room = room_ == 0 ? 16 : room_;
    while (room <= raw(id)) room *= 2;
    auto* threads =
        static_cast<IdleFairness::PerThread*>(allocate_(room * sizeof(IdleFairness::PerThread)));
    for (std::size_t i = 0; i < room_; ++i) threads[i] = threads_[i];
    threads_ = threads;
    room_ = room;
    turns_.use(threads);
  }

  bool asleep(ThreadId thread) const {
    return raw(thread) < 64 && (asleep_ >> raw(thread) & 1) != 0;
  }
  void wake(ThreadId thread) { asleep_ &= ~(std::uint64_t{1} << raw(thread)); }

  bool better(const Pending& a, const Pending& b, ThreadId current) const {
    const bool preferred = in_a_row_ < kPatience;
    if (a.thread == current || b.thread == current) return (a.thread == current) == preferred;
    // Patience is lost: the next higher number, so that each thread gets its turn.
    if (!preferred && (raw(a.thread) > raw(current)) != (raw(b.thread) > raw(current)))
      return raw(a.thread) > raw(current);
    return raw(a.thread) < raw(b.thread);
  }

  bool longer_idle(const Pending& a, const Pending& b) const {
    const std::uint64_t since_a = turns_.last_idle(a);
    const std::uint64_t since_b = turns_.last_idle(b);
    return since_a != since_b ? since_a < since_b : raw(a.thread) < raw(b.thread);
  }

  std::uint64_t asleep_;
  std::uint64_t in_a_row_ = 0;  // steps of the running thread since another ran
  Allocate allocate_;
  IdleFairness::PerThread* threads_ = nullptr;
  std::size_t room_ = 0;
  IdleFairness turns_;
  OpKind last_op_{};  // of the step before
  std::uint64_t last_site_ = 0;
  LooksOn looks_on_;
  LookingOn loop_;
};

}  // namespace

Strategy* make_systematic(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(Systematic))) Systematic(plan, allocate);
}

}  // namespace raddle
