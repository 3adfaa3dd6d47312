#include "host/describe/explain/lifetimes/lifetime.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "host/base/printable.hpp"
#include "host/describe/explain/events/explained_stack.hpp"
#include "host/describe/explain/events/folded_calls.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/lifetimes/kept_over_release.hpp"
#include "host/describe/explain/lifetimes/owner_end.hpp"
#include "host/describe/explain/lifetimes/static_starter.hpp"
#include "host/describe/explain/search/cause_search.hpp"
#include "host/symbols/member_names.hpp"
#include "host/symbols/names.hpp"
#include "host/symbols/place.hpp"
#include "host/trace/object_names.hpp"

namespace raddle {
namespace {

bool in_program(const Site& site) {
  return std::any_of(site.frames.begin(), site.frames.end(), [](const SiteFrame& frame) {
    return !frame.file.empty() && !is_system_header(frame.file);
  });
}

// Freed blocks, by address.
class Gone {
 public:
  void on(const Event& event, std::size_t index) {
    if (event.kind == EventKind::allocate) {
      sizes_[event.object] = event.value;
      // What lies in the new block is something else now.
      auto one = blocks_.lower_bound(event.object);
      if (one != blocks_.begin() && std::prev(one)->second.end > event.object) --one;
      while (one != blocks_.end() && one->first < event.object + event.value) {
        one = blocks_.erase(one);
      }
    }
    if (event.kind != EventKind::free) return;
    const auto size = sizes_.find(event.object);
    // What was allocated before the first event has its size from the free itself, if at all.
    const std::uint64_t bytes = size == sizes_.end() ? event.value : size->second;
    if (bytes != 0) blocks_.try_emplace(event.object, Block{event.object + bytes, index});
    if (size != sizes_.end()) sizes_.erase(size);
  }

  std::optional<UseAfterFree> used_by(const Event& access, std::size_t index) const {
    auto after = blocks_.upper_bound(access.object);
    if (after == blocks_.begin()) return std::nullopt;
    const auto& [begin, block] = *std::prev(after);
    if (access.object >= block.end) return std::nullopt;
    return UseAfterFree{block.freed, index, begin};
  }

 private:
  struct Block {
    std::uint64_t end;
    std::size_t freed;
  };
  std::map<std::uint64_t, std::uint64_t> sizes_;  // of what is allocated
  std::map<std::uint64_t, Block> blocks_;         // no two overlap
};

}  // namespace

namespace {

bool uses_object(const Event& event) {
  const EventKind kind = event.kind;
  return is_access(kind) || (is_atomic(kind) && kind != EventKind::fence) ||
         kind == EventKind::acquire || kind == EventKind::release || kind == EventKind::wait ||
         kind == EventKind::notify || kind == EventKind::signal || kind == EventKind::await ||
         kind == EventKind::free;
}

}  // namespace

static std::optional<UseAfterFree> use_at(const KeptTrace& trace, const StoryStep& freed,
                                          const StoryStep& used) {
  Gone gone;
  const std::vector<Event>& events = trace.all();
  const auto is_of = [&](std::size_t event, const StoryStep& step) {
    return events[event].step == step.step && events[event].thread == step.thread;
  };
  for (std::size_t i = 0; i < events.size() && events[i].step <= used.step; ++i) {
    const std::optional<UseAfterFree> found =
        uses_object(events[i]) && is_of(i, used) ? gone.used_by(events[i], i) : std::nullopt;
    if (found && is_of(found->freed, freed)) return found;
    gone.on(events[i], i);
  }
  return std::nullopt;
}

void explain_lifetime(FindingStory& story, const KeptTrace& trace, const Failure& failure,
                      Symbolizer& symbols) {
  if (story.kind != FindingKind::use_after_free || story.steps.size() != 2) return;
  const KeptTrace folded = fold_library_calls(trace, symbols);
  const std::optional<UseAfterFree> found = use_at(folded, story.steps[0], story.steps[1]);
  if (found)
    story.explanation = explain_use_after_free(folded, failure, *found, symbols, story.object);
}

std::optional<UseAfterFree> find_use_after_free(const KeptTrace& trace, ThreadId failing) {
  Gone gone;
  std::optional<UseAfterFree> of_others;
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const bool access = uses_object(event) && (!of_others || event.thread == failing);
    const std::optional<UseAfterFree> used = access ? gone.used_by(event, i) : std::nullopt;
    gone.on(event, i);
    if (!used || !in_program(trace.site(event.site))) continue;
    if (event.thread == failing) return used;
    of_others = used;
  }
  return of_others;
}

namespace {

// What the program does with what is gone.
StepAction use_of(const Event& event, const std::string& field) {
  if (field == kVptrField) return StepAction::kCalls;
  if (event.kind == EventKind::free) return StepAction::kFrees;
  if (event.kind == EventKind::acquire) return action_of_lock(event);
  if (event.kind == EventKind::notify) {
    return (event.flags & kAll) != 0 ? StepAction::kNotifiesAll : StepAction::kNotifies;
  }
  if (!is_access(event.kind) && !is_atomic(event.kind)) return StepAction::kUses;
  const bool writes = event.kind == EventKind::write || event.kind == EventKind::write_range ||
                      event.kind == EventKind::atomic_store;
  return writes ? StepAction::kWrites : StepAction::kReads;
}

// A lock that both hold.
std::uint64_t common_lock(const UseAfterFree& found, const ExplainedStacks& stacks) {
  const std::vector<std::uint64_t> user = stacks.held(found.used);
  for (const std::uint64_t lock : stacks.held(found.freed)) {
    if (std::find(user.begin(), user.end(), lock) != user.end()) return lock;
  }
  return 0;
}

// Readers may hold it at the same time: a lock for reading guards nothing against who frees.
void add_lock(Explanation& explanation, const UseAfterFree& found, const ExplainedStacks& stacks,
              const KeptTrace& trace) {
  const std::uint64_t lock = common_lock(found, stacks);
  if (lock == 0) return;
  if (!explanation.lock) explanation.lock = ExplainedLock{};
  explanation.lock->middle_shared = stacks.shared(found.freed, lock);
  explanation.lock->last_shared = stacks.shared(found.used, lock);
  const std::optional<std::size_t> taken = stacks.taken(found.freed, lock);
  if (taken && *taken < trace.all().size()) {
    explanation.lock->taken = stacks.stack(*taken).front();
  }
}

bool is_in_destructor(const Site& site) {
  const auto own = std::find_if(site.frames.begin(), site.frames.end(), [](const auto& frame) {
    return !frame.file.empty() && !is_system_header(frame.file);
  });
  return own != site.frames.end() && is_destructor(own->function);
}

// The thread is about to free the block once more: it is in the destructor of what the block is.
bool destroys_it(const Explanation& explanation, const UseAfterFree& found,
                 const KeptTrace& trace) {
  for (const SiteFrame& frame : trace.site(trace.all()[found.used].site).frames) {
    if (frame.file.empty() || is_system_header(frame.file)) continue;
    if (!is_destructor(frame.function)) return false;
    const std::string name = printable(short_function(frame.function));
    const std::string cls = name.substr(0, name.rfind("::~"));
    if (explanation.object.name.starts_with(cls + " #")) return true;
  }
  return false;
}

Suggestion suggested(const Explanation& explanation, const Site& freed, const Site& used) {
  const bool one_thread = explanation.first.thread == explanation.last.thread;
  if (explanation.cause == Cause::kDoubleFree) {
    return explanation.change && !explanation.lock ? Suggestion::kGuardPointer : Suggestion::kNone;
  }
  if (explanation.lock && explanation.lock->middle_shared) return Suggestion::kWriteLock;
  // Who destroys it, too, must not do so at all: nobody needs it any longer.
  if (!one_thread && is_in_destructor(used))
    return explanation.change && !explanation.lock ? Suggestion::kGuardPointer : Suggestion::kNone;
  // What a container frees is its own business: nobody else can own that.
  const bool by_library = !freed.frames.empty() && is_system_header(freed.frames.front().file);
  if (by_library && !is_own_class(explanation.object.name)) {
    if (!one_thread && explanation.at_thread_end) return Suggestion::kWaitForUser;
    const bool unguarded = !one_thread && explanation.change && !explanation.lock;
    return unguarded ? Suggestion::kGuardPointer : Suggestion::kNone;
  }
  return one_thread ? Suggestion::kLiveLonger : Suggestion::kKeepAlive;
}

// The function looked at the pointer and used what it points to, without any lock; the other thread
// freed that and changed the pointer, or is the same function, which would do so, too. The look and
// the rest belong together: who owned the object as well would still go by a look that is no longer
// true.
void look_and_use(Explanation& explanation, const UseAfterFree& found,
                  const ExplainedStacks& stacks) {
  const std::string& user = explanation.last.where.function;
  if (explanation.suggestion != Suggestion::kKeepAlive || user.empty()) return;
  const bool unlocked = stacks.held(found.used).empty() && stacks.held(found.freed).empty();
  const bool looks = !explanation.other.name.empty() && explanation.middle.where.function == user;
  const std::string& owner = explanation.first.where.function;
  const bool known = looks && unlocked && explanation.change &&
                     explanation.change->where.line != 0 &&
                     explanation.change->where.function == owner;
  if (known) {
    explanation.suggestion = Suggestion::kGuardPointer;
  } else if (user == owner) {
    explanation.suggestion = Suggestion::kNone;
  }
}

// One of the two holds a lock already: the other one does without it, or the place of the pointer
// is gone together with the lock. That a mutex is missing would be false.
void leave_out_guard(Explanation& explanation, const UseAfterFree& found,
                     const ExplainedStacks& stacks) {
  const bool locked = !stacks.held(found.used).empty() || !stacks.held(found.freed).empty();
  if (explanation.suggestion == Suggestion::kGuardPointer && locked)
    explanation.suggestion = Suggestion::kNone;
}

// Where the using thread had the block's address from: the last place that it read it from.
std::optional<std::size_t> pointer_read(const KeptTrace& trace, const UseAfterFree& found) {
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = found.used; i-- > 0;) {
    const bool read = events[i].kind == EventKind::read || events[i].kind == EventKind::atomic_load;
    if (!read || events[i].thread != events[found.used].thread) continue;
    if (events[i].size == 8 && events[i].value == found.block) return i;
  }
  return std::nullopt;
}

// The same function had looked there before, and found the same.
std::size_t first_look(const KeptTrace& trace, std::size_t read) {
  const std::vector<Event>& events = trace.all();
  const auto function = [&](std::size_t event) {
    for (const SiteFrame& frame : trace.site(events[event].site).frames)
      if (!frame.file.empty() && !is_system_header(frame.file)) return frame.function;
    return std::string();
  };
  const std::string own = function(read);
  std::size_t first = read;
  for (std::size_t i = read; i-- > 0;) {
    const Event& event = events[i];
    if (event.thread != events[read].thread) continue;
    if (event.kind == EventKind::enter || event.kind == EventKind::exit) break;
    const bool same = event.kind == events[read].kind && event.object == events[read].object &&
                      event.value == events[read].value;
    if (same && function(i) == own) first = i;
  }
  return first;
}

// The thread that freed the block is about to change that place.
const ThreadLine* about_to_change(const Failure& failure, ThreadId thread, std::uint64_t place) {
  const auto writes = [](OpKind op) {
    return op == OpKind::memory_write || op == OpKind::atomic_store || op == OpKind::atomic_update;
  };
  for (const ThreadLine& line : failure.threads) {
    const bool about = line.doing.kind == Doing::Kind::kAboutTo && writes(line.doing.op);
    if (line.id == thread && line.address == place && about) return &line;
  }
  return nullptr;
}

// Somebody else changed that place after the read.
std::optional<std::size_t> pointer_changed(const KeptTrace& trace, const UseAfterFree& found,
                                           std::size_t read) {
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = read; i < events.size(); ++i) {
    const bool write =
        events[i].kind == EventKind::write || events[i].kind == EventKind::atomic_store;
    const bool same = write && events[i].object == events[read].object;
    if (same && events[i].thread == events[found.freed].thread) return i;
  }
  return std::nullopt;
}

// What the program calls the memory, if it has no class: that of what points to it.
void add_pointer(Explanation& explanation, const UseAfterFree& found, const KeptTrace& trace,
                 const Failure& failure, Symbolizer& symbols) {
  std::optional<std::size_t> read = pointer_read(trace, found);
  if (!read) return;
  read = first_look(trace, *read);
  const std::optional<std::size_t> changed = pointer_changed(trace, found, *read);
  Storyteller teller(trace, failure, symbols);
  std::set<std::size_t> events = {*read};
  if (changed) events.insert(*changed);
  teller.look_at(events);
  explanation.other = teller.object(*read);
  // A node inside the C++ library says nothing.
  if (explanation.other.name.starts_with("std::_")) explanation.other = {};
  if (explanation.other.name.empty()) return;
  explanation.middle = teller.access(*read);
  if (changed) explanation.change = teller.access(*changed);
  const std::vector<Event>& all = trace.all();
  const ThreadLine* line =
      changed ? nullptr : about_to_change(failure, all[found.freed].thread, all[*read].object);
  if (line == nullptr) return;
  for (const Frame& frame : line->stack) {
    if (!frame.in_program) continue;
    ExplainedAccess change;
    change.thread = line->id;
    change.where = frame.where;
    change.writes = true;
    explanation.change = change;
    return;
  }
}

// What it deletes is told by where it does, not by what the destructor reads first.
void add_deletion(Explanation& explanation, const UseAfterFree& found,
                  const ExplainedStacks& stacks) {
  const std::vector<Where> stack = stacks.stack(found.used);
  const auto outside = std::find_if(stack.begin(), stack.end(), [](const Where& where) {
    return !is_destructor(where.function);
  });
  if (outside == stack.end() || outside->line == 0) return;
  explanation.last.where = *outside;
  explanation.steps.back().where = *outside;
  explanation.steps.back().action = StepAction::kFrees;
}

// The variable whose destructor is called by nothing of the program, as that of a static object is;
// empty if it has no name of its own.
std::string static_end(const ExplainedStacks& stacks, const ObjectNames& names,
                       const KeptTrace& trace, std::size_t freed) {
  const std::vector<std::size_t> calls = stacks.calls(freed);
  if (calls.empty()) return {};
  const Event& outermost = trace.all()[calls.front()];
  const std::vector<SiteFrame>& frames = trace.site(outermost.site).frames;
  if (outermost.object == 0 || frames.empty() || !is_destructor(frames.front().function)) return {};
  if (names.name_kind(outermost.object) != NameKind::kName) return {};
  const std::string name = printable(names.whole_name(outermost.object));
  const bool other = name.find(" #") != std::string::npos || name.find(" in ") != std::string::npos;
  return other ? std::string() : name;
}

ExplainedAccess access_of(const ExplainedStep& step) {
  ExplainedAccess access;
  access.thread = step.thread;
  access.where = step.where;
  return access;
}

}  // namespace

Explanation explain_use_after_free(const KeptTrace& trace, const Failure& failure,
                                   const UseAfterFree& found, Symbolizer& symbols,
                                   const std::string& known) {
  if (auto counted = explain_split_release(trace, failure, found, symbols)) return *counted;
  ExplainedStacks stacks(trace, symbols);
  stacks.look_at({found.freed, found.used});
  const std::uint64_t lock = common_lock(found, stacks);
  Explanation explanation;
  explanation.cause = Cause::kUseAfterFree;
  const std::vector<Event>& events = trace.all();
  ObjectNames names;
  trace.tell(names, [&](std::size_t index) {
    // Before it is freed it still has its name.
    if (index + 1 == found.freed || (index == 0 && found.freed == 0)) {
      const bool named = names.name_kind(found.block) != NameKind::kAddress;
      explanation.object.name = named ? printable(names.whole_name(found.block)) : std::string();
    }
    if (index != found.freed && index != found.used) return;
    if (index == found.freed) explanation.third.name = static_end(stacks, names, trace, index);
    if (lock != 0 && names.name_kind(lock) == NameKind::kName) {
      explanation.lock = ExplainedLock{printable(names.name(lock, NameForm::kVariable)), {}};
    }
    const Event& now = events[index];
    ExplainedStep step;
    step.thread = now.thread;
    step.step = now.step;
    step.where = stacks.place(index);
    step.action = StepAction::kFrees;
    if (index == found.used) {
      const std::string field = printable(names.sites()[now.site].field);
      if (!is_library_member(field)) explanation.object.field = field;
      step.action = use_of(now, field);
      step.violates = true;
    }
    const bool listed =
        std::any_of(explanation.threads.begin(), explanation.threads.end(),
                    [&](const ExplainedThread& one) { return one.id == now.thread; });
    if (!listed) explanation.threads.push_back({now.thread, name_in(failure, now.thread)});
    explanation.steps.push_back(std::move(step));
  });
  if (explanation.object.name.empty() && known != "a block") explanation.object.name = known;
  explanation.first = access_of(explanation.steps.front());
  explanation.last = access_of(explanation.steps.back());
  explanation.first.inside = function_names(stacks.stack(found.freed));
  explanation.last.inside = function_names(stacks.stack(found.used));
  if (events[found.used].kind == EventKind::free) explanation.cause = Cause::kDoubleFree;
  if (destroys_it(explanation, found, trace)) {
    explanation.cause = Cause::kDoubleFree;
    add_deletion(explanation, found, stacks);
  }
  explanation.last.inside = function_names(stacks.stack(found.used));
  explanation.at_thread_end = events[found.freed].thread != events[found.used].thread &&
                              after_its_function(trace, found.freed);
  const bool with_main = explanation.at_thread_end && explanation.first.thread == kMainThread;
  if (!with_main) explanation.third = {};
  if (with_main)
    add_static_starter(explanation, trace, symbols, found.freed, events[found.used].thread);
  add_lock(explanation, found, stacks, trace);
  add_pointer(explanation, found, trace, failure, symbols);
  explanation.suggestion = suggested(explanation, trace.site(events[found.freed].site),
                                     trace.site(events[found.used].site));
  look_and_use(explanation, found, stacks);
  leave_out_guard(explanation, found, stacks);
  add_kept_over_release(explanation, found, lock, trace, failure, symbols);
  if (explanation.cause == Cause::kUseAfterFree) {
    add_released_guard(explanation, {found.freed, found.used, events[found.used].thread}, trace,
                       failure, symbols);
  }
  add_owner_end(explanation, {found.freed, found.used, events[found.used].thread}, trace, symbols);
  return explanation;
}

}  // namespace raddle
