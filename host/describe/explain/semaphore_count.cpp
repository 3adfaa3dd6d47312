// A thread waits for a semaphore for ever: how often it was posted, and who took what was posted.
#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/storyteller.hpp"

namespace raddle {

std::optional<Explanation> explain_semaphore(const KeptTrace& trace, const Failure& failure,
                                             Symbolizer& symbols) {
  const std::vector<Event>& events = trace.all();
  for (const ThreadLine& line : failure.threads) {
    const bool waits = line.blocked && line.doing.object.cls == ObjectClass::semaphore;
    if (!waits || line.address == 0) continue;
    std::size_t posts = 0;
    std::size_t taken = 0;
    std::size_t last_post = 0;
    std::size_t last_taken = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].object != line.address) continue;
      if (events[i].kind == EventKind::signal) {
        ++posts;
        last_post = i;
      } else if (events[i].kind == EventKind::await) {
        ++taken;
        last_taken = i;
      }
    }
    if (posts == 0 || taken == 0 || events[last_taken].thread == line.id) continue;
    Storyteller teller(trace, failure, symbols);
    teller.look_at({last_post, last_taken});
    Explanation explanation;
    explanation.cause = Cause::kTooFewPosts;
    explanation.object = teller.object(last_post);
    if (explanation.object.name.empty()) explanation.object.ref = line.doing.object;
    explanation.first = teller.access(last_post);
    explanation.middle = teller.access(last_taken);
    explanation.posts = posts;
    explanation.taken = taken;
    explanation.last.thread = line.id;
    for (const Frame& frame : line.stack) {
      if (!frame.in_program) continue;
      explanation.last.where = frame.where;
      break;
    }
    return explanation;
  }
  return std::nullopt;
}

}  // namespace raddle
