// Every kind of operation has a line here; what is not known to commute does not.
//
// What enables an operation is not told by this table. A signal and the wake-up that it caused
// touch nothing in common, because a later signal passes over who has been woken; but one comes
// before the other. Who needs that order looks at the step after which the thread could move.
#include "protocol/dependence.hpp"

namespace raddle {
namespace {

class Touches {
 public:
  explicit Touches(Touch (&out)[kMostTouches]) : out_(out) {}

  // Comes first. The end of the process keeps every other operation from being executed, even one
  // without an effect: what its thread does afterwards never happens.
  void alive(const Pending& p) {
    out_[count_++] = {Space::kLife, p.op == OpKind::process_exit, 0, 1};
  }
  // Comes second. Time-outs, signals and cancellation: whether they come depends on all that
  // happened before.
  void seen_by(const Pending& p) {
    out_[count_++] = {Space::kWorld, p.outcome != StepOutcome::kReady, 0, 1};
  }
  void world() { out_[1].writes = true; }

  void reads(Space space, std::uint64_t where) { out_[count_++] = {space, false, where, 1}; }
  void writes(Space space, std::uint64_t where = 0) { out_[count_++] = {space, true, where, 1}; }
  void object(std::uint64_t id, bool writes) { out_[count_++] = {Space::kObject, writes, id, 1}; }

  // The bytes of an access; where they are not known, the object stands for them.
  void memory(const Pending& p, bool writes) {
    if (p.extra == 0) return object(raw(p.object), writes);
    const std::uint64_t size = touched_size(p) > 0 ? touched_size(p) : 1;
    out_[count_++] = {Space::kMemory, writes, touched_address(p), size};
  }

  // All of it is gone after that.
  void block(std::uint64_t address, std::uint64_t bytes) {
    out_[count_++] = {Space::kMemory, true, address, bytes};
  }

  // To use an object is to read the memory it lies in: not after somebody has freed that.
  void memory_of_object(const Pending& p) {
    if (p.memory == 0 || p.op == OpKind::memory_free) return;
    if (lies_on(p) == 0) return world();  // too far apart to say
    out_[count_++] = {Space::kMemory, false, lies_at(p), lies_on(p)};
  }

  // A call with a second word (requeue, wake-op) does not say what it touches.
  void futex(const Pending& p) {
    p.extra != 0 ? writes(Space::kFutex, touched_address(p)) : world();
  }

  int count() const { return count_; }

 private:
  Touch (&out_)[kMostTouches];
  int count_ = 0;
};

}  // namespace

int touches(const Pending& p, Touch (&out)[kMostTouches]) {
  Touches t(out);
  const std::uint64_t object = raw(p.object);
  t.alive(p);
  t.seen_by(p);
  switch (p.op) {
    case OpKind::none:
    case OpKind::thread_begin:
    case OpKind::yield:
    case OpKind::spin:
    case OpKind::go_on:
    case OpKind::fence:  // executions are sequentially consistent: a fence adds nothing
      return 1;          // kLife alone
    case OpKind::process_exit:
    case OpKind::signal_wait:
    case OpKind::signal_send:
    case OpKind::child_wait:
    case OpKind::cancel:
    case OpKind::sleep:
    case OpKind::value_choice:
      t.world();
      break;
    case OpKind::monitor_event:
      if (p.extra == kAsksAll) t.world();
      t.writes(Space::kObject, object);
      break;
    case OpKind::thread_create:
      t.writes(Space::kCreation);
      break;
    case OpKind::read:
    case OpKind::write:
    case OpKind::accept:
    case OpKind::connect:
    case OpKind::poll:
    case OpKind::close:
      t.writes(Space::kChannels);
      break;
    case OpKind::atomic_load:
    case OpKind::memory_read:
    case OpKind::memory_again:
      t.memory(p, false);
      break;
    case OpKind::atomic_again:  // a load, or an exchange that will change something at last
      t.memory(p, may_write(p));
      break;
    case OpKind::atomic_store:
    case OpKind::atomic_update:
    case OpKind::memory_write:
      t.memory(p, true);
      break;
    case OpKind::memory_free:
      t.block(touched_address(p), freed_size(p));
      break;
    case OpKind::futex_wait:
      t.memory(p, false);
      t.futex(p);
      break;
    case OpKind::futex_wake:
      t.futex(p);
      break;
    case OpKind::rwlock_read:
    case OpKind::rwlock_tryread:
      t.reads(Space::kObject, object);  // shares of a lock are taken and given back in any order
      break;
    case OpKind::rwlock_unlock:
      t.object(object, p.extra != kUnlocksShare);
      break;
    case OpKind::cond_wait:
      t.writes(Space::kObject, object);
      if (p.extra != 0) t.writes(Space::kObject, p.extra);
      break;
    case OpKind::cond_wake:
      t.reads(Space::kLeaving, object);
      break;
    case OpKind::init:
    case OpKind::destroy:
      t.writes(Space::kObject, object);
      t.writes(Space::kLeaving, object);
      break;
    case OpKind::thread_join:
    case OpKind::thread_end:
    case OpKind::mutex_lock:
    case OpKind::mutex_trylock:
    case OpKind::mutex_unlock:
    case OpKind::rwlock_write:
    case OpKind::rwlock_trywrite:
    case OpKind::cond_signal:
    case OpKind::cond_broadcast:
    case OpKind::sem_wait:
    case OpKind::sem_trywait:
    case OpKind::sem_post:
    case OpKind::barrier_wait:
    case OpKind::spin_lock:
    case OpKind::spin_trylock:
    case OpKind::spin_unlock:
    case OpKind::once:
      t.writes(Space::kObject, object);
      break;
  }
  t.memory_of_object(p);
  return t.count();
}

bool dependent(const Pending& a, const Pending& b) {
  if (a.thread == b.thread) return true;
  Touch of_a[kMostTouches] = {};
  Touch of_b[kMostTouches] = {};
  const int count_a = touches(a, of_a);
  const int count_b = touches(b, of_b);
  for (int i = 0; i < count_a; ++i) {
    for (int k = 0; k < count_b; ++k) {
      const Touch& x = of_a[i];
      const Touch& y = of_b[k];
      if (x.space == y.space && (x.writes || y.writes) && x.where < y.where + y.size &&
          y.where < x.where + x.size)
        return true;
    }
  }
  return false;
}

}  // namespace raddle
