#include "host/describe/explain/explainer.hpp"

#include <algorithm>

#include "host/base/printable.hpp"
#include "host/describe/explain/events/pointed_to.hpp"
#include "host/describe/op_classes.hpp"
#include "host/symbols/member_names.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

constexpr std::size_t kManySteps = 6;
constexpr std::size_t kMostSteps = 10;

}  // namespace

Explanation Explainer::run() {
  group();
  stacks_.look_at(interesting());
  learn_names();
  choose_function();
  Explanation explanation;
  explanation.cause = cause();
  explanation.pattern = found_.kind;
  explanation.object = object_;
  explanation.function = function_;
  explanation.first = explained(found_.first);
  explanation.middle = explained(found_.middle);
  explanation.last = explained(found_.last);
  explanation.found = found_value();
  if (const std::optional<std::uint64_t> which = lock()) {
    explanation.lock = explained_lock(*which);
    explanation.upgraded = is_upgraded();
    if (const auto wait = waits_between(*which)) explanation.waited = seen(*wait).where;
    explanation.lockers = lockers(*which);
  }
  explanation.no_lock = !of_locks() && stacks_.held(found_.first.event).empty() &&
                        stacks_.held(found_.middle.event).empty() &&
                        stacks_.held(found_.last.event).empty();
  for (const Access* one : {&found_.first, &found_.middle, &found_.last}) {
    explanation.locks_unknown = explanation.locks_unknown || called_from_outside(*one);
  }
  add_steps(explanation);
  add_threads(explanation);
  explanation.suggestion = suggestion(explanation);
  return explanation;
}

const Event& Explainer::event(const Access& access) const { return trace_.all()[access.event]; }

SeenValues Explainer::shown(const Event& now) const {
  return shown_values(now, trace_.site(now.site));
}

bool Explainer::of_locks() const {
  return found_.kind == InterferenceKind::kLockReacquired ||
         found_.kind == InterferenceKind::kWaited;
}

void Explainer::group() {
  std::vector<Access> all =
      accesses_between(trace_, found_.object, found_.first.event, trace_.all().size());
  const auto after = std::find_if(all.begin(), all.end(), [&](const Access& access) {
    return access.event > found_.last.event && access.thread != found_.last.thread;
  });
  all.erase(after, all.end());
  stacks_.look_at([&] {
    std::set<std::size_t> events;
    for (const Access& access : all) events.insert(access.event);
    return events;
  }());
  for (const Access& access : all) {
    const bool same = !groups_.empty() && groups_.back().thread() == access.thread && !of_locks() &&
                      stacks_.call(groups_.back().accesses.back().event, found_.common) ==
                          stacks_.call(access.event, found_.common);
    const bool after_last = access.event > found_.last.event;
    // More of the same, long after, explains nothing.
    if (after_last && !same) break;
    if (same) {
      groups_.back().accesses.push_back(access);
    } else {
      groups_.push_back({{access}});
    }
  }
  shorten();
}

bool Explainer::has(const Group& one, const Access& wanted) const {
  return std::any_of(one.accesses.begin(), one.accesses.end(),
                     [&](const Access& access) { return access.event == wanted.event; });
}

bool Explainer::matters(const Group& one) const {
  return has(one, found_.first) || has(one, found_.middle) || has(one, found_.last);
}

void Explainer::shorten() {
  const auto reads_only = [&](const Group& one) {
    return !matters(one) && std::none_of(one.accesses.begin(), one.accesses.end(),
                                         [](const Access& access) { return access.writes; });
  };
  if (groups_.size() > kManySteps) std::erase_if(groups_, reads_only);
  if (groups_.size() <= kMostSteps) return;
  std::vector<Group> kept;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (matters(groups_[i]) || i + kMostSteps - 2 >= groups_.size()) kept.push_back(groups_[i]);
  }
  groups_ = std::move(kept);
}

std::set<std::size_t> Explainer::interesting() const {
  std::set<std::size_t> events = {found_.first.event, found_.middle.event, found_.last.event};
  for (const Group& one : groups_) {
    for (const Access& access : one.accesses) events.insert(access.event);
  }
  return events;
}

void Explainer::learn_names() {
  std::set<std::uint64_t> locks;
  for (const Access* access : {&found_.first, &found_.middle, &found_.last}) {
    for (const std::uint64_t lock : stacks_.held(access->event)) locks.insert(lock);
  }
  ObjectNames names;
  const std::set<std::size_t> wanted = interesting();
  const std::size_t named_at = (of_locks() ? found_.last : found_.first).event;
  PointedTo pointed(trace_, {named_at});
  trace_.tell(names, [&](std::size_t index) {
    pointed.on(index, names);
    if (!wanted.contains(index)) return;
    const Event& now = trace_.all()[index];
    if (index == named_at) {
      name_object(now, names);
      const bool block = !of_locks() && !of_vptr_ && names.name_kind(now) == NameKind::kBlock;
      ExplainedObject memory = block ? pointed.object(index) : ExplainedObject{};
      if (!memory.name.empty()) object_ = std::move(memory);
    }
    for (const std::uint64_t lock : locks) {
      const bool named = names.name_kind(lock) == NameKind::kName;
      lock_names_[lock] = named ? printable(names.name(lock, NameForm::kVariable)) : std::string();
    }
    const ThreadName thread = names.named_thread(now.thread);
    thread_names_[raw(now.thread)] = printable(thread.name);
    values_[index] = values_of(now);
  });
}

void Explainer::name_object(const Event& now, const ObjectNames& names) {
  if (of_locks() && names.name_kind(now) == NameKind::kAddress) return name_lock(now);
  object_.name = printable(names.name(now, NameForm::kVariable));
  object_.field = printable(names.sites()[now.site].field);
  of_vptr_ = object_.field == kVptrField;
  if (of_vptr_) {
    object_.name = owner_of_vptr(object_.name);
    return;
  }
  object_ = readable_object(object_.name, object_.field);
}

void Explainer::name_lock(const Event& acquired) {
  for (const ThreadLine& thread : failure_.threads) {
    for (const StepLine& step : thread.last_steps) {
      const bool same = thread.id == acquired.thread && step.step == acquired.step;
      if (same && is_lock_op(step.op)) object_.ref = step.object;
    }
  }
}

bool Explainer::have_one_caller() const {
  if (!function_.empty()) return true;
  // A program without hooks shows no calls; what was inlined has its frames all the same.
  const std::vector<Where> first = stacks_.stack(found_.first.event);
  const std::vector<Where> last = stacks_.stack(found_.last.event);
  return !first.back().function.empty() && first.back().function == last.back().function;
}

void Explainer::choose_function() {
  if (found_.depth == 0) return;
  function_ = stacks_.function(found_.common);
  // Functions that were inlined have no call of their own: one that the thread goes through from
  // its beginning to its end is one all the same. One and the same line of it is one call if it
  // reads and then writes; a line that reads twice is as well two calls.
  const std::vector<Where> first = stacks_.stack(found_.first.event);
  const std::vector<Where> last = stacks_.stack(found_.last.event);
  const auto at = [&](const std::vector<Where>& stack) {
    std::size_t i = 0;
    while (i < stack.size() && stack[i].function != function_) ++i;
    return i;
  };
  std::size_t a = at(first);
  std::size_t b = at(last);
  if (a == first.size() || b == last.size()) return;
  const bool updates = found_.first.reads && !found_.last.reads;
  while (a > 0 && b > 0 && first[a].line == last[b].line &&
         first[a - 1].function == last[b - 1].function && first[a - 1].line <= last[b - 1].line) {
    --a;
    --b;
    if (first[a].line < last[b].line || updates) function_ = first[a].function;
  }
}

Explainer::Seen Explainer::seen(std::size_t index) const {
  const std::vector<Where> stack = stacks_.stack(index);
  for (std::size_t i = 0; i < stack.size() && !function_.empty(); ++i) {
    if (stack[i].function != function_ || stack[i].file.empty()) continue;
    return {stack[i], i == 0 ? std::string() : stack[i - 1].function};
  }
  return {stack.empty() ? Where{} : stack.front(), {}};
}

// Where a group of accesses is shown: at its write, if it has one.
std::size_t Explainer::shown_at(const Group& one) {
  for (const Access& access : one.accesses) {
    if (access.writes) return access.event;
  }
  return one.accesses.front().event;
}

ExplainedStep Explainer::step_of(const Group& one) const {
  const std::size_t first = shown_at(one);
  const Seen at = seen(first);
  ExplainedStep step;
  step.thread = one.thread();
  step.step = trace_.all()[first].step;
  step.where = at.where;
  step.callee = unqualified(at.callee);
  step.violates = std::any_of(one.accesses.begin(), one.accesses.end(),
                              [&](const Access& access) { return access.event == violation(); });
  if (of_locks()) {
    const Event& now = event(one.accesses.front());
    step.action = now.kind == EventKind::wait ? StepAction::kGivesBack : action_of_lock(now);
  } else {
    add_values(step, one);
  }
  return step;
}

void Explainer::add_values(ExplainedStep& step, const Group& one) const {
  bool writes = false;
  bool reads = false;
  for (const Access& access : one.accesses) {
    const SeenValues values = shown(event(access));
    if (!step.read && !writes) step.read = values.read;
    reads = reads || (access.reads && !writes);
    if (access.writes) step.written = values.written;
    writes = writes || access.writes;
    // The row is about this access; what the thread did next at the same line is another matter.
    if (access.event == violation()) break;
  }
  if (of_vptr()) {
    step.read = step.written = std::nullopt;
    step.action = !writes          ? StepAction::kCalls
                  : is_destroyed() ? StepAction::kDestroys
                                   : StepAction::kMakes;
  } else if (!writes) {
    step.action = StepAction::kReads;
  } else if (!reads) {
    step.read = std::nullopt;
    step.action = StepAction::kWrites;
  } else if (step.read && step.read == step.written) {
    step.action = StepAction::kWrites;
  } else if (step.read && step.written) {
    step.action = StepAction::kUpdates;
  } else {
    step.read = step.written = std::nullopt;
    step.action = StepAction::kChanges;
  }
}

void Explainer::add_steps(Explanation& explanation) const {
  for (const Group& one : groups_) {
    ExplainedStep step = step_of(one);
    if (!explanation.steps.empty()) {
      const ExplainedStep& before = explanation.steps.back();
      const bool again = before.thread == step.thread && before.callee == step.callee &&
                         before.action == step.action && before.read == step.read &&
                         before.written == step.written && before.where.line == step.where.line &&
                         !before.violates;
      if (again) explanation.steps.pop_back();
    }
    explanation.steps.push_back(std::move(step));
  }
}

void Explainer::add_threads(Explanation& explanation) const {
  for (const auto& [id, name] : thread_names_) {
    const std::string known = name_in(failure_, ThreadId{id});
    explanation.threads.push_back({ThreadId{id}, known.empty() ? name : known});
  }
}

std::size_t Explainer::violation() const {
  return found_.kind == InterferenceKind::kIntermediate ? found_.middle.event : found_.last.event;
}

}  // namespace raddle
