// Algorithm 2 (AtomFuzzer) of Park and Sen, "Randomized Active Atomicity Violation Detection in
// Concurrent Programs" (2008). A thread that is about to take, inside an atomic block, a lock that
// it has already taken and released there is held back with probability q, until another thread has
// taken that lock in between: an atomicity violation.
//
// How we read it. As printed, an acquire that is in alreadyAcquired is never executed: it is when
// the coin says no, and when its thread has been let go from `paused`, without another coin. The
// transitions AtomicEnter and AtomicExit are no decision points here: on_block() tells of them, and
// for blocks that are regions of a lock, on_lock() does. An acquire is a lock, a read-lock or a
// write-lock; a trylock never waits, and is executed as any other transition, but counts as an
// acquire for those who are paused (line 25) when it succeeds. `monitor` is in holding.hpp.
//
// Line 27 speaks of threads that are paused. The same pattern comes about without a pause, too,
// when the coin says no: that is counted as well, and changes nothing else.
//
// Locks of readers and writers, of which the paper does not speak: a reader in between changes
// nothing. What comes between counts if it is no reader, or if neither of the two that it comes
// between is (the unserializable interleavings, with acquisitions for accesses; and of three
// writers).
//
// Beyond the paper: blocks without any mark, for programs that are not instrumented
// (Place::again): then the runtime, which sees stacks, says what alreadyAcquired says.
#include <new>

#include "target/strategy/holding.hpp"

namespace raddle {
namespace {

class Atom final : public Strategy, private Holding {
 public:
  Atom(const Plan& plan, Allocate allocate)
      : Holding(plan, allocate),
        allocate_(allocate),
        locks_are_blocks_((plan.atomic_blocks & kBlocksLocks) != 0),
        q_(plan.pause_permille),
        threads_(static_cast<Thread*>(allocate(0x10000 * sizeof(Thread)))),
        lasts_(static_cast<Last*>(allocate(kLasts * sizeof(Last)))),
        takers_(static_cast<Last*>(allocate(kLasts * sizeof(Last)))),
        writers_(static_cast<Last*>(allocate(kLasts * sizeof(Last)))) {}

  void brief(std::span<const AimSite>, Realised& realised) override { realised_ = &realised; }

  std::size_t choose(const View& view) override {
    step_ = view.step;
    for (;;) {
      bool broken = false;
      const std::size_t index = pick(view, broken);
      const Pending& next = *view.enabled[index];
      Thread& thread = of(next.thread);
      thread.reads = is_reading(next.op);
      if (broken || !is_acquisition(next.op) || next.outcome != StepOutcome::kReady ||
          !warns(thread, next)) {
        thread.let_go = false;
        return index;
      }
      if (thread.let_go) {  // its coin was thrown before
        thread.let_go = false;
        return index;
      }
      ++realised_->warnings;
      if (generator().below(1000) >= q_) return index;
      ++realised_->pauses;
      thread.paused_at = next.object;
      hold(next.thread, view.step);
    }
  }

  std::uint32_t choose_value(ThreadId, std::uint32_t count) override {
    return static_cast<std::uint32_t>(generator().below(count));
  }

  void on_place(ThreadId id, const Place& place) override { of(id).again = place.again; }

  void on_block(ThreadId id, bool entered) override {
    Thread& thread = of(id);
    if (entered) {
      ++thread.blocks;
    } else if (thread.blocks > 0) {
      --thread.blocks;
      if (thread.blocks == 0) left(thread);
    }
  }

  void on_lock(ThreadId id, ObjectId lock, bool taken) override {
    Thread& thread = of(id);
    if (!taken) {
      if (thread.locks > 0) --thread.locks;
      if (thread.locks == 0) left(thread);
      return;
    }
    const bool second = thread.again || (inside(thread) && find(thread, lock) != nullptr);
    if (second && !thread.violated) {
      if (const Last* taker = between(id, lock, thread.reads)) happened(id, lock, taker->step);
    }
    thread.violated = false;
    if (inside(thread)) remember(thread, lock);
    ++thread.locks;
    if (realised_->used == 2 && id == victim_ && lock == victim_lock_)
      realised_->steps[realised_->used++] = step_;
    if (held() > 0) violate(id, lock);
    last(id, lock) = {id, lock, step_, thread.reads};
    takers_[raw(lock) % kLasts] = {id, lock, step_ + 1, thread.reads};
    if (!thread.reads) writers_[raw(lock) % kLasts] = {id, lock, step_ + 1, false};
  }

 private:
  struct Acquired {
    ObjectId lock;
    Acquired* next;
  };
  // For the report: when a thread took a lock last. One of two that share a place is forgotten.
  struct Last {
    ThreadId thread;
    ObjectId lock;
    std::uint64_t step;
    bool reads;  // for reading
  };
  static constexpr std::uint32_t kLasts = 4096;
  struct Thread {
    std::uint32_t blocks;  // annotated or functions, open
    std::uint32_t locks;   // held
    Acquired* acquired;    // alreadyAcquired of this thread
    ObjectId paused_at;    // while it is held back
    bool reads;            // its pending operation takes a lock for reading
    bool again;            // Place::again of its pending acquire
    bool let_go;           // was paused at its pending acquire, which is to be executed now
    bool violated;         // its pending acquire comes after another's
  };

  Thread& of(ThreadId id) { return threads_[raw(id)]; }
  Last& last(ThreadId id, ObjectId lock) {
    return lasts_[(raw(id) * 0x9e37u + raw(lock) * 0x85ebu) % kLasts];
  }

  static bool is_reading(OpKind op) {
    return op == OpKind::rwlock_read || op == OpKind::rwlock_tryread;
  }

  // For reading, when `id` took the lock before; false if that is forgotten.
  bool read_before(ThreadId id, ObjectId lock) {
    const Last& first = last(id, lock);
    return first.thread == id && first.lock == lock && first.reads;
  }

  // Who took the lock since `id` did, in a way that matters if `id` takes it now.
  const Last* between(ThreadId id, ObjectId lock, bool reads) {
    const Last& taker = takers_[raw(lock) % kLasts];
    if (taker.lock != lock || taker.thread == id || taker.step == 0) return nullptr;
    if (!taker.reads || (!reads && !read_before(id, lock))) return &taker;
    const Last& first = last(id, lock);
    const Last& writer = writers_[raw(lock) % kLasts];
    const bool since = first.thread == id && first.lock == lock && writer.step > first.step + 1;
    return writer.lock == lock && writer.thread != id && since ? &writer : nullptr;
  }

  bool inside(const Thread& thread) const {
    return thread.blocks > 0 || (locks_are_blocks_ && thread.locks > 0);
  }

  const Acquired* find(const Thread& thread, ObjectId lock) const {
    const Acquired* entry = thread.acquired;
    while (entry != nullptr && entry->lock != lock) entry = entry->next;
    return entry;
  }

  bool warns(const Thread& thread, const Pending& acquire) const {
    return thread.again || (inside(thread) && find(thread, acquire.object) != nullptr);
  }

  void remember(Thread& thread, ObjectId lock) {
    if (find(thread, lock) != nullptr) return;
    Acquired* entry = unused_;
    if (entry != nullptr) {
      unused_ = entry->next;
    } else {
      entry = static_cast<Acquired*>(allocate_(sizeof(Acquired)));
    }
    *entry = {lock, thread.acquired};
    thread.acquired = entry;
  }

  // AtomicExit.
  void left(Thread& thread) {
    if (inside(thread)) return;
    while (Acquired* entry = thread.acquired) {
      thread.acquired = entry->next;
      entry->next = unused_;
      unused_ = entry;
    }
  }

  // Lines 25 to 28: somebody else has taken the lock.
  void violate(ThreadId by, ObjectId lock) {
    for (std::uint32_t id = 0; id <= highest_; ++id) {
      const ThreadId other{static_cast<std::uint16_t>(id)};
      Thread& thread = of(other);
      if (other == by || !is_held(other) || thread.paused_at != lock) continue;
      if (of(by).reads && (thread.reads || read_before(other, lock))) continue;
      Holding::let_go(other);
      thread.let_go = thread.violated = true;
      happened(other, lock, step_ + 1);
    }
  }

  // `taken`: the step at which another took the lock, plus 1.
  void happened(ThreadId victim, ObjectId lock, std::uint64_t taken) {
    if (realised_->count++ != 0) return;
    const Last& first = last(victim, lock);
    realised_->steps[0] = first.thread == victim && first.lock == lock ? first.step : taken - 1;
    realised_->steps[1] = taken - 1;
    realised_->used = 2;
    victim_ = victim;
    victim_lock_ = lock;
  }

  void expired(ThreadId id) override { of(id).let_go = true; }

  void on_create(ThreadId id) override {
    if (raw(id) > highest_) highest_ = raw(id);
    of(id) = Thread{};  // a thread id may be used again
  }

  Allocate allocate_;
  bool locks_are_blocks_;
  std::uint64_t q_;
  Thread* threads_;
  Last* lasts_;
  Last* takers_;   // by lock: who took it last, at which step plus 1
  Last* writers_;  // ... and not for reading
  Acquired* unused_ = nullptr;
  Realised* realised_ = nullptr;
  std::uint32_t highest_ = 0;
  std::uint64_t step_ = 0;
  ThreadId victim_ = kNoThread;  // of the first violation
  ObjectId victim_lock_ = kNoObject;
};

}  // namespace

Strategy* make_atom(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(Atom))) Atom(plan, allocate);
}

}  // namespace raddle
