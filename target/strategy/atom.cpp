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
// - An acquire is a lock, a spin lock, a read-lock or a write-lock, or a wait for a semaphore that
//   is used as a lock. A trylock never waits, so it is a transition like any other. If it succeeds,
//   it counts as an acquire for paused threads (line 25).
// - `monitor` is in holding.hpp.
// - Line 27 speaks of paused threads only. If the coin says no, the pattern can come about without
//   a pause. The strategy counts that as well, and it changes nothing else.
//
// Reader-writer locks, which the paper does not treat: an acquisition in between counts if it is
// for writing, or if both acquisitions around it are. These are the unserializable interleavings,
// with acquisitions for accesses, and in addition three writers in a row.
//
// One execution may show several static violations, a static one being a pair of places: where the
// block took the lock first, and where it takes it again. So that one that comes often does not
// hide a rare one, the strategy says which there were, as a mark of the set of them
// (protocol/atom_marks.hpp), and the steps of the first and of the last that differs from it.
//
// Beyond the paper: without instrumentation a program shows no blocks. The runtime then looks at
// the stacks instead and says with Place::again what alreadyAcquired would say.
#include <new>

#include "protocol/atom_marks.hpp"
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
        warned_(static_cast<std::uint64_t*>(allocate(kMarks * sizeof(std::uint64_t)))),
        violated_(static_cast<std::uint64_t*>(allocate(kMarks * sizeof(std::uint64_t)))),
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
      thread.site = next.site;
      const bool acquires = is_acquisition(next.op) || next.op == OpKind::sem_wait;
      if (broken || !acquires || next.outcome != StepOutcome::kReady || !warns(thread, next)) {
        thread.let_go = false;
        return index;
      }
      if (thread.let_go) {  // it has been held back here before
        thread.let_go = false;
        return index;
      }
      ++realised_->warnings;
      mark(warned_, realised_->steps[kWarnedMark], pair_of(next.thread, next.object));
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
    for (Shown& shown : shown_) {
      if (shown.victim != id || shown.lock != lock) continue;
      realised_->steps[shown.at + 2] = step_;
      realised_->used = shown.at + 3 > realised_->used ? shown.at + 3 : realised_->used;
      shown.victim = kNoThread;
    }
    if (held() > 0) violate(id, lock);
    last(id, lock) = {id, lock, step_, thread.site, thread.reads};
    takers_[raw(lock) % kLasts] = {id, lock, step_ + 1, thread.site, thread.reads};
    if (!thread.reads) writers_[raw(lock) % kLasts] = {id, lock, step_ + 1, thread.site, false};
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
    std::uint64_t site;
    bool reads;  // took the lock for reading
  };
  static constexpr std::uint32_t kLasts = 4096;
  static constexpr std::uint32_t kMarks = 256;
  // A violation whose steps the host gets, from `at` on; its last one is still to come.
  struct Shown {
    std::uint32_t at;
    ThreadId victim = kNoThread;
    ObjectId lock = kNoObject;
  };
  struct Thread {
    std::uint32_t blocks;  // open blocks: annotated scopes and functions
    std::uint32_t locks;   // number of locks that it holds
    Acquired* acquired;    // alreadyAcquired of this thread
    std::uint64_t site;    // of its pending operation
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

  // A static violation, or one that may be. The lock is part of it: without optimisation all locks
  // are taken at one place, in the library.
  std::uint64_t pair_of(ThreadId victim, ObjectId lock) {
    const Last& first = last(victim, lock);
    const std::uint64_t from = first.thread == victim && first.lock == lock ? first.site : 0;
    std::uint64_t hash = (from + 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
    hash = (hash ^ (hash >> 29) ^ of(victim).site) * 0x94d049bb133111ebULL;
    hash = (hash ^ (hash >> 32) ^ raw(lock)) * 0xff51afd7ed558ccdULL;
    hash ^= hash >> 31;
    return hash != 0 ? hash : 1;
  }

  // Adds it to the mark of a set; false if it is there already, or there is no room.
  static bool mark(std::uint64_t* known, std::uint64_t& set, std::uint64_t what) {
    for (std::uint32_t i = 0; i < kMarks; ++i) {
      std::uint64_t& at = known[(what + i) % kMarks];
      if (at == what) return false;
      if (at != 0) continue;
      at = what;
      set ^= what;
      return true;
    }
    return false;
  }

  // Counts a violation. Keeps the steps of the first one, and of the last that is not the same one.
  // `taken` is the step at which the other thread took the lock, plus 1.
  void happened(ThreadId victim, ObjectId lock, std::uint64_t taken) {
    const bool is_new = mark(violated_, realised_->steps[kViolatedMark], pair_of(victim, lock));
    Shown& shown = realised_->count++ == 0 ? shown_[0] : shown_[1];
    if (!is_new) return;
    const Last& first = last(victim, lock);
    realised_->steps[shown.at] =
        first.thread == victim && first.lock == lock ? first.step : taken - 1;
    realised_->steps[shown.at + 1] = taken - 1;
    if (realised_->used < shown.at + 2) realised_->used = shown.at + 2;
    shown.victim = victim;
    shown.lock = lock;
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
  std::uint64_t* warned_;    // static violations that were possible
  std::uint64_t* violated_;  // ... that came about
  Last* lasts_;
  Last* takers_;   // by lock: its last acquisition, with the step plus 1
  Last* writers_;  // by lock: its last acquisition not for reading, likewise
  Acquired* unused_ = nullptr;
  Realised* realised_ = nullptr;
  std::uint32_t highest_ = 0;
  std::uint64_t step_ = 0;
  Shown shown_[2] = {{.at = 0}, {.at = 3}};
};

}  // namespace

Strategy* make_atom(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(Atom))) Atom(plan, allocate);
}

}  // namespace raddle
