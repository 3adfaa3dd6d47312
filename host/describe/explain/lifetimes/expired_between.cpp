// A look at a std::weak_ptr, and then a lock() that comes to nothing: the last owner let go in
// between.
#include <algorithm>
#include <string>
#include <string_view>

#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kCountOffset = 8;  // of the count of owners, in the library's block

struct Expired {
  std::size_t look = 0;     // of the failing thread: there are owners
  std::size_t dropped = 0;  // by another one: the last is gone
  std::size_t locked = 0;   // of the failing thread: there are none
  std::size_t pointer = 0;  // where it read the std::weak_ptr to look
};

class WeakPointers {
 public:
  explicit WeakPointers(const CauseSearch& search) : search_(search) {}

  std::optional<Expired> find() const {
    const std::vector<Event>& events = search_.events();
    for (std::size_t i = events.size(); i-- > 0;) {
      const bool own = events[i].thread == search_.failing;
      if (!own || !is_called(i, {"::lock", "_M_add_ref_lock"}) || value_read(events[i]) != 0U)
        continue;
      return before(i);
    }
    return std::nullopt;
  }

 private:
  bool is_called(std::size_t event, std::initializer_list<std::string_view> names) const {
    const Event& now = search_.events()[event];
    if (!is_atomic(now.kind)) return false;
    const std::vector<SiteFrame>& frames = search_.trace.site(now.site).frames;
    return std::any_of(frames.begin(), frames.end(), [&](const SiteFrame& frame) {
      const bool weak = frame.function.find("weak_ptr") != std::string::npos ||
                        frame.function.find("_Sp_counted_base") != std::string::npos;
      return weak && std::any_of(names.begin(), names.end(), [&](std::string_view name) {
               return frame.function.find(name) != std::string::npos;
             });
    });
  }

  // The drop to 0, and before that the look.
  std::optional<Expired> before(std::size_t locked) const {
    const std::vector<Event>& events = search_.events();
    std::optional<std::size_t> dropped;
    for (std::size_t i = locked; i-- > 0;) {
      if (events[i].object != events[locked].object || !is_atomic(events[i].kind)) continue;
      const bool own = events[i].thread == search_.failing;
      if (!own && !dropped && access_of(events[i], i).writes) {
        const bool last = value_read(events[i]) == 1U && value_written(events[i]) == 0U;
        if (!last) return std::nullopt;
        dropped = i;
      }
      if (!own || !is_called(i, {"::expired", "::use_count"})) continue;
      const auto pointer = pointer_read(i);
      if (!dropped || !pointer || value_read(events[i]).value_or(0) == 0) return std::nullopt;
      return Expired{i, *dropped, locked, *pointer};
    }
    return std::nullopt;
  }

  // The std::weak_ptr has the address of the block.
  std::optional<std::size_t> pointer_read(std::size_t look) const {
    constexpr std::size_t kLookedAt = 32;
    const std::vector<Event>& events = search_.events();
    std::size_t seen = 0;
    for (std::size_t i = look; i-- > 0 && seen < kLookedAt; ++seen) {
      const bool own = events[i].thread == search_.failing && events[i].kind == EventKind::read;
      if (own && value_read(events[i]) == events[look].object - kCountOffset) return i;
    }
    return std::nullopt;
  }

  const CauseSearch& search_;
};

// The thread failed in the function that called lock(), or in one that this statement called
// without an object.
bool fails_there(const Failure& failure, const Where& locked) {
  if (locked.function == failure.where.function) return true;
  const std::optional<std::uint64_t> fault =
      failure.verdict ? failure.verdict->fault_address : std::nullopt;
  if (!fault || !is_by_null(*fault) || failure.threads.empty()) return false;
  const std::vector<Frame>& stack = failure.threads.front().stack;
  return std::any_of(stack.begin(), stack.end(), [&](const Frame& frame) {
    return frame.where.function == locked.function && frame.where.line == locked.line;
  });
}

}  // namespace

std::optional<Explanation> find_expired_between(const CauseSearch& search) {
  const std::optional<Expired> found = WeakPointers(search).find();
  if (!found) return std::nullopt;
  Storyteller teller(search.trace, search.failure, search.symbols);
  teller.look_at({found->look, found->dropped, found->locked, found->pointer});
  Explanation explanation;
  explanation.cause = Cause::kCheckThenAct;
  explanation.object = teller.object(found->pointer);
  // Of the program's own objects it may be known only that the library's code is at work there.
  if (explanation.object.name.starts_with("std::")) explanation.object.name = "a std::weak_ptr";
  explanation.first = teller.access(found->look);
  explanation.middle = teller.access(found->dropped);
  explanation.last = teller.access(found->locked);
  explanation.suggestion = Suggestion::kLockWeak;
  // Whoever looks at what lock() returned goes on to fail elsewhere, if at all.
  const bool here = fails_there(search.failure, explanation.last.where);
  const bool known = explanation.first.where.line != 0 && explanation.middle.where.line != 0 &&
                     explanation.last.where.line != 0 && !explanation.object.name.empty();
  if (!here || !known) return std::nullopt;
  for (const std::size_t event : {found->look, found->dropped, found->locked}) {
    ExplainedStep step = teller.step(event);
    step.object = "the count of owners";
    step.violates = event == found->locked;
    teller.add_step(explanation, std::move(step));
  }
  return explanation;
}

}  // namespace raddle
