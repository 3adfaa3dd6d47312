// What all detectors of one pass need to know of the execution so far: who holds which locks, in
// which functions each thread is, what sites and objects are called. The pipeline shows it every
// event first; a detector's on_event() then sees the state *after* that event.
//
// Stacks, sets of held locks and places are interned: a detector keeps a number of four bytes per
// remembered access and asks for the words only when it reports. Cost of an event: a table lookup.
//
// A malformed stream never stops the analysis: what does not fit (a release without acquire, an
// exit without enter, an unknown thread or site) is a problem with its place in the stream, and the
// event is ignored as far as it does not fit.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/analysis/model/finding.hpp"
#include "host/analysis/model/vector_clock.hpp"
#include "host/base/intern.hpp"
#include "host/trace/event_sink.hpp"

namespace raddle {

enum class StackId : std::uint32_t {};  // functions that a thread is in; 0: none
enum class HeldId : std::uint32_t {};   // locks that a thread holds; 0: none
enum class PointId : std::uint32_t {};  // everything about an event but object, value and step
inline constexpr StackId kEmptyStack{0};
inline constexpr HeldId kNothingHeld{0};
inline constexpr PointId kNoPoint{0};
constexpr std::uint32_t raw(StackId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t raw(HeldId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t raw(PointId id) { return static_cast<std::uint32_t>(id); }

struct HeldLock {
  std::uint64_t lock = 0;
  bool shared = false;  // for reading
  bool operator==(const HeldLock&) const = default;
};

// What things are called at this moment; "" for what has no name. Each may be missing.
struct Namer {
  std::function<std::string(std::uint64_t address)> object;
  std::function<std::string(const Event&)> object_of;  // knows the field that the site names
  std::function<std::string(ThreadId)> thread;
};

class ExecutionState {
 public:
  explicit ExecutionState(Namer namer = {}, std::size_t max_problems = 100);

  // Definitions and events, in the order of the trace.
  void define_site(SiteId id, const Site& site);
  void on_event(const Event& event);

  // ---- The current event ----
  std::uint64_t events() const { return events_; }  // seen so far; the current one included
  // An acquire or release that changes what its thread holds: not the inner ones of a recursive
  // lock, and not those that do not fit.
  bool outermost() const { return outermost_; }
  // Of an outermost acquire or release: the lock is held for reading. As it was acquired, since an
  // unlock does not always say.
  bool shared() const { return shared_; }
  // The current event as a point, to be remembered.
  PointId point(const Event& event) {
    if (point_of_ != events_) make_point(event);
    return point_;
  }
  FindingStep step(const Event& event, FindingRole role) const;

  // ---- Threads ----
  // Dense, from 0, in order of first appearance; a thread id that is used again after its thread's
  // end is a new index.
  ThreadIndex index(ThreadId id) const {
    return raw(id) < threads_.size() ? threads_[raw(id)].index : 0;
  }
  ThreadId thread(ThreadIndex index) const { return ids_[index]; }
  std::size_t threads() const { return ids_.size(); }
  bool ended(ThreadId id) const;
  std::string thread_name(ThreadId id) const;  // "T1", or what the namer says

  // ---- Locks ----
  HeldId held(ThreadId id) const {
    return raw(id) < threads_.size() ? threads_[raw(id)].held : kNothingHeld;
  }
  // Outermost first. Valid until the next on_event().
  const std::vector<HeldLock>& locks(ThreadId id) const;
  std::vector<HeldLock> locks(HeldId held) const;
  HeldId before(HeldId held) const { return held_[raw(held)].before; }  // without the innermost
  bool holds(ThreadId id, std::uint64_t lock) const { return held_since(id, lock) != 0; }
  // events() at its outermost acquire; 0 if the thread does not hold it.
  std::uint64_t held_since(ThreadId id, std::uint64_t lock) const;

  // ---- Stacks ----
  StackId stack(ThreadId id) const {
    return raw(id) < threads_.size() ? threads_[raw(id)].stack : kEmptyStack;
  }
  std::vector<SiteId> frames(StackId stack) const;                              // innermost first
  std::vector<std::uint64_t> calls(StackId stack) const;                        // of each of them
  SiteId innermost(StackId stack) const;                                        // kNoSite for none
  std::uint32_t depth(StackId stack) const { return depths_[raw(stack)].all; }  // in frames
  // Only the program's own functions, not those of the C++ library; where the innermost is the
  // only one, it is what its thread was created for.
  std::uint32_t program_depth(StackId stack) const { return depths_[raw(stack)].program; }

  // ---- Points ----
  // A remembered event, as far as it was kept: kNoValue is set. `object` and `step` are the
  // caller's.
  Event recall(PointId point, std::uint64_t object, std::uint64_t step) const;
  FindingStep step(PointId point, std::uint64_t object, std::uint64_t step, FindingRole role) const;
  // The unit that an atomic block is (Blocks), by the event that began it; `inside` is the function
  // that the event is in, for a region that holds a lock.
  FindingUnit block_unit(const Event& entered, const std::string& inside) const;
  UnitOrigin block_origin(const Event& entered) const;
  std::uint64_t stable(PointId point) const;  // see stable(SiteId)

  // ---- Names ----
  const Site& site(SiteId id) const;  // an empty one if it was never defined
  // Equal for the same place in every execution, and in every folder that the program is built in.
  std::uint64_t stable(SiteId id) const;
  bool in_library(SiteId id) const;  // the C++ library's own code
  // A volatile access is made there, of the kind that the site says.
  bool makes_volatile_access(SiteId id) const {
    return raw(id) < volatile_.size() && volatile_[raw(id)] != 0;
  }
  // It writes which table of virtual functions an object has.
  bool writes_vptr(SiteId id) const { return raw(id) < vptr_.size() && vptr_[raw(id)] != 0; }
  // The C++ library's own code that counts references there: std::shared_ptr.
  bool counts_references(SiteId id) const;
  std::string field(SiteId id) const;     // what an access there touches, "Node::next"; or ""
  std::string function(SiteId id) const;  // of the innermost frame; "" if not known
  // A lock keeps its name when it is gone, and one without is called by where it was taken first.
  // "0x55..." for anything else that has none.
  std::string name(std::uint64_t address) const;
  std::string name(const Event& event) const;  // of its object; "" if it has none
  std::string freed_name(
      const Event& free) const;  // of the block, while the event is the current one

  // ---- Problems ----
  // One line each, "event 17: T2 releases m, which it does not hold"; at most max_problems.
  const std::vector<std::string>& problems() const { return problems_; }
  std::uint64_t problem_count() const { return problem_count_; }  // also those not kept
  void problem(const std::string& message);                       // for the current event
  // What a detector has to say of its own limits: a bound that was hit, and what that means.
  const std::vector<std::string>& notes() const { return notes_; }
  // What synchronises unseen (TraceHeader::unseen): nothing is certainly unordered then.
  const std::vector<std::string>& unseen() const { return unseen_; }
  void set_unseen(std::vector<std::string> names) { unseen_ = std::move(names); }
  void note(const std::string& message);  // each once

 private:
  struct Frame {  // a node of the tree of stacks
    StackId caller{};
    SiteId site{};
    std::uint64_t call = 0;  // return address; 0: inlined
    bool operator==(const Frame&) const = default;
    std::uint64_t hash() const { return mix(raw(caller) | std::uint64_t(raw(site)) << 32, call); }
  };
  struct HeldList {  // a node of the tree of lists of held locks
    HeldId before{};
    HeldLock lock;
    bool operator==(const HeldList&) const = default;
    std::uint64_t hash() const { return mix(raw(before), lock.lock * 2 + lock.shared); }
  };
  struct Point {
    EventKind kind{};
    std::uint8_t flags = 0;
    std::uint16_t size = 0;
    ThreadId thread{};
    SiteId site{};
    StackId stack{};
    HeldId held{};
    std::uint64_t context = 0;
    bool operator==(const Point&) const = default;
    std::uint64_t hash() const;
  };
  enum class Life : std::uint8_t { kUnknown, kCreated, kRunning, kEnded };
  struct Thread {
    Life life = Life::kUnknown;
    ThreadIndex index = 0;
    HeldId held{};
    StackId stack{};
    std::vector<HeldLock> locks;  // outermost first
    struct Hold {
      std::uint32_t depth = 1;
      std::uint64_t since = 0;
    };
    std::vector<Hold> holds;   // of each of them
    std::uint32_t blocks = 0;  // annotated, open
    std::uint32_t units = 0;
  };
  struct Depth {
    std::uint32_t all = 0;
    std::uint32_t program = 0;
  };

  void make_point(const Event& event);
  Thread& running(const Event& event);
  void enter(Thread& thread, const Event& event);
  void leave_scope(std::uint32_t& open, const Event& event);
  void fork(const Event& event);
  void begin_life(Thread& thread, ThreadId id);
  void acquire(Thread& thread, const Event& event);
  void release(Thread& thread, const Event& event);
  void remember_lock(const Event& acquire);
  std::string lock_name(const Event& acquire) const;
  FindingStep step_of(const Event& event, FindingRole role, StackId stack, HeldId held) const;

  struct LockName {
    std::string name;
    bool gone = false;  // another lock may be there next
  };

  Namer namer_;
  std::size_t max_problems_;
  std::unordered_map<std::uint64_t, LockName> lock_names_;  // by address; as many as are kept
  std::vector<Thread> threads_;                             // by ThreadId
  std::vector<ThreadId> ids_;                               // by ThreadIndex
  std::vector<Site> sites_;                                 // by SiteId
  std::vector<std::uint64_t> stable_;
  std::vector<bool> library_;           // the function at the site is the C++ library's
  std::vector<bool> counts_;            // see counts_references()
  std::vector<std::uint8_t> volatile_;  // see makes_volatile_access()
  std::vector<std::uint8_t> vptr_;      // see writes_vptr()
  std::vector<PointId> last_at_;        // the last point there: mostly the next one, too
  Interner<Frame> frames_;
  std::vector<Depth> depths_;  // by StackId
  Interner<HeldList> held_;
  Interner<Point> points_;
  std::uint64_t events_ = 0;
  PointId point_{};             // of the event number
  std::uint64_t point_of_ = 0;  // this
  bool outermost_ = false;
  bool shared_ = false;
  std::vector<std::string> problems_;
  std::uint64_t problem_count_ = 0;
  std::vector<std::string> notes_;
  std::vector<std::string> unseen_;
};

}  // namespace raddle
