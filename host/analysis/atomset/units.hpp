// Which unit of work an access belongs to: the functions and annotated scopes that each thread is
// in, and the units that are open in the engine because something was accessed in them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/analysis/atomset/engine.hpp"
#include "host/analysis/atomset/locations.hpp"
#include "host/analysis/atomset/open_units.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/base/word_map.hpp"

namespace raddle {

struct UnitOptions {
  bool entry_units = false;   // what a thread was created for is a unit as other functions are
  bool split_at_wait = true;  // a wait on a condition or at a barrier ends units
  // A unit on one object of a class is one on the class's other objects too, as 002 has it: a copy
  // constructor is a unit on what it copies.
  bool same_class = false;
  // A function of the program that calls units on one object from different places in it is a unit
  // on it too: check and act, which are atomic each, belong together. From the first call to the
  // last; a place that is called from again begins a new round of a loop, and with it a new unit,
  // as does the creation of a thread, and a wait for one. What a thread was created for is none.
  bool joint = false;
};

class UnitTracker {
 public:
  UnitTracker(ExecutionState& state, SetLocations& locations, AtomicSetEngine& engine,
              UnitOptions options)
      : state_(state), locations_(locations), engine_(engine), options_(options) {}

  // Everything but accesses and memory.
  void on_event(const Event& event);

  // An access, before anything else is asked about it.
  void on_access(const Event& event) { thread(event).signalled = 0; }

  // Whether the thread of the event is in a unit that is declared on the object.
  bool inside(const Event& event, const SetLocations::Target& target);
  // Whether it constructs or destroys it.
  bool being_born(const Event& event, ObjectNumber object);
  // The object that the innermost unit works on; kNoObjectNumber if there is none.
  ObjectNumber worker(const Event& event);

  struct Unit {
    AtomicSetEngine::UnitNumber number = 0;
    bool single = false;  // of this access alone: the caller closes it
    bool alone = false;   // and nobody can meet it: it was not opened
    // Tentative ones that the access belongs to as well. Valid until the next question.
    std::span<const AtomicSetEngine::UnitNumber> perhaps{};
  };
  // Opens it in the engine, if it is not.
  Unit unit_of(const Event& event, const SetLocations::Target& target, const UnitAccess& access);

  // The time at which thread u created thread v or an ancestor of it; 0 if it did not.
  std::uint64_t created_at(ThreadIndex u, ThreadIndex v) const;

 private:
  enum class Kind : std::uint8_t { kFunction, kUnit, kBlock };
  struct Frame {
    Kind kind{};
    bool everything = false;  // a unit on every set
    bool unit = false;        // on `object`, and on the static members of `cls`
    bool entry = false;       // what the thread was created for, or the library around it
    bool birth = false;       // constructor or destructor of `object`
    bool library = false;     // a function of the C++ library
    bool waits = false;       // on a condition, sometimes
    std::uint32_t cls = 0;
    std::uint64_t object = 0;
    ObjectNumber resolved = kNoObjectNumber;  // `object`, as known at `version`
    std::uint64_t version = ~std::uint64_t{0};
    std::vector<SiteId> locked_at;  // if it waits: where it took locks
    UnitAccess entered;
    SiteId function{};
    std::vector<SetNumber> perhaps;  // sets on which it is a tentative unit, or was
    bool touches = false;            // accessed some set itself, the last time one of this class
    std::uint32_t touched = 0;
    std::uint64_t serial = 0;     // joint: of the invocation
    std::uint64_t called_at = 0;  // joint: in its caller
  };
  // A function that touches a set itself is a unit on it from its entry on (004, 4.1), and that it
  // does is known when it does: until then it may be one, around what the functions that it calls
  // do to the set. When it ends without, it was none.
  static std::uint64_t perhaps_key(SetNumber set, std::size_t frame) {
    return std::uint64_t{set} << 32 | frame;
  }
  // A function that was called so often and never touched a set of a class itself is taken to
  // contain no access to those.
  static constexpr std::uint32_t kCallsToKnow = 16;
  // A set that a function touched itself, while the function runs.
  struct Direct {
    std::uint32_t frame = 0;
    SetNumber set = 0;
  };
  struct Thread {
    std::vector<Frame> frames;
    std::vector<Direct> direct;            // of outer frames first
    WordMap<bool> is_direct;               // the same, by perhaps_key()
    std::vector<std::uint32_t> callbacks;  // indices of frames that start anew
    OpenUnits units;
    WordMap<AtomicSetEngine::UnitNumber> perhaps;  // by perhaps_key(); tentative
    std::uint32_t births = 0;
    std::uint32_t program_depth = 0;
    ThreadIndex parent = 0;
    std::uint64_t born_at = 0;    // 0: not known
    std::uint64_t signalled = 0;  // the object that it signalled, just now
    std::uint32_t first() const { return callbacks.empty() ? 0 : callbacks.back(); }
  };

  Thread& thread(const Event& event) {
    const ThreadIndex index = state_.index(event.thread);
    if (index >= threads_.size()) threads_.resize(index + std::size_t{1});
    return threads_[index];
  }
  void enter(const Event& event, Kind kind);
  void leave(const Event& event, Kind kind);
  void close(Thread& self, std::uint32_t from_frame);
  void close_regions(Thread& self);
  void close_joint(Thread& self);
  Unit real_unit_of(const Event& event, const SetLocations::Target& target,
                    const UnitAccess& access);
  void touch(Frame& frame, std::uint32_t cls);
  bool may_touch(const Frame& frame, std::uint32_t cls) const;
  // Whether an access belongs to a joint unit on its set that is open; the call that it is in then
  // does too.
  bool goes_on(Thread& self, OpenUnit& unit, const SetLocations::Target& target, std::uint32_t cls);
  void begin_round(const Event& acquire);
  // `cls`: of the object that is accessed, by the site's word.
  bool declared_on(Thread& self, std::size_t frame, const SetLocations::Target& target,
                   std::uint32_t cls);
  static bool touched_itself(const Thread& self, std::size_t frame, SetNumber set);

  ExecutionState& state_;
  SetLocations& locations_;
  AtomicSetEngine& engine_;
  UnitOptions options_;
  std::vector<Thread> threads_;   // by ThreadIndex
  WordMap<std::uint32_t> calls_;  // of functions, by the SiteId of their entry
  WordMap<bool> touched_;         // by that and the class of a set that they accessed themselves
  std::uint64_t invocations_ = 0;
  std::vector<AtomicSetEngine::UnitNumber> perhaps_;  // of the last answer
};

}  // namespace raddle
