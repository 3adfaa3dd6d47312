#include "host/describe/explain/lifetimes/kept_over_release.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/base/printable.hpp"
#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/symbols/names.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

struct Gap {
  std::size_t released = 0;
  std::size_t taken = 0;  // again
};

class Gaps {
 public:
  Gaps(const KeptTrace& trace, Symbolizer& symbols, const UseAfterFree& found, std::uint64_t lock)
      : trace_(trace),
        events_(trace.all()),
        found_(found),
        lock_(lock),
        user_(events_[found.used].thread),
        stacks_(trace, symbols) {}

  std::optional<Gap> find() {
    stacks_.look_at({found_.freed, found_.used});
    const std::optional<std::size_t> taken = stacks_.taken(found_.used, lock_);
    if (stacks_.shared(found_.freed, lock_) || !taken || *taken < found_.freed) return std::nullopt;
    const std::optional<std::size_t> released = last_release();
    if (!released || !made_before(*released) || found_again(*taken, *released)) return std::nullopt;
    if (!came_to_it(*released) && !goes_on_in_library(*released)) return std::nullopt;
    return Gap{*released, *taken};
  }

 private:
  bool is_inside(std::uint64_t place) const { return place >= found_.block && place < end_; }

  std::optional<std::size_t> last_release() const {
    for (std::size_t i = found_.freed; i-- > 0;) {
      const Event& event = events_[i];
      if (event.thread == user_ && event.kind == EventKind::release && event.object == lock_ &&
          event.value == 0)
        return i;
    }
    return std::nullopt;
  }

  // What the thread came to before that was this object.
  bool made_before(std::size_t released) {
    end_ = found_.block + std::max<std::uint64_t>(events_[found_.freed].value, 1);
    for (std::size_t i = 0; i < found_.freed; ++i) {
      if (events_[i].kind != EventKind::allocate || events_[i].object != found_.block) continue;
      made_ = i;
      end_ = found_.block + events_[i].value;
    }
    return made_ < released;
  }

  bool reads_pointer(const Event& event) const {
    const bool read = event.kind == EventKind::read || event.kind == EventKind::atomic_load;
    return read && event.thread == user_ && event.size == 8 && is_inside(event.value);
  }

  // It read a pointer there when it had the lock again, from where others may have left it; what it
  // had written itself, such as a local variable, it has kept.
  bool found_again(std::size_t taken, std::size_t released) const {
    std::unordered_map<std::uint64_t, std::size_t> written;  // by the user, up to the release
    for (std::size_t i = made_; i < found_.used; ++i) {
      const Event& event = events_[i];
      if (access_of(event, i).writes) {
        if (event.thread == user_ && i < released)
          written[event.object] = i;
        else
          written.erase(event.object);
      }
      if (i > taken && reads_pointer(event) && !written.contains(event.object)) return true;
    }
    return false;
  }

  // It used the object, or read a pointer to it.
  bool came_to_it(std::size_t released) const {
    for (std::size_t i = made_ + 1; i < released; ++i) {
      const Event& event = events_[i];
      if (event.thread != user_) continue;
      if ((is_access(event.kind) && is_inside(event.object)) || reads_pointer(event)) return true;
    }
    return false;
  }

  // Going from one element of a container to the next is code of the library without hooks. Where
  // both hold the lock, no element that is there leads to one that is not: the function that
  // released the lock had come there before.
  bool goes_on_in_library(std::size_t released) {
    const std::vector<SiteFrame>& frames = trace_.site(events_[found_.freed].site).frames;
    if (frames.empty() || !is_system_header(frames.front().file)) return false;
    stacks_.look_at({found_.used, released});
    const std::vector<std::size_t> before = stacks_.calls(released);
    const std::vector<std::size_t> calls = stacks_.calls(found_.used);
    const auto own = std::find_if(calls.rbegin(), calls.rend(), [&](std::size_t call) {
      return !stacks_.function(call).empty();
    });
    return own != calls.rend() && std::find(before.begin(), before.end(), *own) != before.end();
  }

  const KeptTrace& trace_;
  const std::vector<Event>& events_;
  const UseAfterFree& found_;
  const std::uint64_t lock_;
  const ThreadId user_;
  ExplainedStacks stacks_;
  std::size_t made_ = 0;   // event, if it is known
  std::uint64_t end_ = 0;  // of the block
};

std::string name_of(const Explanation& explanation, const Storyteller& teller, std::uint64_t lock) {
  std::string name = teller.lock_name(lock);
  if (!name.empty()) return name;
  return explanation.lock && !explanation.lock->name.empty() ? explanation.lock->name : "the lock";
}

// The optimiser makes one of several unlocks of a function, which then has no line. Its caller's
// line would be that of something else.
Where place_of_release(const KeptTrace& trace, const Storyteller& teller, std::size_t released) {
  const std::vector<SiteFrame>& frames = trace.site(trace.all()[released].site).frames;
  if (frames.empty() || frames.front().line != 0) return teller.where(released);
  Where where;
  where.function = printable(short_function(frames.front().function));
  return where;
}

}  // namespace

void add_kept_over_release(Explanation& explanation, const UseAfterFree& found, std::uint64_t lock,
                           const KeptTrace& trace, const Failure& failure, Symbolizer& symbols) {
  const std::vector<Event>& events = trace.all();
  if (explanation.cause != Cause::kUseAfterFree || lock == 0 ||
      events[found.freed].thread == events[found.used].thread)
    return;
  const std::optional<Gap> gap = Gaps(trace, symbols, found, lock).find();
  if (!gap) return;
  Storyteller teller(trace, failure, symbols);
  teller.look_at({gap->released, gap->taken});
  const Where given_up = place_of_release(trace, teller, gap->released);
  if (given_up.function.empty() || teller.where(gap->taken).line == 0) return;
  explanation.early = teller.access(gap->released);
  explanation.early->where = given_up;
  explanation.late = teller.access(gap->taken);
  // Who waits for a condition has to give the lock up.
  if ((events[gap->released].flags & kByWait) != 0) explanation.waited = given_up;
  explanation.ownable = explanation.suggestion == Suggestion::kKeepAlive;
  explanation.suggestion = Suggestion::kHoldWhileUsed;
  if (!explanation.lock) explanation.lock = ExplainedLock{.name = teller.lock_name(lock)};
  const auto insert = [&](std::size_t event, StepAction action) {
    ExplainedStep step = teller.step(event, action);
    step.object = name_of(explanation, teller, lock);
    if (event == gap->released) step.where = given_up;
    const auto at = std::find_if(
        explanation.steps.begin(), explanation.steps.end(), [&](const ExplainedStep& one) {
          return one.step > step.step || (one.violates && one.step == step.step);
        });
    explanation.steps.insert(at, std::move(step));
  };
  insert(gap->released, StepAction::kUnlocks);
  insert(gap->taken, action_of_lock(events[gap->taken]));
}

}  // namespace raddle
