// A thread waits for a semaphore for ever: how often it was posted, and who took what was posted.
#include <algorithm>
#include <set>

#include "host/describe/explain/counting/counted_objects.hpp"
#include "host/describe/explain/counting/kept_permit.hpp"
#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/storyteller.hpp"

namespace raddle {
namespace {

void add_waiter(Explanation& explanation, const ThreadLine& line) {
  explanation.last.thread = line.id;
  for (const Frame& frame : line.stack) {
    if (!frame.in_program) continue;
    explanation.last.where = frame.where;
    break;
  }
}

// There is something to take, and the thread waits all the same: libstdc++'s acquire() sleeps until
// the number changes if it lost against another thread, also if the number is not 0 by then (GCC 12
// has it).
std::optional<Explanation> explain_library_wait(const KeptTrace& trace, const Failure& failure,
                                                const ThreadLine& waiter,
                                                const CountedObject* object, Symbolizer& symbols) {
  const bool futex = waiter.doing.object.cls == ObjectClass::futex;
  if (object == nullptr || !futex || object->posts.empty() || object->value.value_or(0) <= 0)
    return std::nullopt;
  Storyteller teller(trace, failure, symbols);
  teller.look_at({object->posts.back()});
  Explanation explanation;
  explanation.cause = Cause::kWokenInVain;
  explanation.object = teller.object(object->posts.back());
  if (explanation.object.name.empty()) explanation.object.ref = waiter.doing.object;
  explanation.object.field.clear();
  explanation.first = teller.access(object->posts.back());
  explanation.start = object->start;
  explanation.value = object->value;
  ExplainedStep post = teller.step(object->posts.back(), StepAction::kPosts);
  post.object.clear();
  teller.add_step(explanation, std::move(post));
  add_waiter(explanation, waiter);
  return explanation;
}

// std::counting_semaphore is a number that its functions count by themselves.
class Counters {
 public:
  explicit Counters(const KeptTrace& trace) : trace_(trace) {
    for (const Event& event : trace.all())
      if (is_atomic(event.kind) && is_of_semaphore(event.site)) counters_.insert(event.object);
  }

  bool contains(std::uint64_t address) const { return counters_.contains(address); }

  // The same, with what takes from a counter and adds to it as what is done with a semaphore.
  KeptTrace as_semaphores() const {
    std::vector<Event> events = trace_.all();
    for (Event& event : events) {
      if (!counters_.contains(event.object)) continue;
      const bool takes = event.kind == EventKind::atomic_compare && (event.flags & kSuccess) != 0;
      const bool posts = event.kind == EventKind::atomic_update;
      const bool wakes = event.kind == EventKind::signal || event.kind == EventKind::await;
      if (takes) event.kind = EventKind::await;
      if (posts) event.kind = EventKind::signal;
      if (wakes) event.kind = EventKind::none;
    }
    return trace_.retold(std::move(events), {});
  }

 private:
  bool is_of_semaphore(SiteId site) const {
    const std::vector<SiteFrame>& frames = trace_.site(site).frames;
    return std::any_of(frames.begin(), frames.end(), [](const SiteFrame& frame) {
      return is_system_header(frame.file) && frame.function.find("semaphore") != std::string::npos;
    });
  }

  const KeptTrace& trace_;
  std::set<std::uint64_t> counters_;  // addresses
};

}  // namespace

KeptTrace with_semaphores(const KeptTrace& trace) { return Counters(trace).as_semaphores(); }

std::optional<Explanation> explain_semaphore(const KeptTrace& given, const Failure& failure,
                                             Symbolizer& symbols) {
  const Counters counters(given);
  const KeptTrace trace = counters.as_semaphores();
  const std::vector<Event>& events = trace.all();
  for (const ThreadLine& line : failure.threads) {
    const bool waits = line.blocked && (line.doing.object.cls == ObjectClass::semaphore ||
                                        counters.contains(line.address));
    if (!waits || line.address == 0) continue;
    const CountedObjects objects(given);
    const CountedObject* object = objects.at(line.address);
    if (auto wrong = explain_library_wait(given, failure, line, object, symbols)) return wrong;
    if (auto one = explain_kept_permit(trace, failure, line, line.address, symbols)) return one;
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
    if (object != nullptr) explanation.start = object->start;
    add_waiter(explanation, line);
    return explanation;
  }
  return std::nullopt;
}

}  // namespace raddle
