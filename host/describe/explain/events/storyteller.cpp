#include "host/describe/explain/events/storyteller.hpp"

#include <algorithm>

#include "host/base/printable.hpp"
#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/pointed_to.hpp"
#include "host/describe/likely_number.hpp"
#include "host/symbols/member_names.hpp"
#include "host/symbols/names.hpp"
#include "host/symbols/place.hpp"
#include "protocol/site.hpp"

namespace raddle {

StepAction action_of_lock(const Event& acquire) {
  if ((acquire.flags & kByWait) != 0) return StepAction::kHasAgain;
  return (acquire.flags & kShared) != 0 ? StepAction::kLocksShared : StepAction::kLocks;
}

namespace {

StepAction action_of(const Event& event, const Access& access) {
  switch (event.kind) {
    case EventKind::atomic_compare:
      return access.writes ? StepAction::kExchanges : StepAction::kReads;
    case EventKind::free:
      return StepAction::kFrees;
    case EventKind::fork:
      return StepAction::kStarts;
    case EventKind::thread_end:
      return StepAction::kEnds;
    case EventKind::exit:
      return StepAction::kReturns;
    case EventKind::wait:
      return StepAction::kWaitsOn;
    case EventKind::wake:
      return event.value == 1 ? StepAction::kTimesOut : StepAction::kWakes;
    case EventKind::notify:
      return (event.flags & kAll) != 0 ? StepAction::kNotifiesAll : StepAction::kNotifies;
    case EventKind::acquire:
      return action_of_lock(event);
    case EventKind::read:
    case EventKind::atomic_load:
    case EventKind::read_range:
      return StepAction::kReads;
    case EventKind::write:
    case EventKind::atomic_store:
    case EventKind::write_range:
      return StepAction::kWrites;
    case EventKind::atomic_update:
      return StepAction::kUpdates;
    case EventKind::destroy:
      return StepAction::kDestroys;
    case EventKind::release:
      return StepAction::kUnlocks;
    case EventKind::none:
    case EventKind::decision:
    case EventKind::thread_begin:
    case EventKind::join:
    case EventKind::signal:
    case EventKind::await:
    case EventKind::fence:
    case EventKind::enter:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::allocate:
    case EventKind::local:
    case EventKind::user:
      return StepAction::kUses;
  }
  return StepAction::kUses;
}

}  // namespace

SeenValues values_of(const Event& now) {
  if ((now.flags & kNoValue) != 0 && is_access(now.kind)) return {};
  const std::optional<std::int64_t> value = likely_number(now.value, now.size);
  const std::optional<std::int64_t> second = likely_number(now.value2, now.size);
  if (now.kind == EventKind::read || now.kind == EventKind::atomic_load) return {value, {}};
  if (now.kind == EventKind::write) return {{}, value};
  if (now.kind == EventKind::atomic_store) return {{}, second};
  if (now.kind == EventKind::atomic_update) return {value, second};
  if (now.kind == EventKind::atomic_compare) {
    return {value, (now.flags & kSuccess) != 0 ? second : std::nullopt};
  }
  return {};
}

SeenValues shown_values(const Event& now, const Site& site) {
  // The elements of a std::array are the program's own.
  const bool elements = site.field.starts_with("_M_elems");
  const bool member = is_library_member(site.field) && !elements;
  const bool in_library = !site.frames.empty() && is_system_header(site.frames.front().file);
  if ((site.flags & kSiteNoNumber) != 0) return {};
  return (member || in_library) && !is_atomic(now.kind) ? SeenValues{} : values_of(now);
}

ExplainedObject readable_object(const std::string& name, const std::string& field) {
  ExplainedObject object;
  object.name = without_library_members(name);
  const bool changed = object.name != name;
  const bool own = !field.empty() && !is_library_member(field);
  const std::string last = last_member(object.name);
  // Which element it is, where that is known.
  const bool element = last.starts_with(field.substr(0, field.find("[]")) + "[");
  object.field = changed || !own || element ? last : field;
  return object;
}

void Storyteller::look_at(const std::set<std::size_t>& events) {
  stacks_.look_at(events);
  std::set<std::uint64_t> locks;
  for (const std::size_t event : events) {
    for (const std::uint64_t lock : stacks_.held(event)) locks.insert(lock);
    const Event& now = trace_.all()[event];
    if (now.kind == EventKind::wait) locks.insert(now.value);
    if (now.kind == EventKind::acquire) locks.insert(now.object);
  }
  ObjectNames names;
  PointedTo pointed(trace_, events);
  trace_.tell(names, [&](std::size_t index) {
    pointed.on(index, names);
    // A block that is freed has its name until then.
    if (events.contains(index + 1) && trace_.all()[index + 1].kind == EventKind::free) {
      const std::uint64_t block = trace_.all()[index + 1].object;
      const bool named = names.name_kind(block) != NameKind::kAddress;
      if (named) objects_[index + 1] = {printable(names.whole_name(block)), {}, {}};
    }
    if (!events.contains(index)) return;
    const Event& now = trace_.all()[index];
    threads_[raw(now.thread)] = printable(names.named_thread(now.thread).name);
    for (const std::uint64_t lock : locks) {
      const bool named = names.name_kind(lock) == NameKind::kName;
      // What comes to lie there later, on a stack that is used again, is something else.
      if (named) locks_.try_emplace(lock, printable(names.name(lock, NameForm::kVariable)));
    }
    if (now.kind == EventKind::free || names.name_kind(now) == NameKind::kAddress) {
      const std::string field = printable(names.sites()[now.site].field);
      const std::string cls = printable(trace_.site(now.site).cls);
      if (now.kind != EventKind::free && !field.empty())
        objects_[index] = readable_object(cls.empty() ? field : cls + "::" + field, field);
      return;
    }
    std::string name = printable(names.name(now, NameForm::kVariable));
    // The debug information knows elements of arrays.
    if (name.find('[') == std::string::npos && names.sites()[now.site].field.empty()) {
      const std::string variable = printable(symbols_.data_name(now.object));
      if (!variable.empty()) name = variable;
    }
    objects_[index] = readable_object(name, printable(names.sites()[now.site].field));
    if (names.name_kind(now) != NameKind::kBlock) return;
    if (ExplainedObject memory = pointed.object(index); !memory.name.empty())
      objects_[index] = std::move(memory);
  });
  for (const std::size_t event : events) {
    const Event& now = trace_.all()[event];
    const auto known = locks_.find(now.object);
    if (now.kind == EventKind::acquire && known != locks_.end())
      objects_[event] = readable_object(known->second, {});
  }
}

ExplainedObject Storyteller::object(std::size_t event) const {
  const auto known = objects_.find(event);
  if (known == objects_.end()) return {};
  if (!is_of_vptr(event)) return known->second;
  return {owner_of_vptr(known->second.name), {}, {}};
}

bool Storyteller::is_of_vptr(std::size_t event) const {
  const Event& now = trace_.all()[event];
  return is_access(now.kind) && trace_.site(now.site).field.ends_with(kVptrField);
}

StepAction Storyteller::action_on_object(std::size_t event) const {
  const Event& now = trace_.all()[event];
  if (!access_of(now, event).writes) return StepAction::kCalls;
  const std::vector<SiteFrame>& frames = trace_.site(now.site).frames;
  const bool destroys = std::any_of(frames.begin(), frames.end(), [](const SiteFrame& frame) {
    return is_destructor(frame.function);
  });
  return destroys ? StepAction::kDestroys : StepAction::kMakes;
}

Where Storyteller::where(std::size_t event) const {
  const Event& now = trace_.all()[event];
  // The library creates threads; the failure's own steps know who asked for it.
  const ThreadLine* own = now.kind == EventKind::fork ? line(now.thread) : nullptr;
  if (own != nullptr) {
    for (const StepLine& step : own->last_steps) {
      const bool same = step.op == OpKind::thread_create && step.step == now.step;
      if (same && !step.where.file.empty()) return step.where;
    }
  }
  return stacks_.place(event);
}

std::string Storyteller::lock_name(std::uint64_t lock) const {
  const auto known = locks_.find(lock);
  return known == locks_.end() ? std::string() : known->second;
}

ExplainedAccess Storyteller::access(std::size_t event) const {
  const Event& now = trace_.all()[event];
  const Access access = access_of(now, event);
  const SeenValues values =
      is_of_vptr(event) ? SeenValues{} : shown_values(now, trace_.site(now.site));
  ExplainedAccess explained;
  explained.thread = now.thread;
  explained.where = where(event);
  explained.function = unqualified(explained.where.function);
  explained.inside = function_names(stacks_.stack(event));
  explained.reads = access.reads;
  explained.writes = access.writes;
  explained.read = values.read;
  explained.written = values.written;
  return explained;
}

ExplainedStep Storyteller::step(std::size_t event, StepAction action) const {
  const Event& now = trace_.all()[event];
  const SeenValues values =
      is_of_vptr(event) ? SeenValues{} : shown_values(now, trace_.site(now.site));
  ExplainedStep step;
  step.thread = now.thread;
  step.step = now.step;
  step.where = where(event);
  step.action = action;
  step.object = object(event).field;
  if (step.object.empty()) step.object = object(event).name;
  if (is_library_member(step.object)) step.object = "it";
  if (step.object.empty() && now.kind == EventKind::acquire) step.object = lock_name(now.object);
  step.read = values.read;
  step.written = values.written;
  if (now.kind == EventKind::notify) step.woken = now.value;
  if (now.kind == EventKind::wait && now.value != 0) step.lock = lock_name(now.value);
  const bool both = action == StepAction::kUpdates || action == StepAction::kExchanges;
  if (both && (!step.read || !step.written)) step.action = StepAction::kChanges;
  return step;
}

ExplainedStep Storyteller::step(std::size_t event) const {
  const Event& now = trace_.all()[event];
  return step(event,
              is_of_vptr(event) ? action_on_object(event) : action_of(now, access_of(now, event)));
}

void Storyteller::add_steps(Explanation& explanation, const std::set<std::size_t>& events,
                            std::size_t violates) const {
  for (const std::size_t event : events) {
    ExplainedStep one = step(event);
    one.violates = event == violates;
    add_step(explanation, std::move(one));
  }
}

void Storyteller::add_step(Explanation& explanation, ExplainedStep step) const {
  const bool listed = std::any_of(explanation.threads.begin(), explanation.threads.end(),
                                  [&](const auto& one) { return one.id == step.thread; });
  if (!listed) {
    std::string name = name_in(failure_, step.thread);
    const auto known = threads_.find(raw(step.thread));
    if (name.empty() && known != threads_.end()) name = known->second;
    explanation.threads.push_back({step.thread, name});
  }
  explanation.steps.push_back(std::move(step));
}

const ThreadLine* Storyteller::line(ThreadId thread) const {
  const auto known = std::find_if(failure_.threads.begin(), failure_.threads.end(),
                                  [&](const ThreadLine& line) { return line.id == thread; });
  return known == failure_.threads.end() ? nullptr : &*known;
}

}  // namespace raddle
