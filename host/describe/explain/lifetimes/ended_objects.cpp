// Use of what has ended: destroyed objects, and local variables of functions that returned.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "host/base/printable.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/lifetimes/static_starter.hpp"
#include "host/describe/explain/search/cause_search.hpp"
#include "host/symbols/member_names.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

struct Ended {
  std::size_t end = 0;               // event
  std::size_t used = 0;              // event
  std::optional<std::size_t> local;  // event: of a local variable, its beginning
};

// The class of the destructor that a site lies in; empty if it lies in none.
std::string destroyed_class(const Site& site) {
  for (const SiteFrame& frame : site.frames) {
    if (!is_destructor(frame.function)) continue;
    const std::string name = short_function(frame.function);
    const std::size_t scope = name.rfind("::~");
    return scope == std::string::npos ? std::string() : printable(name.substr(0, scope));
  }
  return {};
}

// The same, of what the site itself writes: a destructor may change other objects, too, which live
// on, and that of a member is inlined into that of the whole.
std::string written_class(const Site& site) {
  for (const SiteFrame& frame : site.frames) {
    if (!is_destructor(frame.function)) continue;
    const std::string name = short_function(frame.function);
    const std::size_t scope = name.rfind("::~");
    if (scope == std::string::npos) continue;
    const std::string cls = name.substr(0, scope);
    if (last_member(short_type(site.cls)) == last_member(cls)) return printable(cls);
  }
  return {};
}

class Destructions {
 public:
  explicit Destructions(const CauseSearch& search) : search_(search), program_(search.trace) {}

  std::optional<Ended> find() {
    std::optional<Ended> of_others;
    const std::vector<Event>& events = search_.events();
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      if (event.kind == EventKind::allocate) forget(event);
      follow_calls(event);
      const Access access = access_of(event, i);
      if ((!access.reads && !access.writes) || !program_.contains(event.site)) continue;
      const bool destroys = in_destructor(event.site);
      if (!destroys) leave(event.thread, depth_[raw(event.thread)]);
      const auto ended = written_.find(event.object);
      const bool other = ended != written_.end() && ended->second.left &&
                         events[ended->second.event].thread != event.thread;
      if (other && access.reads) {
        if (event.thread == search_.failing) return Ended{ended->second.event, i, {}};
        if (!of_others) of_others = Ended{ended->second.event, i, {}};
      }
      if (!access.writes) continue;
      if (destroys) {
        written_[event.object] = {i, event.thread, depth_[raw(event.thread)], false};
      } else {
        written_.erase(event.object);
      }
    }
    return of_others;
  }

 private:
  // What a destructor wrote last. The object is gone when the thread has left the destructor: until
  // then it may wait for others that still use the object, as a pool joins its threads.
  struct Written {
    std::size_t event = 0;
    ThreadId thread{};
    std::size_t depth = 0;  // of calls
    bool left = false;
  };

  void follow_calls(const Event& event) {
    std::size_t& depth = depth_[raw(event.thread)];
    if (event.kind == EventKind::enter) ++depth;
    if (event.kind == EventKind::thread_end) leave(event.thread, 0);
    if (event.kind != EventKind::exit || depth == 0) return;
    leave(event.thread, depth);
    --depth;
  }

  // The thread is out of every destructor that it was in at this depth, or deeper.
  void leave(ThreadId thread, std::size_t depth) {
    for (auto& [object, written] : written_)
      if (written.thread == thread && written.depth >= depth) written.left = true;
  }

  bool in_destructor(SiteId site) {
    const auto [at, is_new] = destructors_.try_emplace(raw(site), false);
    if (is_new) at->second = !written_class(search_.trace.site(site)).empty();
    return at->second;
  }

  void forget(const Event& allocation) {
    written_.erase(
        written_.lower_bound(allocation.object),
        written_.lower_bound(allocation.object + std::max<std::uint64_t>(allocation.value, 1)));
  }

  const CauseSearch& search_;
  ProgramSites program_;
  std::map<std::uint64_t, Written> written_;              // by place
  std::unordered_map<std::uint16_t, std::size_t> depth_;  // by thread
  std::unordered_map<std::uint32_t, bool> destructors_;   // by site
};

// Local variables that others may see, and when their functions returned.
class Locals {
 public:
  explicit Locals(const CauseSearch& search) : search_(search), program_(search.trace) {}

  std::optional<Ended> find() {
    const std::vector<Event>& events = search_.events();
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      std::vector<std::vector<std::size_t>>& calls = calls_[raw(event.thread)];
      if (event.kind == EventKind::enter) calls.emplace_back();
      if (event.kind == EventKind::fork) made_[static_cast<std::uint16_t>(event.value)] = i;
      if (event.kind == EventKind::local && !calls.empty()) calls.back().push_back(i);
      if (event.kind == EventKind::exit && !calls.empty()) {
        for (const std::size_t local : calls.back())
          gone_[events[local].object].push_back({local, i});
        calls.pop_back();
      }
      if (event.kind == EventKind::write_range) note_range(event, i);
      if (event.kind == EventKind::acquire || event.kind == EventKind::await)
        told_.insert(raw(event.thread));
      const Access access = access_of(event, i);
      if (!access.reads && !access.writes) continue;
      // Also by the library: it is what copies what a thread is started with.
      note_pointer(event, access, i);
      if (!program_.contains(event.site)) continue;
      if (const auto found = used_by(event, i)) return found;
    }
    return std::nullopt;
  }

 private:
  struct Gone {
    std::size_t local = 0;  // event
    std::size_t end = 0;    // event
  };

  // The thread learned the address of something when that address was written; of what it was
  // started with, which the library copies out of sight, when it was made at the latest. Once it
  // has synchronised, others may have told it more, out of sight as well.
  void note_pointer(const Event& event, const Access& access, std::size_t index) {
    if (access.writes) {
      for (std::uint64_t word = 0; word < std::max<std::uint64_t>(event.size, 8); word += 8)
        stored_[event.object + word] = index;
    }
    const auto value = value_read(event);
    if (!value || event.size != 8) return;
    const auto stored = stored_.find(event.object);
    const auto made = made_.find(raw(event.thread));
    if (stored != stored_.end())
      pointers_[{raw(event.thread), *value}] = stored->second;
    else if (made != made_.end() && !told_.contains(raw(event.thread)))
      pointers_[{raw(event.thread), *value}] = made->second;
  }

  // What is copied as a whole may hold pointers, such as what a lambda captured.
  void note_range(const Event& event, std::size_t index) {
    constexpr std::uint64_t kPointer = 8;
    constexpr std::uint64_t kMostBytes = 256;
    for (std::uint64_t at = 0; at + kPointer <= event.value && at < kMostBytes; at += kPointer)
      stored_[event.object + at] = index;
  }

  std::optional<Ended> used_by(const Event& event, std::size_t index) const {
    const auto after = gone_.upper_bound(event.object);
    if (after == gone_.begin()) return std::nullopt;
    // Whatever lies there now, the thread means the variable whose address it was given: a function
    // that is called again has its variables where they were.
    const auto pointer = pointers_.find({raw(event.thread), std::prev(after)->first});
    if (pointer == pointers_.end()) return std::nullopt;
    for (const Gone& gone : std::prev(after)->second) {
      const Event& local = search_.events()[gone.local];
      const bool inside = event.object < local.object + std::max<std::uint64_t>(local.value, 1);
      const bool meant = pointer->second >= gone.local && pointer->second <= gone.end;
      if (inside && meant && local.thread != event.thread)
        return Ended{gone.end, index, gone.local};
    }
    return std::nullopt;
  }

  const CauseSearch& search_;
  ProgramSites program_;
  std::unordered_map<std::uint16_t, std::vector<std::vector<std::size_t>>> calls_;
  std::map<std::uint64_t, std::vector<Gone>> gone_;        // by where they were
  std::unordered_map<std::uint64_t, std::size_t> stored_;  // by place: its last write
  std::unordered_map<std::uint16_t, std::size_t> made_;    // by thread
  std::unordered_set<std::uint16_t> told_;                 // threads that have synchronised
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::size_t>
      pointers_;  // thread, value: stored
};

// Where the thread left the function, if the fault knows; otherwise that is not known.
Where left(const CauseSearch& search, Where function) {
  const auto& verdict = search.failure.verdict;
  const bool knows = verdict && verdict->fault &&
                     verdict->fault->kind == MemoryFaultKind::kGoneLocal &&
                     verdict->fault->freed.function == function.function;
  function.line = knows ? verdict->fault->freed.line : 0;
  return function;
}

Explanation told(const CauseSearch& search, const Ended& ended, Cause cause,
                 std::optional<std::size_t> local) {
  Storyteller teller(search.trace, search.failure, search.symbols);
  std::set<std::size_t> events = {ended.end, ended.used};
  if (local) events.insert(*local);
  teller.look_at(events);
  Explanation explanation;
  explanation.cause = cause;
  explanation.first = teller.access(ended.end);
  explanation.last = teller.access(ended.used);
  explanation.object = teller.object(local ? *local : ended.used);
  ExplainedStep end = teller.step(ended.end, local ? StepAction::kReturns : StepAction::kDestroys);
  end.object.clear();
  if (local) end.where = left(search, end.where);
  teller.add_step(explanation, std::move(end));
  ExplainedStep use = teller.step(ended.used);
  use.violates = true;
  if (local) {
    // What lies there now is no value of the variable.
    use.read.reset();
    const std::string part = teller.object(ended.used).name;
    const bool named = part.starts_with(explanation.object.name);
    use.object = named ? part : explanation.object.name;
  }
  teller.add_step(explanation, std::move(use));
  if (explanation.first.thread != explanation.last.thread) {
    explanation.suggestion = Suggestion::kWaitForUser;
  }
  return explanation;
}

// Threads meet by something that lies in the variable: a mutex, a condition, an atomic.
bool has_sync(const std::vector<Event>& events, const Event& local) {
  return std::any_of(events.begin(), events.end(), [&](const Event& event) {
    const EventKind kind = event.kind;
    const bool sync = kind == EventKind::acquire || kind == EventKind::release ||
                      kind == EventKind::wait || kind == EventKind::notify ||
                      kind == EventKind::signal || kind == EventKind::await ||
                      (is_atomic(kind) && kind != EventKind::fence);
    return sync && event.object >= local.object &&
           event.object - local.object < std::max<std::uint64_t>(local.value, 1);
  });
}

}  // namespace

bool after_its_function(const KeptTrace& trace, std::size_t index) {
  const std::vector<Event>& events = trace.all();
  std::vector<bool> destructors;
  std::size_t functions = 0;  // that code without hooks called: more than one, and it goes on
  for (std::size_t i = 0; i < index; ++i) {
    if (events[i].thread != events[index].thread) continue;
    if (events[i].kind == EventKind::thread_begin) destructors.clear();
    if (events[i].kind == EventKind::enter) {
      const bool destructor = !destroyed_class(trace.site(events[i].site)).empty();
      if (destructors.empty() && !destructor) ++functions;
      destructors.push_back(destructor);
    }
    if (events[i].kind == EventKind::exit && !destructors.empty()) destructors.pop_back();
  }
  // What a destructor calls is a part of it.
  return functions == 1 && (destructors.empty() || destructors.front());
}

std::optional<Explanation> find_use_after_destruction(const CauseSearch& search) {
  const std::optional<Ended> found = Destructions(search).find();
  if (!found) return std::nullopt;
  Explanation explanation = told(search, *found, Cause::kUseAfterDestruction, std::nullopt);
  const Event& end = search.events()[found->end];
  explanation.object.name = written_class(search.trace.site(end.site));
  explanation.at_thread_end = after_its_function(search.trace, found->end);
  if (explanation.at_thread_end && explanation.first.thread == kMainThread) {
    add_static_starter(explanation, search.trace, search.symbols, found->end,
                       explanation.last.thread);
  }
  return explanation;
}

std::optional<Explanation> find_use_after_return(const CauseSearch& search) {
  const std::optional<Ended> found = Locals(search).find();
  if (!found) return std::nullopt;
  Explanation explanation = told(search, *found, Cause::kUseAfterReturn, found->local);
  explanation.function = explanation.first.where.function;
  explanation.has_sync = has_sync(search.events(), search.events()[*found->local]);
  return explanation;
}

}  // namespace raddle
