#include "host/describe/lifetime.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "host/base/printable.hpp"
#include "host/describe/explained_stack.hpp"
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
    if (size == sizes_.end()) return;  // how much of it is not known
    blocks_[event.object] = {event.object + size->second, index};
    sizes_.erase(size);
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

std::optional<UseAfterFree> find_use_after_free(const KeptTrace& trace, ThreadId failing) {
  Gone gone;
  std::optional<UseAfterFree> of_others;
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    gone.on(event, i);
    const bool access =
        is_access(event.kind) || (is_atomic(event.kind) && event.kind != EventKind::fence);
    if (!access || (of_others && event.thread != failing)) continue;
    const std::optional<UseAfterFree> used = gone.used_by(event, i);
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
  const bool writes = event.kind == EventKind::write || event.kind == EventKind::write_range ||
                      event.kind == EventKind::atomic_store;
  return writes ? StepAction::kWrites : StepAction::kReads;
}

ExplainedAccess access_of(const ExplainedStep& step) {
  ExplainedAccess access;
  access.thread = step.thread;
  access.where = step.where;
  return access;
}

}  // namespace

Explanation explain_use_after_free(const KeptTrace& trace, const Failure& failure,
                                   const UseAfterFree& found, Symbolizer& symbols) {
  ExplainedStacks stacks(trace, symbols);
  stacks.look_at({found.freed, found.used});
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
    const Event& now = events[index];
    ExplainedStep step;
    step.thread = now.thread;
    step.step = now.step;
    step.where = stacks.stack(index).front();
    step.action = StepAction::kFrees;
    if (index == found.used) {
      explanation.object.field = printable(names.sites()[now.site].field);
      step.action = use_of(now, explanation.object.field);
      step.violates = true;
    }
    const bool listed =
        std::any_of(explanation.threads.begin(), explanation.threads.end(),
                    [&](const ExplainedThread& one) { return one.id == now.thread; });
    if (!listed) explanation.threads.push_back({now.thread, name_in(failure, now.thread)});
    explanation.steps.push_back(std::move(step));
  });
  explanation.first = access_of(explanation.steps.front());
  explanation.last = access_of(explanation.steps.back());
  explanation.suggestion = explanation.first.thread == explanation.last.thread
                               ? Suggestion::kLiveLonger
                               : Suggestion::kKeepAlive;
  return explanation;
}

}  // namespace raddle
