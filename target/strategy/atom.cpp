// AtomFuzzer: Algorithm 2 of Park and Sen, "Randomized Active Atomicity Violation Detection in
// Concurrent Programs" (2008). It looks for a thread that, inside an atomic block, is about to take
// a lock that it has already taken and released in that block. With probability q it holds that
// thread back until another thread takes the lock. The acquisition in between is an atomicity
// violation.
//
// How we read the paper:
// - As printed, the algorithm never executes an acquire whose lock is in alreadyAcquired. Here a
//   thread executes it if the coin says no, and, without another coin, after it has left `paused`.
// - The transitions AtomicEnter and AtomicExit are no decision points. The strategy learns of them
//   from on_block(), or, if regions of locks are the blocks, from on_lock().
// - An acquire is a lock, a spin lock, a read-lock or a write-lock. A trylock never waits, so it is
//   a transition like any other. If it succeeds, it counts as an acquire for paused threads (line
//   25).
// - `monitor` is in holding.hpp.
// - Line 27 speaks of paused threads only. If the coin says no, the pattern can come about without
//   a pause. The strategy counts that as well, and it changes nothing else.
//
// Reader-writer locks, which the paper does not treat: an acquisition in between counts if it is
// for writing, or if both acquisitions around it are. These are the unserializable interleavings,
// with acquisitions for accesses, and in addition three writers in a row.
//
// Beyond the paper: without instrumentation a program shows no blocks. The runtime then looks at
// the stacks instead and says with Place::again what alreadyAcquired would say.
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
      if (thread.let_go) {  // it has been held back here before
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
  // An acquisition of a lock. The tables have one slot for several locks or threads, in which a
  // newer entry overwrites an older one.
  struct Last {
    ThreadId thread;
    ObjectId lock;
    std::uint64_t step;
    bool reads;  // took the lock for reading
  };
  static constexpr std::uint32_t kLasts = 4096;
  struct Thread {
    std::uint32_t blocks;  // open blocks: annotated scopes and functions
    std::uint32_t locks;   // number of locks that it holds
    Acquired* acquired;    // alreadyAcquired of this thread
    ObjectId paused_at;    // the lock that it waits for while it is held back
    bool reads;            // its pending operation takes a lock for reading
    bool again;            // Place::again of its pending operation
    bool let_go;           // was held back at its pending acquire, and executes it now
    bool violated;         // violate() has counted its pending acquire: on_lock() must not
  };

  Thread& of(ThreadId id) { return threads_[raw(id)]; }
  Last& last(ThreadId id, ObjectId lock) {
    return lasts_[(raw(id) * 0x9e37u + raw(lock) * 0x85ebu) % kLasts];
  }

  static bool is_reading(OpKind op) {
    return op == OpKind::rwlock_read || op == OpKind::rwlock_tryread;
  }

  // The last acquisition of the lock by `id` was for reading. False if the table has forgotten it.
  bool read_before(ThreadId id, ObjectId lock) {
    const Last& first = last(id, lock);
    return first.thread == id && first.lock == lock && first.reads;
  }

  // The acquisition by another thread, since `id` last took the lock, that makes a violation if
  // `id` takes it now; null if there is none. A reader may have come after the writer that matters:
  // then the writer is in writers_.
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

  // AtomicExit: the thread forgets its locks when it has left its outermost block.
  void left(Thread& thread) {
    if (inside(thread)) return;
    while (Acquired* entry = thread.acquired) {
      thread.acquired = entry->next;
      entry->next = unused_;
      unused_ = entry;
    }
  }

  // Lines 25 to 28: thread `by` has taken the lock that held-back threads are about to take.
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

  // Counts a violation and keeps the steps of the first one. `taken` is the step at which the other
  // thread took the lock, plus 1.
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
    of(id) = Thread{};  // the runtime may use the id of an ended thread again
  }

  Allocate allocate_;
  bool locks_are_blocks_;
  std::uint64_t q_;
  Thread* threads_;
  Last* lasts_;
  Last* takers_;   // by lock: its last acquisition, with the step plus 1
  Last* writers_;  // by lock: its last acquisition not for reading, likewise
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
