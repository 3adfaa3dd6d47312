// Searches for single causes in a failed execution. Each returns an explanation only if all that it
// says is so in this execution. Used by explain() alone, which asks them in order.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explanation.hpp"

namespace raddle {

struct CauseSearch {
  const KeptTrace& trace;
  const Failure& failure;
  const AccessHistory& history;
  Symbolizer& symbols;
  ThreadId failing{};

  const std::vector<Event>& events() const { return trace.all(); }
};

// Lifetimes: an object that a destructor ended, a local variable of a function that returned, a
// std::shared_ptr that two threads use and one assigns.
std::optional<Explanation> find_use_after_destruction(const CauseSearch& search);
std::optional<Explanation> find_use_after_return(const CauseSearch& search);
// The same, where the use is the fault itself, which is no event.
std::optional<Explanation> find_gone_local(const CauseSearch& search);
// A member of an object that is being destroyed, which a thread that the object has started uses.
std::optional<Explanation> find_ended_member(const CauseSearch& search);
// The same of any other thread, while the members end.
std::optional<Explanation> find_destroyed_in_use(const CauseSearch& search);
// At this event its thread had left the function that it runs: main, or the start routine.
bool after_its_function(const KeptTrace& trace, std::size_t event);
std::optional<Explanation> find_raced_shared_ptr(const CauseSearch& search);

// Memory that one thread handed to another by a pointer, and wrote again while that one read it.
std::optional<Explanation> find_reused_early(const CauseSearch& search);

// Orders: what the failing thread read before it was written; a wait that timed out before the
// answer came; a wait after which nobody looked again.
std::optional<Explanation> find_use_before_write(const CauseSearch& search);
// A member that a thread read before the constructor wrote it that had started the thread.
std::optional<Explanation> find_started_in_constructor(const CauseSearch& search);
// The same where that is no member that somebody wrote, see Storyteller::is_of_vptr().
void tell_as_call(Explanation& explanation);
std::optional<Explanation> find_late_answer(const CauseSearch& search);
// What it waited for had come when a wait timed out, and its thread went on without a look.
std::optional<Explanation> find_missed_at_time_out(const CauseSearch& search);
std::optional<Explanation> find_unchecked_wait(const CauseSearch& search);
// Waits that timed out, each with its wake-up. Who waits again in the same call did not give up.
std::vector<std::pair<std::size_t, std::size_t>> given_up(const std::vector<Event>& events);
// The read is one by which the thread decides whether to wait, or to wait again.
bool is_look(const CauseSearch& search, std::size_t wait, std::size_t read);
// The thread's next wait came to its end, too.
bool wakes_between(const std::vector<Event>& events, ThreadId thread, std::size_t from,
                   std::size_t to);
// The failing thread's own wait timed out, and what it read after it nobody had written meanwhile.
std::optional<Explanation> find_own_time_out(const CauseSearch& search);
// Weaker: the failing thread came to the waiter's lock after the time-out.
std::optional<Explanation> find_passed_time_out(const CauseSearch& search);
// The failing thread destroys a lock that another thread holds, or the other way round.
std::optional<Explanation> find_destroyed_lock(const CauseSearch& search);
// What the failing thread did last, but for its failure, was a misuse.
std::optional<Explanation> find_last_misuse(const CauseSearch& search);
// What the failing thread was about to use, a condition for one, was destroyed: its memory is gone
// as well, so that the use is a fault before it is a misuse.
std::optional<Explanation> find_use_of_destroyed(const CauseSearch& search);

// The failing thread destroyed a std::thread that was neither joined nor detached.
std::optional<Explanation> find_joinable_destroyed(const CauseSearch& search);

// What the write leaves is what was there before; or it is a constructor's, of an object that is
// not made yet: who reads it sees nothing new.
bool is_no_news(const AccessHistory& history, std::size_t write);

// The failing thread saw that a std::weak_ptr has an object, and then its lock() had none.
std::optional<Explanation> find_expired_between(const CauseSearch& search);

// What a thread saw under a lock that it then gave up and took again: another thread had done
// meanwhile what it does.
std::optional<Explanation> find_lapsed_look(const CauseSearch& search);

// A thread wrote with a lock held for reading only what the failing one, which held it for reading
// at the same time, used; or the other way round.
std::optional<Explanation> find_written_by_reader(const CauseSearch& search);

// Atomicity of more than one place: a compare-and-swap that a value came back to, two variables of
// which one was seen new and one old.
std::optional<Explanation> find_aba(const CauseSearch& search);
std::optional<Explanation> find_torn_pair(const CauseSearch& search);
// Of a torn pair whose objects have one name: they lie side by side, so they are parts of one. Two
// objects of one class may have the same name, too.
bool is_one_object(const Explanation& explanation, const Event& one, const Event& other);

// Two accesses at one place, such as a getter's: where it is called says more, unless that is one
// place as well.
void name_callers(ExplainedAccess& one, const std::vector<Where>& stack, ExplainedAccess& other,
                  const std::vector<Where>& other_stack);

// No cause: who wrote what the failing thread read last.
std::optional<Explanation> find_last_writer(const CauseSearch& search);

}  // namespace raddle
