// RFF: the part of reads-from-guided fuzzing that runs in the program (Wolff, Shi, Duck, Mathur,
// Roychoudhury, "Greybox Fuzzing for Concurrency Testing", ASPLOS 2024). The plan has a few
// constraints "this read sees that write", positive or negative (AimRole::kReads, kSees, kRival).
// The strategy holds threads back so that they come true:
//   positive   the reader, until the write came; then whoever would write in between, until the
//              read came. For what was there at the beginning: the rivals, until the read came.
//   negative   the reader, while it would see that write.
// Among the others POS decides, as in the paper. The host makes the constraints
// (host/campaign/feedback/reads_from_schedules.hpp).
//
// Deviations. Locks, semaphores and condition variables count as variables (protocol/uses.hpp): a
// program that shows no memory has constraints, too. A constraint that came true is over, and does
// not hold anybody back a second time. Holding back never stops the program: if all threads that
// can move are held back, or the others only wait in loops, one is let go; and nobody is held back
// for more than Plan::max_pause steps.
#include <new>

#include "protocol/dependence.hpp"
#include "protocol/generator.hpp"
#include "protocol/uses.hpp"
#include "target/strategy/holding.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kLongPause = 50'000;  // for a plan without max_pause
constexpr std::size_t kMostKept = 8;          // constraints

class Rff final : public Strategy {
 public:
  Rff(const Plan& plan, Allocate allocate)
      : generator_(plan.seed),
        max_pause_(plan.max_pause != 0 ? plan.max_pause : kLongPause),
        threads_(static_cast<Held*>(allocate((raw(kNoThread) + 1) * sizeof(Held)))) {}

  void brief(std::span<const AimSite> aims, Realised& realised) override {
    realised_ = &realised;
    for (const AimSite& aim : aims) {
      if (aim.thread >= kMostKept) continue;
      Rule& rule = rules_[aim.thread];
      if (aim.role == AimRole::kRival) {
        if (rule.rivals == nullptr) rule.rivals = &aim;
        rule.rivals_end = &aim + 1;
      } else if (aim.role == AimRole::kReads) {
        rule.read = aim.site;
        rule.positive = aim.location != 0;
        if (count_ <= aim.thread) count_ = aim.thread + std::size_t{1};
      } else if (aim.role == AimRole::kSees) {
        rule.write = aim.site;
      }
    }
  }

  std::size_t choose(const View& view) override {
    const std::size_t index = next(view);
    const Pending& chosen = *view.enabled[index];
    threads_[raw(chosen.thread)].since = 0;
    idle_ = !is_idle_op(chosen.op) ? 0 : idle_ + (chosen.op == OpKind::spin ? kSpinWeight : 1);
    for (std::size_t i = 0; i < count_; ++i) executed(rules_[i], chosen, view.step);
    for (const Pending* other : view.enabled) {
      if (dependent(chosen, *other) || is_idle_op(chosen.op))
        threads_[raw(other->thread)].priority = 0;
    }
    return index;
  }

  std::uint32_t choose_value(ThreadId, std::uint32_t count) override {
    return static_cast<std::uint32_t>(generator_.below(count));
  }

 private:
  struct Held {
    std::uint64_t priority;  // 0: not drawn yet
    std::uint64_t since;     // step at which it was held back, plus 1; 0: it is not
  };
  struct Rule {
    std::uint64_t read = 0;
    std::uint64_t write = 0;  // 0: what was there at the beginning
    bool positive = true;
    bool over = false;
    // The write came last to `object`. For the beginning: until a rival came.
    bool written = false;
    ObjectId object = kNoObject;
    const AimSite* rivals = nullptr;  // they lie between these two
    const AimSite* rivals_end = nullptr;
  };

  static bool uses(const Pending& next, std::uint8_t how) { return (uses_of(next.op) & how) != 0; }

  bool is_rival(const Rule& rule, std::uint64_t site) const {
    const auto number = static_cast<std::uint8_t>(&rule - rules_);
    for (const AimSite* aim = rule.rivals; aim != rule.rivals_end; ++aim) {
      if (aim->role == AimRole::kRival && aim->thread == number && aim->site == site) return true;
    }
    return false;
  }

  bool holds(const Rule& rule, const Pending& next) const {
    if (rule.over) return false;
    const bool at_read = next.site == rule.read && uses(next, kReadsObject);
    if (rule.write == 0) {
      // Positive: nobody else first. Negative: somebody else first.
      return rule.positive ? !at_read && uses(next, kClaimsObject) && is_rival(rule, next.site)
                           : at_read;
    }
    if (!rule.written) return rule.positive && at_read;
    if (next.object != rule.object) return false;
    return rule.positive ? !at_read && next.site != rule.write && uses(next, kClaimsObject)
                         : at_read;
  }

  void executed(Rule& rule, const Pending& done, std::uint64_t step) {
    if (rule.over) return;
    const bool at_read = done.site == rule.read && uses(done, kReadsObject);
    if (rule.write == 0) {
      rule.over = rule.positive
                      ? at_read
                      : uses(done, kWritesObject | kClaimsObject) && is_rival(rule, done.site);
      if (rule.over) came_true(step);
      return;
    }
    if (at_read && rule.positive && rule.written && done.object == rule.object) {
      rule.over = true;
      return came_true(step);
    }
    if (!uses(done, kWritesObject)) return;
    if (done.site == rule.write) {
      rule.written = true;
      rule.object = done.object;
    } else if (rule.written && done.object == rule.object) {
      rule.written = false;
    }
  }

  void came_true(std::uint64_t step) {
    if (realised_->used < kMaxRealised) realised_->steps[realised_->used++] = step;
    ++realised_->count;
  }

  bool is_held(const Pending& next, std::uint64_t step) {
    if (is_idle_op(next.op)) return false;
    bool held = false;
    for (std::size_t i = 0; i < count_ && !held; ++i) held = holds(rules_[i], next);
    Held& state = threads_[raw(next.thread)];
    if (!held) {
      state.since = 0;
      return false;
    }
    if (state.since == 0) {
      state.since = step + 1;
      ++realised_->pauses;
    }
    return step + 1 - state.since <= max_pause_;
  }

  std::uint64_t priority_of(const Pending& next) {
    std::uint64_t& priority = threads_[raw(next.thread)].priority;
    if (priority == 0) priority = generator_.next() | 1;
    return priority;
  }

  // Of the threads that are not held back, the one with the highest priority; of all, if there is
  // no other, or if those only wait.
  std::size_t next(const View& view) {
    std::size_t best = view.enabled.size();
    std::size_t best_held = view.enabled.size();
    for (std::size_t i = 0; i < view.enabled.size(); ++i) {
      const Pending& one = *view.enabled[i];
      std::size_t& leads = count_ > 0 && is_held(one, view.step) ? best_held : best;
      if (leads == view.enabled.size() || priority_of(one) > priority_of(*view.enabled[leads]))
        leads = i;
    }
    const bool lets_go =
        best_held != view.enabled.size() && (best == view.enabled.size() || idle_ > kIdlePatience);
    if (lets_go) idle_ = 0;
    return lets_go ? best_held : best;
  }

  Generator generator_;
  std::uint64_t max_pause_;
  Held* threads_;  // by thread
  Realised* realised_ = nullptr;
  Rule rules_[kMostKept];
  std::size_t count_ = 0;
  std::uint64_t idle_ = 0;  // weight of the idle steps since the last one that was not
};

}  // namespace

Strategy* make_rff(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(Rff))) Rff(plan, allocate);
}

}  // namespace raddle
