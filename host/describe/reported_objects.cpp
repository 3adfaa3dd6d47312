#include "host/describe/reported_objects.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "host/base/printable.hpp"
#include "host/describe/object_places.hpp"
#include "host/describe/op_classes.hpp"

namespace raddle {

std::vector<const ThreadReport*> reported_threads(const Report& report) {
  std::vector<const ThreadReport*> threads;
  std::set<std::uint16_t> seen;
  const std::size_t count = std::min<std::size_t>(report.threads, kMaxReportThreads);
  for (std::size_t i = 0; i < count; ++i) {
    const ThreadReport& thread = report.thread_table[i];
    if (thread.state == ThreadState::kUnused) continue;
    if (seen.insert(raw(thread.id)).second) threads.push_back(&thread);
  }
  return threads;
}

std::span<const ObjectReport> reported_objects(const Report& report) {
  return {report.object_table, std::min<std::size_t>(report.objects, kMaxReportObjects)};
}

std::span<const Misuse> reported_misuses(const Report& report) {
  return {report.misuse_table, std::min<std::size_t>(report.misuses, kMaxMisuses)};
}

bool is_set(const bool& field) {
  unsigned char byte = 0;
  std::memcpy(&byte, &field, 1);
  return byte != 0;
}

ReportedObjects::ReportedObjects(const Execution& execution, Symbolizer& symbols)
    : symbols_(symbols), report_(execution.report.get()) {
  std::uint16_t threads = 0;
  for (std::size_t i = 0; i < execution.log.size(); ++i) {
    const StepRecord& record = execution.log[i];
    if (record.op == OpKind::thread_create) created_[i] = ThreadId{++threads};
    if (record.op == OpKind::value_choice || record.object == kNoObject) continue;
    if (record.op == OpKind::thread_begin) thread_objects_[raw(record.object)] = record.thread;
    if (record.site != 0) first_sites_.try_emplace(raw(record.object), record.site);
  }
  if (!execution.report) return;
  for (const ObjectReport& object : reported_objects(*execution.report)) {
    objects_.try_emplace(raw(object.id), &object);
    // A thread is modelled as an object that it holds itself until it ends.
    if (object.cls == ObjectClass::thread && object.holders == 1) {
      thread_objects_[raw(object.id)] = object.holder[0];
    }
  }
}

const ObjectReport* ReportedObjects::find(ObjectId id) const {
  const auto entry = objects_.find(raw(id));
  return entry == objects_.end() ? nullptr : entry->second;
}

ObjectName ReportedObjects::name_of(const ObjectReport& object) const {
  if (object.cls == ObjectClass::thread || object.cls == ObjectClass::descriptor) return {};
  std::string variable = symbols_.data_name(object.address);
  if (variable.empty()) return placed_name(*report_, object, symbols_);
  ObjectName name;
  name.kind = ObjectName::Kind::kVariable;
  name.path = std::move(variable);
  return name;
}

Where ReportedObjects::first_use(ObjectId id, const ObjectReport* object) const {
  std::uint64_t site = object == nullptr ? 0 : object->first_site;
  const auto logged = first_sites_.find(raw(id));
  if (site == 0 && logged != first_sites_.end()) site = logged->second;
  // Only a place in the program helps: inside the library every mutex looks alike.
  return site == 0 ? Where{} : program_place({&site, 1}, false);
}

const ReportedObjects::Known& ReportedObjects::known(ObjectId id) const {
  const auto [entry, fresh] = known_.try_emplace(raw(id));
  if (!fresh) return entry->second;
  const ObjectReport* object = find(id);
  if (object != nullptr) entry->second.name = name_of(*object);
  if (entry->second.name.empty()) entry->second.first_used = first_use(id, object);
  return entry->second;
}

ObjectRef ReportedObjects::object(ObjectId id, ObjectClass cls) const {
  ObjectRef ref;
  ref.cls = cls;
  if (id == kNoObject) return ref;
  ref.id = id;
  const ObjectReport* object = find(id);
  if (object != nullptr) ref.cls = object->cls;
  const auto thread = thread_objects_.find(raw(id));
  if (ref.cls == ObjectClass::thread && thread != thread_objects_.end()) {
    ref.thread = thread->second;
    return ref;
  }
  // It has no address. The runtime gives it one more than its number, so that none is null.
  if (ref.cls == ObjectClass::descriptor && object != nullptr) ref.descriptor = object->address - 1;
  ref.name = known(id).name;
  ref.first_used = known(id).first_used;
  return ref;
}

StepLine ReportedObjects::step(const StepRecord& record, std::uint64_t index, Where where) const {
  StepLine line;
  line.step = index;
  line.op = record.op;
  line.outcome = record.outcome;
  line.where = std::move(where);
  if (record.op == OpKind::value_choice) {
    line.object.id = record.object;
    return line;
  }
  line.object = object(record.object, class_of(record.op));
  const auto created = created_.find(index);
  if (record.op == OpKind::thread_create && created != created_.end()) {
    line.object.thread = created->second;
  }
  return line;
}

std::uint64_t ReportedObjects::address(ObjectId id) const {
  const ObjectReport* object = id == kNoObject ? nullptr : find(id);
  return object == nullptr || object->cls == ObjectClass::thread ? 0 : object->address;
}

std::vector<ThreadId> ReportedObjects::holders(ObjectId id) const {
  const ObjectReport* object = find(id);
  if (object == nullptr || object->cls == ObjectClass::thread) return {};
  const std::size_t count = std::min<std::size_t>(object->holders, std::size(object->holder));
  return {object->holder, object->holder + count};
}

namespace {

// The report's message has a line "NUMBER what it waits for" for each thread at an event.
std::string event_of(const Report& report, ThreadId thread) {
  if (report.kind != OutcomeKind::kDeadlock) return {};
  const std::string_view all(report.message, strnlen(report.message, sizeof(report.message)));
  const std::string wanted = std::to_string(raw(thread)) + " ";
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string_view line = all.substr(at, end - at);
    if (line.starts_with(wanted)) return printable(line.substr(wanted.size()));
    at = end + 1;
  }
  return {};
}

}  // namespace

Doing ReportedObjects::blocked(const ThreadReport& thread) const {
  Doing doing;
  doing.kind = Doing::Kind::kBlocked;
  doing.op = thread.op;
  doing.object = object(thread.object, class_of(thread.op));
  doing.holders = holders(thread.object);
  const ObjectReport* object = find(thread.object);
  const bool counts = object != nullptr && (object->cls == ObjectClass::semaphore ||
                                            object->cls == ObjectClass::barrier);
  if (doing.holders.empty() && counts) {
    doing.value = object->value;
    doing.needed = object->needed;
  }
  doing.timed = is_set(thread.timed);
  if (thread.op == OpKind::monitor_event) doing.event = event_of(*report_, thread.id);
  return doing;
}

Doing ReportedObjects::doing(const ThreadReport& thread, bool is_blocked) const {
  using Kind = Doing::Kind;
  if (is_blocked) return blocked(thread);
  switch (thread.state) {
    case ThreadState::kUnused:
      return {.kind = Kind::kNeverBegan};
    case ThreadState::kRunning:
      return {.kind = Kind::kRunning};
    case ThreadState::kEnabled:
      if (thread.op == OpKind::none) return {.kind = Kind::kCouldGoOn};
      if (thread.op == OpKind::thread_begin) return {.kind = Kind::kHadNotBegun};
      return {.kind = Kind::kAboutTo,
              .op = thread.op,
              .object = object(thread.object, class_of(thread.op))};
    case ThreadState::kFinished:
      return {.kind = Kind::kEnded};
    case ThreadState::kBlocked:
      return blocked(thread);
  }
  return {.kind = Kind::kUnknown};
}

MisuseLine ReportedObjects::misuse(const Misuse& misuse) const {
  MisuseLine line;
  line.thread = misuse.thread;
  line.op = misuse.op;
  line.object = object(misuse.object, misuse.cls);
  line.text = printable_field(misuse.text);
  line.address = misuse.address;
  line.step = misuse.step;
  if (line.object.name.empty()) {
    line.object.name.path = symbols_.data_name(misuse.address);
    if (!line.object.name.path.empty()) line.object.name.kind = ObjectName::Kind::kVariable;
  }
  // The library's headers call it; its frames are functions of their own without optimisation.
  const std::size_t frames = std::min<std::size_t>(misuse.frames, kMaxStepFrames);
  line.where = program_place({misuse.pc, frames}, false);
  if (line.where.empty() && frames == 0 && misuse.site != 0) line.where = site_place(misuse.site);
  // What comes after its end does not tell what it was.
  const Where& first = line.object.first_used;
  if (first.line == line.where.line && first.file == line.where.file) line.object.first_used = {};
  return line;
}

Where ReportedObjects::program_place(std::span<const std::uint64_t> pcs,
                                     bool first_is_exact) const {
  Where unwritten;  // says less than who called it
  for (std::size_t i = 0; i < pcs.size(); ++i) {
    if (symbols_.in_library(pcs[i])) continue;
    for (const Frame& frame : symbols_.frames(pcs[i], i > 0 || !first_is_exact)) {
      if (!frame.in_program) continue;
      if (!frame.unwritten) return frame.where;
      if (unwritten.empty()) unwritten = frame.where;
    }
  }
  return unwritten;
}

Where ReportedObjects::end_place(std::uint64_t pc) const {
  Where end;
  if (symbols_.in_library(pc)) return end;
  for (const Frame& frame : symbols_.frames(pc, true)) {
    if (!frame.in_program) continue;
    if (!frame.unwritten) return frame.where;
    if (end.function.empty()) end.function = frame.where.function;
  }
  return end;
}

Where ReportedObjects::site_place(std::uint64_t site) const {
  Where place = program_place({&site, 1}, false);
  return place.empty() ? symbols_.frames(site, true).front().where : place;
}

}  // namespace raddle
