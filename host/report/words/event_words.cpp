#include "host/report/words/event_words.hpp"

#include <fmt/format.h>

#include "host/base/printable.hpp"
#include "host/describe/likely_number.hpp"
#include "host/describe/op_classes.hpp"
#include "host/report/words/op_words.hpp"
#include "protocol/choice_log.hpp"
#include "protocol/site.hpp"

namespace raddle {

namespace {

std::string bytes_text(std::uint64_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

OpKind op_of(const Event& decision) { return static_cast<OpKind>(decision.value & 0xff); }

std::string outcome_words(const Event& decision) {
  switch (static_cast<StepOutcome>(decision.value >> 8 & 0xff)) {
    case StepOutcome::kReady:
      return {};
    case StepOutcome::kTimeout:
      return " (timed out)";
    case StepOutcome::kInterrupted:
      return " (interrupted)";
    case StepOutcome::kCancelled:
      return " (cancelled)";
  }
  return " (unknown outcome)";
}

std::string decision_words(const Event& event) {
  const OpKind op = op_of(event);
  if (op == OpKind::value_choice) {
    return fmt::format("choice {} of {}", (event.value >> 8 & 0xff) + 1, event.object);
  }
  const ObjectClass cls = class_of(op);
  const std::string kind =
      cls == ObjectClass::none ? std::string() : fmt::format("{} ", object_class_text(cls));
  // A descriptor has a number of its own, which events do not have.
  const std::string object = event.object == 0 ? std::string()
                             : cls == ObjectClass::descriptor
                                 ? fmt::format("a descriptor (object #{})", event.object)
                                 : fmt::format("{}#{}", kind, event.object);
  return fill(op_words(op).step, object) + outcome_words(event);
}

std::string woken_words(std::uint64_t how) {
  if (how == 0) return {};
  return how == 1 ? " (timed out)" : " (not notified)";
}

std::string lock_flags(const Event& event) {
  std::string text;
  if ((event.flags & kShared) != 0) text += " (shared)";
  if ((event.flags & kByWait) != 0) text += " (by the wait)";
  const std::uint64_t outermost = event.kind == EventKind::acquire ? 1 : 0;
  if (event.value != outermost) text += fmt::format(" (depth {})", event.value);
  return text;
}

// Who, and on what.
std::string scope_words(const char* verb, const std::string& name, const std::string& object) {
  std::string text = verb;
  if (!name.empty()) text += " " + name;
  return object.empty() ? text : text + " on " + object;
}

class Words {
 public:
  Words(const Event& event, const ObjectNames& names, NameForm form)
      : event_(event),
        names_(names),
        site_(names.sites()[event.site]),
        verb_(event_text(event.kind)),
        object_(names.name(event, form)) {}

  std::string text() const {
    switch (event_.kind) {
      case EventKind::none:
      case EventKind::thread_begin:
      case EventKind::thread_end:
        return verb_;
      case EventKind::decision:
        return decision_words(event_);
      case EventKind::fork:
      case EventKind::join:
        return fmt::format("{} {}", verb_, names_.thread_name(ThreadId(event_.value & 0xffff)));
      case EventKind::acquire:
      case EventKind::release:
        return on_object() + lock_flags(event_);
      case EventKind::wait:
        return event_.value == 0 ? fmt::format("wait on {}", object_)
                                 : fmt::format("wait on {} with {}", object_,
                                               names_.name(event_.value, NameForm::kShort));
      case EventKind::wake:
        return fmt::format("wake from {}{}", object_, woken_words(event_.value));
      case EventKind::notify:
        return fmt::format("{} {}, {} woken", (event_.flags & kAll) != 0 ? "notify all of" : verb_,
                           object_, event_.value);
      case EventKind::signal:
      case EventKind::await:
      case EventKind::destroy:
      case EventKind::free:
        return on_object();
      case EventKind::read:
      case EventKind::write:
        return on_object() + value(" = ", event_.value);
      case EventKind::read_range:
      case EventKind::write_range:
      case EventKind::allocate:
      case EventKind::local:
        return fmt::format("{}, {}", on_object(), bytes_text(event_.value));
      case EventKind::atomic_load:
        return on_object() + value(" = ", event_.value) + order();
      case EventKind::atomic_store:
        return on_object() + value(" = ", event_.value2) + order();
      case EventKind::atomic_update:
        return on_object() + value(": ", event_.value) + value(" -> ", event_.value2) + order();
      case EventKind::atomic_compare:
        if ((event_.flags & kSuccess) == 0) {
          return on_object() + value(": ", event_.value) + " stays" + order();
        }
        return on_object() + value(": ", event_.value) + value(" -> ", event_.value2) + order();
      case EventKind::fence:
        return verb_ + order();
      case EventKind::enter:
      case EventKind::exit:
        return scope_words(verb_.c_str(), site_.function, object_);
      case EventKind::block_enter:
      case EventKind::block_exit:
      case EventKind::unit_enter:
      case EventKind::unit_exit:
        return scope_words(verb_.c_str(), site_.field, object_);
      case EventKind::user:
        return fmt::format("{} {} = {}", verb_, site_.field, event_.value);
    }
    return verb_;
  }

 private:
  std::string on_object() const { return object_.empty() ? verb_ : verb_ + " " + object_; }
  std::string value(const char* before, std::uint64_t value) const {
    if ((event_.flags & kNoValue) != 0 && is_access(event_.kind)) return {};
    if ((site_.flags & kSiteNoNumber) != 0) return {};
    return before + value_words(value, event_.size, names_);
  }
  std::string order() const { return fmt::format(" ({})", order_text(order_of(event_))); }

  const Event& event_;
  const ObjectNames& names_;
  const SiteName& site_;
  const std::string verb_;
  const std::string object_;
};

}  // namespace

std::string value_words(std::uint64_t value, std::uint16_t bytes, const ObjectNames& names) {
  if (const std::optional<std::int64_t> number = likely_number(value, bytes)) {
    return fmt::format("{}", *number);
  }
  const bool is_pointer = bytes == 0 || bytes >= 8;
  if (is_pointer && names.name_kind(value) != NameKind::kAddress) {
    return "&" + names.whole_name(value, NameForm::kShort);
  }
  return fmt::format("{:#x}", is_pointer ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1));
}

std::string event_words(const Event& event, const ObjectNames& names, NameForm form) {
  return printable(Words(event, names, form).text());
}

}  // namespace raddle
