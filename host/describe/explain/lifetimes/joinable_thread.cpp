// The destructor of a std::thread that is joinable calls std::terminate.
#include <algorithm>

#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"

namespace raddle {
namespace {

bool has_function(const std::vector<Frame>& stack, std::string_view function) {
  return std::any_of(stack.begin(), stack.end(), [&](const Frame& frame) {
    return frame.where.function.starts_with(function);
  });
}

// The failing thread's last access, if the destructor made it: the look whether it is joinable.
std::optional<std::size_t> last_look(const CauseSearch& search) {
  const std::vector<Event>& events = search.events();
  for (std::size_t i = events.size(); i-- > 0;) {
    if (events[i].thread != search.failing || !is_access(events[i].kind)) continue;
    const std::vector<SiteFrame>& frames = search.trace.site(events[i].site).frames;
    const bool inside = std::any_of(frames.begin(), frames.end(), [](const SiteFrame& frame) {
      return frame.function.starts_with("std::thread::~thread");
    });
    return inside ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

// The start of the one thread that the failing one started and did not join; nothing if there are
// more.
std::optional<std::size_t> only_start(const CauseSearch& search) {
  std::vector<std::size_t> starts;
  const std::vector<Event>& events = search.events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].thread != search.failing) continue;
    if (events[i].kind == EventKind::fork) starts.push_back(i);
    if (events[i].kind == EventKind::join) {
      std::erase_if(starts,
                    [&](std::size_t start) { return events[start].value == events[i].value; });
    }
  }
  return starts.size() == 1 ? std::optional(starts.front()) : std::nullopt;
}

}  // namespace

std::optional<Explanation> find_joinable_destroyed(const CauseSearch& search) {
  Storyteller teller(search.trace, search.failure, search.symbols);
  const ThreadLine* line = teller.line(search.failing);
  if (line == nullptr || !has_function(line->stack, "std::terminate") ||
      !has_function(line->stack, "std::thread::~thread"))
    return std::nullopt;
  const std::optional<std::size_t> look = last_look(search);
  const std::optional<std::size_t> start = only_start(search);
  std::set<std::size_t> shown;
  if (look) shown.insert(*look);
  if (start) shown.insert(*start);
  teller.look_at(shown);
  Explanation explanation;
  explanation.cause = Cause::kJoinableDestroyed;
  if (look) explanation.object = teller.object(*look);
  // Without optimisation a variable that is destroyed on the way of an exception has no name.
  const bool unnamed =
      explanation.object.name.empty() || explanation.object.name.starts_with("a temporary");
  if (unnamed) explanation.object = {"a std::thread", "a std::thread", {}};
  explanation.last.thread = search.failing;
  explanation.last.where = search.failure.where;
  explanation.function = search.failure.where.function;
  if (start) {
    explanation.first = teller.access(*start);
    explanation.function = explanation.first.where.function;
    ExplainedStep step = teller.step(*start);
    step.callee.clear();
    teller.add_step(explanation, std::move(step));
  }
  if (!explanation.function.empty()) explanation.suggestion = Suggestion::kJoinAlways;
  return explanation;
}

}  // namespace raddle
