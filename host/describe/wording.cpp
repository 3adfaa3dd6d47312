#include "host/describe/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "host/base/printable.hpp"
#include "host/describe/op_words.hpp"
#include "host/symbols/names.hpp"

namespace raddle {

namespace {

std::string outcome_suffix(std::uint8_t outcome) {
  switch (static_cast<StepOutcome>(outcome)) {
    case StepOutcome::kReady:
      return {};
    case StepOutcome::kTimeout:
      return " (timed out)";
    case StepOutcome::kInterrupted:
      return " (interrupted)";
    case StepOutcome::kCancelled:
      return " (cancelled)";
  }
  return fmt::format(" (unknown outcome {})", outcome);
}

std::string join_threads(const std::vector<ThreadId>& ids) {
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    text += i == 0 ? "" : i + 1 == ids.size() ? " and " : ", ";
    text += thread_label(ids[i]);
  }
  return text;
}

}  // namespace

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

std::string thread_label(ThreadId id) {
  return id == kNoThread ? std::string("T?") : fmt::format("T{}", raw(id));
}

ObjectClass class_of(OpKind op) { return op_words(op).cls; }

Wording::Wording(const Execution& execution, Symbolizer& symbols)
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

const ObjectReport* Wording::find(ObjectId id) const {
  const auto entry = objects_.find(raw(id));
  return entry == objects_.end() ? nullptr : entry->second;
}

const PlacedName& Wording::object_name(ObjectId id) const {
  const auto [entry, fresh] = names_.try_emplace(raw(id));
  const ObjectReport* known = fresh ? find(id) : nullptr;
  if (known == nullptr || known->cls == ObjectClass::thread ||
      known->cls == ObjectClass::descriptor) {
    return entry->second;
  }
  const std::string variable = symbols_.data_name(known->address);
  entry->second =
      variable.empty() ? placed_name(*report_, *known, symbols_) : PlacedName{variable, variable};
  return entry->second;
}

std::string Wording::object(ObjectId id, ObjectClass cls) const {
  if (id == kNoObject) return {};
  const ObjectReport* known = find(id);
  if (known != nullptr) cls = known->cls;
  const auto thread = thread_objects_.find(raw(id));
  if (cls == ObjectClass::thread && thread != thread_objects_.end()) {
    return thread_label(thread->second);
  }
  std::string text = fmt::format("{} #{}", object_class_text(cls), raw(id));
  const std::string& name = object_name(id).text;
  return name.empty() ? text : fmt::format("{} `{}'", text, name);
}

std::string Wording::object_with_origin(ObjectId id, ObjectClass cls) const {
  std::string text = object(id, cls);
  if (text.empty() || text.find('#') == std::string::npos || text.back() == '\'') return text;
  const ObjectReport* known = find(id);
  std::uint64_t site = known == nullptr ? 0 : known->first_site;
  const auto logged = first_sites_.find(raw(id));
  if (site == 0 && logged != first_sites_.end()) site = logged->second;
  // Only a place in the program helps: inside the library every mutex looks alike.
  const std::string place =
      site == 0 ? std::string() : place_text(program_place({&site, 1}, false));
  return place.empty() ? text : fmt::format("{} (first used at {})", text, place);
}

std::string Wording::step(const StepRecord& record, std::uint64_t index) const {
  if (record.op == OpKind::value_choice) {
    return fmt::format("choice {} of {}", record.outcome + 1u, raw(record.object));
  }
  const OpWords words = op_words(record.op);
  const auto created = created_.find(index);
  const std::string on = record.op == OpKind::thread_create && created != created_.end()
                             ? thread_label(created->second)
                             : object(record.object, words.cls);
  return fill(words.step, on) + outcome_suffix(record.outcome);
}

std::string Wording::brief_step(const StepRecord& record, std::uint64_t index) const {
  const std::string name =
      record.op == OpKind::value_choice ? std::string() : object_name(record.object).brief;
  if (name.empty()) return step(record, index);
  return fill(op_words(record.op).step, name) + outcome_suffix(record.outcome);
}

std::string Wording::waits(const ThreadReport& thread, bool origin) const {
  const OpWords words = op_words(thread.op);
  return fill(words.waits, origin ? object_with_origin(thread.object, words.cls)
                                  : object(thread.object, words.cls));
}

std::vector<ThreadId> Wording::holders(ObjectId id) const {
  const ObjectReport* known = find(id);
  if (known == nullptr || known->cls == ObjectClass::thread) return {};
  const std::size_t count = std::min<std::size_t>(known->holders, std::size(known->holder));
  return {known->holder, known->holder + count};
}

std::string Wording::blocked(const ThreadReport& thread) const {
  std::string text = waits(thread, true);
  const std::vector<ThreadId> by = holders(thread.object);
  const ObjectReport* known = find(thread.object);
  if (!by.empty()) {
    text += ", held by " + join_threads(by);
  } else if (known != nullptr && known->cls == ObjectClass::semaphore) {
    text += fmt::format(" (value {})", known->value);
  } else if (known != nullptr && known->cls == ObjectClass::barrier) {
    text += fmt::format(" ({} arrived)", known->value);
  }
  return is_set(thread.timed) ? text + ", with a deadline" : text;
}

std::string Wording::doing(const ThreadReport& thread) const {
  const OpWords words = op_words(thread.op);
  switch (thread.state) {
    case ThreadState::kUnused:
      return "never began";
    case ThreadState::kRunning:
      return "was running";
    case ThreadState::kEnabled: {
      if (thread.op == OpKind::none) return "could go on";
      if (thread.op == OpKind::thread_begin) return "had not begun";
      return "was about to " + fill(words.step, object(thread.object, words.cls));
    }
    case ThreadState::kFinished:
      return "ended";
    case ThreadState::kBlocked:
      return blocked(thread);
  }
  return "is in an unknown state";
}

std::string Wording::misuse(const Misuse& misuse) const {
  std::string what = fill(op_words(misuse.op).step, object_with_origin(misuse.object, misuse.cls));
  const std::string text = printable_field(misuse.text);
  if (!text.empty()) what += ": " + text;
  const std::string place = misuse.site == 0 ? std::string() : place_text(site_place(misuse.site));
  if (!place.empty()) what += fmt::format(" ({})", place);
  return thread_label(misuse.thread) + " " + what;
}

Where Wording::program_place(std::span<const std::uint64_t> pcs, bool first_is_exact) const {
  for (std::size_t i = 0; i < pcs.size(); ++i) {
    if (symbols_.in_library(pcs[i])) continue;
    for (const Frame& frame : symbols_.frames(pcs[i], i > 0 || !first_is_exact)) {
      if (frame.in_program) return frame.where;
    }
  }
  return {};
}

Where Wording::site_place(std::uint64_t site) const {
  Where place = program_place({&site, 1}, false);
  if (!place.file.empty() || !place.function.empty()) return place;
  return symbols_.frames(site, true).front().where;
}

}  // namespace raddle
