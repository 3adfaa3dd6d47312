// SURW: Zhao, Wolff, Mathur, Roychoudhury, "Selectively Uniform Concurrency Testing" (ASPLOS 2025).
// Every interleaving of the selected events is to be equally likely. The strategy draws the thread
// that is to execute the next selected event, with a probability in proportion to how many of them
// it has left, and holds back all other threads that are about to execute one. What is not selected
// goes in any order. A thread that is not created yet is drawn through the one that will create it.
//
// The plan says how many selected events each thread has (AimRole::kWork, from an earlier
// execution), and which places are selected (AimRole::kSelected).
//
// Deviations. Threads are known by the order of their creation, as the earlier execution had it. A
// thread with more events than expected counts as if one was left, as does one that the plan does
// not know, so that nobody is left out. Programs block, which the paper's argument leaves out: if
// nobody can move but threads that are held back, or those that can only wait in loops, another
// thread is drawn among these. An idle operation is never a selected event; a thread that waits in
// a loop may do other things besides, such as reading what it waits for.
#include <algorithm>
#include <new>

#include "protocol/generator.hpp"
#include "target/strategy/holding.hpp"

namespace raddle {
namespace {

class Surw final : public Strategy {
 public:
  Surw(std::uint64_t seed, Allocate allocate)
      : generator_(seed),
        allocate_(allocate),
        work_(static_cast<Work*>(allocate((raw(kNoThread) + 1) * sizeof(Work)))) {
    work_[raw(kMainThread)].exists = true;
  }

  void brief(std::span<const AimSite> aims, Realised&) override {
    std::size_t places = 0;
    for (const AimSite& aim : aims) places += aim.role == AimRole::kSelected ? 1 : 0;
    auto* selected = static_cast<std::uint64_t*>(allocate_(places * sizeof(std::uint64_t)));
    selected_ = {selected, places};
    // A thread is told of after the one that creates it.
    for (const AimSite& aim : aims) {
      if (aim.role == AimRole::kSelected) *selected++ = aim.site;
      if (aim.role != AimRole::kWork) continue;
      const ThreadWork told = unpacked_work(aim.site);
      work_[told.thread].left += told.events;
      work_[told.thread].parent = told.parent;
      // All of it is the business of those above, until it exists.
      for (std::uint16_t t = told.thread; t != raw(kMainThread); t = work_[t].parent) {
        if (work_[t].parent >= t) break;  // no tree: nobody to wait for
        work_[work_[t].parent].to_create += told.events;
      }
    }
  }

  void on_create(ThreadId id) override {
    Work& made = work_[raw(id)];
    made.exists = true;
    const std::uint32_t moves = made.left + made.to_create;
    // By the plan's tree, even if another thread created it this time.
    for (std::uint16_t t = raw(id); t != raw(kMainThread) && work_[t].parent < t;) {
      t = work_[t].parent;
      work_[t].to_create -= std::min(moves, work_[t].to_create);
      if (work_[t].exists) break;
    }
    // Who was drawn may have been drawn for what it creates.
    if (drawn_ == running_ && drawn_ != kNoThread) {
      const std::uint64_t creators = weight(drawn_);
      const std::uint64_t all = creators + weight(id);
      if (all > 0 && generator_.below(all) >= creators) drawn_ = id;
    }
  }

  std::size_t choose(const View& view) override {
    const std::size_t index = next(view);
    const Pending& chosen = *view.enabled[index];
    running_ = chosen.thread;
    if (is_idle_op(chosen.op)) idle_ += chosen.op == OpKind::spin ? kSpinWeight : 1;
    if (!is_selected(chosen)) return index;
    idle_ = 0;
    Work& work = work_[raw(chosen.thread)];
    if (work.left > 0) --work.left;
    drawn_ = kNoThread;
    return index;
  }

  std::uint32_t choose_value(ThreadId, std::uint32_t count) override {
    return static_cast<std::uint32_t>(generator_.below(count));
  }

 private:
  struct Work {
    std::uint32_t left;       // selected events of its own
    std::uint32_t to_create;  // of threads that do not exist yet, which it is to create
    std::uint16_t parent;
    bool exists;
  };

  std::uint64_t weight(ThreadId id) const {
    return std::uint64_t{work_[raw(id)].left} + work_[raw(id)].to_create;
  }
  // Of a thread that is about to execute a selected event: it has one left, whatever was expected.
  std::uint64_t weight_of(const Pending& next) const {
    const std::uint64_t expected = weight(next.thread);
    return expected == 0 && is_selected(next) ? 1 : expected;
  }

  bool is_selected(const Pending& next) const {
    if (is_idle_op(next.op)) return false;
    if (selected_.empty()) return true;
    return std::find(selected_.begin(), selected_.end(), next.site) != selected_.end();
  }

  // A thread that can move, by what it has left; kNoThread if nobody has anything.
  ThreadId draw(const View& view, bool held_only) {
    std::uint64_t all = 0;
    for (const Pending* next : view.enabled) {
      if (!held_only || is_selected(*next)) all += weight_of(*next);
    }
    if (all == 0) return kNoThread;
    std::uint64_t at = generator_.below(all);
    for (const Pending* next : view.enabled) {
      if (held_only && !is_selected(*next)) continue;
      const std::uint64_t weight = weight_of(*next);
      if (at < weight) return next->thread;
      at -= weight;
    }
    return kNoThread;
  }

  std::size_t next(const View& view) {
    if (drawn_ == kNoThread) drawn_ = draw(view, false);
    std::size_t free = 0;
    for (const Pending* next : view.enabled) free += is_held(*next) ? 0 : 1;
    if (free == 0 || (free < view.enabled.size() && idle_ > kIdlePatience)) {
      idle_ = 0;
      drawn_ = draw(view, true);
      return index_of(view, drawn_);
    }
    std::size_t n = free == 1 ? 0 : generator_.below(free);
    std::size_t i = 0;
    while (is_held(*view.enabled[i]) || n-- > 0) ++i;
    return i;
  }

  bool is_held(const Pending& next) const { return next.thread != drawn_ && is_selected(next); }

  static std::size_t index_of(const View& view, ThreadId id) {
    std::size_t i = 0;
    while (i + 1 < view.enabled.size() && view.enabled[i]->thread != id) ++i;
    return i;
  }

  Generator generator_;
  Allocate allocate_;
  Work* work_;                               // by thread
  std::span<const std::uint64_t> selected_;  // sites; none: all
  ThreadId drawn_ = kNoThread;               // who is to execute the next selected event
  ThreadId running_ = kNoThread;             // who was chosen last
  std::uint64_t idle_ = 0;  // weight of the idle steps since the last selected event
};

}  // namespace

Strategy* make_surw(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(Surw))) Surw(plan.seed, allocate);
}

}  // namespace raddle
