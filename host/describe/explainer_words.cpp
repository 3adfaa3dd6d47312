#include "host/describe/explainer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/printable.hpp"
#include "host/describe/event_words.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

std::string label(ThreadId id) { return fmt::format("T{}", raw(id)); }

}  // namespace

bool Explainer::is_update() const {
  return found_.kind == InterferenceKind::kCheckThenAct &&
         stacks_.stack(found_.first.event).front().line ==
             stacks_.stack(found_.last.event).front().line;
}

bool Explainer::acts() const {
  if (found_.kind == InterferenceKind::kCheckThenAct) return true;
  if (found_.kind != InterferenceKind::kReadAgain || groups_.empty()) return false;
  const std::vector<Access>& last = groups_.back().accesses;
  return std::any_of(last.begin(), last.end(), [](const Access& a) { return a.writes; });
}

bool Explainer::of_vptr() const { return short_object_ == "(vptr)"; }

bool Explainer::is_destroyed() const {
  const auto destroys = [&](const Access& access) {
    if (!access.writes) return false;
    const std::vector<SiteFrame>& frames = trace_.site(event(access).site).frames;
    return std::any_of(frames.begin(), frames.end(), [](const SiteFrame& frame) {
      return frame.function.find('~') != std::string::npos;
    });
  };
  return destroys(found_.first) || destroys(found_.middle) || destroys(found_.last);
}

std::string Explainer::title() const {
  if (of_vptr()) {
    const std::string object = object_.substr(0, object_.rfind("::(vptr)"));
    return (is_destroyed() ? "destroyed while in use: " : "used while it is made: ") + object;
  }
  switch (found_.kind) {
    case InterferenceKind::kReadAgain:
      return (acts() ? "check-then-act on " : "two reads that differ: ") + object_;
    case InterferenceKind::kOverwritten:
      return "overwritten before it was used: " + object_;
    case InterferenceKind::kCheckThenAct:
      return (is_update() ? "lost update of " : "check-then-act on ") + object_;
    case InterferenceKind::kIntermediate:
      return "seen half-way: " + object_;
    case InterferenceKind::kUnordered:
      return "unordered accesses: " + object_;
    case InterferenceKind::kLockReacquired:
      return "released and taken again: " + object_;
    case InterferenceKind::kWaited:
      return "not looked again after waiting: " + object_;
  }
  return object_;
}

std::string Explainer::who(const Access& access) const {
  const Seen at = seen(access.event);
  const std::string function = at.callee.empty() ? at.where.function : at.callee;
  return function.empty() ? label(access.thread) : last_name(function) + "()";
}

std::string Explainer::summary() const {
  const std::string first = place(found_.first.event);
  const std::string last = place(found_.last.event);
  switch (found_.kind) {
    case InterferenceKind::kReadAgain:
    case InterferenceKind::kCheckThenAct:
      return fmt::format("{} {} used what {} had changed since {}", last, who(found_.last),
                         label(found_.middle.thread), first);
    case InterferenceKind::kOverwritten:
      return fmt::format("{} {} found what {} had written since {}", last, who(found_.last),
                         label(found_.middle.thread), first);
    case InterferenceKind::kIntermediate:
      return fmt::format("{} {} saw it between {} and {} of {}", place(found_.middle.event),
                         who(found_.middle), first, last, label(found_.last.thread));
    case InterferenceKind::kUnordered:
      return fmt::format("nothing orders {} of {} and {} of {}", first, label(found_.first.thread),
                         last, label(found_.last.thread));
    case InterferenceKind::kLockReacquired:
      return fmt::format("{} had it between {} and {} of {}", label(found_.middle.thread), first,
                         last, label(found_.last.thread));
    case InterferenceKind::kWaited:
      return fmt::format("{} had it while {} waited at {}", label(found_.middle.thread),
                         label(found_.first.thread), first);
  }
  return {};
}

std::string Explainer::assumption() const {
  if (of_vptr()) {
    const Access& writer = found_.first.writes ? found_.first : found_.middle;
    const Access& user = found_.first.writes ? found_.middle : found_.first;
    return fmt::format("{} {} the object at {}, and {} calls its functions at {}.",
                       label(writer.thread), is_destroyed() ? "destroys" : "makes",
                       place(writer.event), label(user.thread), place(user.event));
  }
  const auto value = [&](const Access& access, bool written) {
    const Values& values = values_.at(access.event);
    return written || values.read.empty() ? values.written : values.read;
  };
  const std::string first = place(found_.first.event);
  const std::string last = place(found_.last.event);
  const std::string now =
      found_.last.reads ? value(found_.last, false) : value(found_.middle, true);
  switch (found_.kind) {
    case InterferenceKind::kReadAgain:
    case InterferenceKind::kCheckThenAct:
      if (is_update()) {
        return fmt::format("{} read {} at {}, and wrote over what {} had written meanwhile{}.",
                           label(found_.first.thread), value(found_.first, false), first,
                           label(found_.middle.thread),
                           now.empty() ? std::string() : fmt::format(" ({})", now));
      }
      if (value(found_.first, false).empty() || now.empty()) {
        return fmt::format("{} looked at it at {}, and it had changed when {} used it at {}.",
                           who(found_.first), first, who(found_.last), last);
      }
      return fmt::format("{} read {} at {}, and it was {} when {} used it at {}.",
                         who(found_.first), value(found_.first, false), first, now,
                         who(found_.last), last);
    case InterferenceKind::kOverwritten:
      return fmt::format("{} wrote {} at {}, and it was {} when {} read it at {}.",
                         who(found_.first), or_it(value(found_.first, true)), first,
                         now.empty() ? "another" : now, who(found_.last), last);
    case InterferenceKind::kIntermediate:
      return fmt::format("{} read {}, which {} wrote at {} and had not finished with before {}.",
                         who(found_.middle), or_it(value(found_.middle, false)),
                         label(found_.first.thread), first, last);
    case InterferenceKind::kUnordered:
      return fmt::format(
          "{} and {} use it at the same time: what one of them has just read or is about to write, "
          "the "
          "other does not know of.",
          label(found_.first.thread), label(found_.last.thread));
    case InterferenceKind::kLockReacquired:
      return fmt::format(
          "{} released {} after {} and took it again at {}; {} held it in between. What {} "
          "learned the first time need not be so any more.",
          label(found_.first.thread), object_, first, last, label(found_.middle.thread),
          label(found_.first.thread));
    case InterferenceKind::kWaited:
      return fmt::format(
          "{} waited at {} and took {} again; {} had it in between, at {}: what {} waited for need "
          "not be so any more.",
          label(found_.first.thread), first, object_, label(found_.middle.thread),
          place(found_.middle.event), label(found_.first.thread));
  }
  return {};
}

std::string Explainer::or_it(const std::string& value) { return value.empty() ? "it" : value; }

std::vector<std::uint64_t> Explainer::common_locks(std::size_t a, std::size_t b) const {
  std::vector<std::uint64_t> both;
  const std::vector<std::uint64_t> of_b = stacks_.held(b);
  for (const std::uint64_t lock : stacks_.held(a)) {
    if (std::find(of_b.begin(), of_b.end(), lock) != of_b.end()) both.push_back(lock);
  }
  return both;
}

std::optional<std::uint64_t> Explainer::lock() const {
  if (of_locks()) return found_.object;
  const std::vector<std::uint64_t> both = common_locks(found_.first.event, found_.last.event);
  for (const std::uint64_t lock : stacks_.held(found_.middle.event)) {
    if (std::find(both.begin(), both.end(), lock) != both.end()) return lock;
  }
  const std::vector<std::uint64_t> other = stacks_.held(found_.middle.event);
  if (!other.empty()) return other.back();
  if (!both.empty()) return both.back();
  return std::nullopt;
}

std::string Explainer::lock_name(std::uint64_t lock) const {
  if (of_locks()) return object_;
  const auto known = lock_names_.find(lock);
  const bool named = known != lock_names_.end() && !known->second.starts_with("block") &&
                     !known->second.starts_with("0x");
  if (named) return known->second;
  for (const Access* access : {&found_.middle, &found_.first, &found_.last}) {
    if (const auto taken = stacks_.taken(access->event, lock)) {
      return "the lock of " + short_place(stacks_.stack(*taken).front());
    }
  }
  return "the lock";
}

bool Explainer::holds(const Access& access, std::uint64_t lock) const {
  const std::vector<std::uint64_t> held = stacks_.held(access.event);
  return std::find(held.begin(), held.end(), lock) != held.end();
}

std::string Explainer::between() const {
  const Where first = seen(found_.first.event).where;
  const Where last = seen(found_.last.event).where;
  if (first.file == last.file && first.line != last.line) {
    return fmt::format("lines {} and {}", std::min(first.line, last.line),
                       std::max(first.line, last.line));
  }
  if (first.file == last.file) return fmt::format("the two, at {}", short_place(first));
  return fmt::format("{} and {}", short_place(first), short_place(last));
}

std::string Explainer::lock_words() const {
  const std::optional<std::uint64_t> which = lock();
  if (of_locks() || of_vptr()) return {};
  if (!which) return fmt::format("No lock is held at any of these places.");
  const std::string name = lock_name(*which);
  const bool first = holds(found_.first, *which);
  const bool last = holds(found_.last, *which);
  if (first && last && holds(found_.middle, *which)) {
    return fmt::format("{} is held each time, and released between {}.", name, between());
  }
  if (first && last) {
    return fmt::format("{} holds {}, and {} does not.", label(found_.first.thread), name,
                       label(found_.middle.thread));
  }
  return fmt::format("{} holds {}, and {} does not{}.", label(found_.middle.thread), name,
                     label(found_.first.thread), first || last ? " all the time" : "");
}

std::string Explainer::region() const {
  const Where first = seen(found_.first.event).where;
  const Where last = seen(found_.last.event).where;
  const std::string in = function_.empty() ? "" : fmt::format(" in {}", function_);
  if (first.file == last.file && first.line == last.line) {
    return fmt::format("over all of {}{}", short_place(first), in);
  }
  return fmt::format("from {} to {}{}", short_place(first), short_place(last), in);
}

// The disturbed thread let go of the lock by waiting on a condition.
std::optional<std::size_t> Explainer::waits_between(std::uint64_t lock) const {
  const std::vector<Event>& events = trace_.all();
  for (std::size_t i = found_.first.event; i < found_.last.event; ++i) {
    const Event& one = events[i];
    if (one.kind == EventKind::wait && one.thread == found_.first.thread && one.value == lock)
      return i;
  }
  return std::nullopt;
}

// A table of functions is nothing to be guarded or made atomic: the object must be there.
std::string Explainer::lifetime_suggestion() const {
  const Access& user = found_.first.writes ? found_.middle : found_.first;
  const std::string who = label(user.thread);
  if (!is_destroyed()) {
    return fmt::format(
        "let {} know of the object when it is made: hand it over under a lock, or "
        "start {} after that.",
        who, who);
  }
  return fmt::format(
      "keep the object alive until {} is done with it at {}: let {} own it, too "
      "(std::shared_ptr), or wait for {} before it is destroyed.",
      who, place(user.event), who, who);
}

std::string Explainer::suggestion() const {
  if (of_vptr()) return lifetime_suggestion();
  const std::optional<std::uint64_t> which = lock();
  if (found_.kind == InterferenceKind::kUnordered) {
    const std::string guard =
        which ? "hold " + lock_name(*which) : "guard " + short_object_ + " with a mutex";
    const std::string first = place(found_.first.event);
    const std::string last = place(found_.last.event);
    return fmt::format("{} at {}, from the read that a write depends on; or make it atomic.", guard,
                       first == last ? first : first + " and at " + last);
  }
  if (!which) {
    const bool atomic = is_atomic(event(found_.first).kind) && is_atomic(event(found_.last).kind);
    return fmt::format("guard {} with a mutex, held {}, and at {}{}.", short_object_, region(),
                       place(found_.middle.event),
                       atomic && found_.kind == InterferenceKind::kCheckThenAct
                           ? "; or make it one atomic operation"
                           : "");
  }
  if (const std::optional<std::size_t> wait = waits_between(*which)) {
    return fmt::format("look again after the wait at {}, in a loop: {} is free while it waits.",
                       place(*wait), lock_name(*which));
  }
  std::string text = fmt::format("hold {} {}", lock_name(*which), region());
  const bool everywhere = of_locks() || holds(found_.middle, *which);
  if (!everywhere) text += fmt::format(", and at {}", place(found_.middle.event));
  return text + ".";
}

}  // namespace raddle
