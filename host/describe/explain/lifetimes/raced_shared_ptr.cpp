// Two threads use one std::shared_ptr variable, and one of them assigns it. Its count is atomic;
// the variable itself is two words that nothing guards.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "host/describe/explain/events/event_order.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"

namespace raddle {
namespace {

class Pointers {
 public:
  explicit Pointers(const CauseSearch& search) : search_(search) {}

  struct Pair {
    std::size_t first = 0;
    std::size_t second = 0;
  };

  std::optional<Pair> find() {
    const std::vector<Event>& events = search_.events();
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      order_.on(event);
      const bool plain = event.kind == EventKind::read || event.kind == EventKind::write;
      if (event.kind == EventKind::allocate) {
        const std::uint64_t end = event.object + std::max<std::uint64_t>(event.value, 1);
        places_.erase(places_.lower_bound(event.object), places_.lower_bound(end));
      }
      if (!plain || !is_pointer(event.site)) continue;
      const bool writes = event.kind == EventKind::write;
      auto& place = places_[event.object];
      for (const auto& [thread, known] : place) {
        const bool conflict = thread != raw(event.thread) && (known.writes || writes);
        if (conflict && !order_.before(ThreadId{thread}, known.moment, event.thread)) {
          return Pair{known.event, i};
        }
      }
      Known& own = place[raw(event.thread)];
      const bool written = own.writes && order_.now(event.thread) == own.moment;
      own = {i, order_.now(event.thread), writes || written};
    }
    return std::nullopt;
  }

 private:
  struct Known {
    std::size_t event = 0;
    std::uint32_t moment = 0;
    bool writes = false;
  };

  // Also where only the library's functions are known, as when an assignment ends an object of the
  // program: their caller is told then.
  bool is_pointer(SiteId id) {
    const auto [at, is_new] = pointers_.try_emplace(raw(id), false);
    if (!is_new) return at->second;
    const Site& site = search_.trace.site(id);
    const auto is_of_pointer = [](const std::string& name) {
      return name.find("__shared_ptr") != std::string::npos ||
             name.find("__shared_count") != std::string::npos;
    };
    // A member of another class is called by that one's name: its own functions tell.
    const bool own = !site.frames.empty() && is_of_pointer(site.frames.front().function);
    const bool member = own || is_of_pointer(site.cls) || site.field.ends_with("_M_ptr") ||
                        site.field.ends_with("_M_refcount") ||
                        site.field.ends_with("_M_refcount._M_pi");
    const bool inside =
        std::any_of(site.frames.begin(), site.frames.end(), [&](const SiteFrame& frame) {
          return is_of_pointer(frame.function) ||
                 frame.function.find("shared_ptr") != std::string::npos;
        });
    at->second = member && inside;
    return at->second;
  }

  const CauseSearch& search_;
  EventOrder order_{EventOrder::By::kEverything};
  std::unordered_map<std::uint32_t, bool> pointers_;  // by site
  std::map<std::uint64_t, std::unordered_map<std::uint16_t, Known>> places_;
};

}  // namespace

std::optional<Explanation> find_raced_shared_ptr(const CauseSearch& search) {
  const auto found = Pointers(search).find();
  if (!found) return std::nullopt;
  Storyteller teller(search.trace, search.failure, search.symbols);
  teller.look_at({found->first, found->second});
  if (teller.where(found->first).line == 0 || teller.where(found->second).line == 0)
    return std::nullopt;
  Explanation explanation;
  explanation.cause = Cause::kRacedSharedPtr;
  explanation.object = teller.object(found->first);
  explanation.first = teller.access(found->first);
  explanation.last = teller.access(found->second);
  explanation.suggestion = Suggestion::kGuardVariable;
  teller.add_steps(explanation, {found->first, found->second}, found->second);
  return explanation;
}

}  // namespace raddle
