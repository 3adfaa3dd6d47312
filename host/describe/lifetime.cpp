#include "host/describe/lifetime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "host/base/printable.hpp"
#include "host/describe/event_words.hpp"
#include "host/describe/explained_stack.hpp"
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

Explanation explain_use_after_free(const KeptTrace& trace, const Failure& failure,
                                   const UseAfterFree& found, Symbolizer& symbols) {
  ExplainedStacks stacks(trace, symbols);
  stacks.look_at({found.freed, found.used});
  Explanation explanation;
  const std::vector<Event>& events = trace.all();
  std::string object;
  std::string field;
  ObjectNames names;
  // Before it is freed it still has its name.
  trace.tell(names, [&](std::size_t index) {
    if (index + 1 == found.freed || (index == 0 && found.freed == 0)) {
      object = printable(names.whole_name(found.block));
    }
    if (index != found.freed && index != found.used) return;
    const Event& now = events[index];
    ExplainedStep step{raw(now.thread), now.step, stacks.stack(index).front(), {}, false};
    if (index == found.used) {
      const SiteName& site = names.sites()[now.site];
      field = printable(site.field);
      step.violates = true;
    }
    ThreadLine line;
    line.id = raw(now.thread);
    const auto known = std::find_if(failure.threads.begin(), failure.threads.end(),
                                    [&](const ThreadLine& one) { return one.id == line.id; });
    if (known != failure.threads.end()) line.name = known->name;
    const bool listed = std::any_of(explanation.threads.begin(), explanation.threads.end(),
                                    [&](const ThreadLine& one) { return one.id == line.id; });
    if (!listed) explanation.threads.push_back(std::move(line));
    explanation.steps.push_back(std::move(step));
  });
  if (object.empty() || object.starts_with("0x")) object = "a block of the heap";
  ExplainedStep& freed = explanation.steps.front();
  ExplainedStep& used = explanation.steps.back();
  const bool writes = events[found.used].kind == EventKind::write ||
                      events[found.used].kind == EventKind::write_range ||
                      events[found.used].kind == EventKind::atomic_store;
  freed.what = "frees " + object;
  used.what = field == "(vptr)"
                  ? "calls a function of it"
                  : fmt::format("{} {}", writes ? "writes" : "reads", field.empty() ? "it" : field);
  const std::string user = fmt::format("T{}", used.thread);
  const std::string owner = fmt::format("T{}", freed.thread);
  explanation.title = "use after free: " + object;
  explanation.summary = fmt::format("{} used it at {} after {} had freed it at {}", user,
                                    short_place(used.where), owner, short_place(freed.where));
  explanation.sentences.push_back(fmt::format(
      "What {} finds there is what the heap, or whoever has the memory now, wrote.", user));
  explanation.suggestion =
      freed.thread == used.thread
          ? fmt::format("let the object live until its last use at {}.", short_place(used.where))
          : fmt::format(
                "keep the object alive until {} is done with it at {}: let {} own it, too "
                "(std::shared_ptr), or let {} wait for {} before it frees it. No lock "
                "around the access would do.",
                user, short_place(used.where), user, owner, user);
  return explanation;
}

}  // namespace raddle
