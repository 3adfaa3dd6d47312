#include "host/report/words/step_words.hpp"

#include <fmt/format.h>

#include "host/report/words/object_words.hpp"
#include "host/report/words/op_words.hpp"

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

std::string blocked_words(const Doing& doing) {
  if (!doing.event.empty()) return "waits for " + doing.event;
  std::string text = fill(op_words(doing.op).waits, object_with_origin(doing.object));
  if (!doing.holders.empty()) {
    text += ", held by " + thread_labels(doing.holders);
  } else if (doing.value && doing.object.cls == ObjectClass::barrier) {
    const std::string of = doing.needed > 0 ? fmt::format(" of {}", doing.needed) : "";
    text += fmt::format(" ({}{} arrived)", *doing.value, of);
  } else if (doing.value) {
    text += fmt::format(" (value {})", *doing.value);
  }
  return doing.timed ? text + ", with a deadline" : text;
}

}  // namespace

std::string step_words(const StepLine& step) {
  if (step.op == OpKind::value_choice) {
    return fmt::format("choice {} of {}", step.outcome + 1u, raw(step.object.id));
  }
  return fill(op_words(step.op).step, object_words(step.object)) + outcome_suffix(step.outcome);
}

std::string brief_step_words(const StepLine& step) {
  if (step.op == OpKind::value_choice) return step_words(step);
  return fill(op_words(step.op).step, brief_object_words(step.object)) +
         outcome_suffix(step.outcome);
}

std::string waits_words(const Doing& doing) {
  return fill(op_words(doing.op).waits, object_words(doing.object));
}

std::string brief_waits_words(const Doing& doing) {
  return fill(op_words(doing.op).waits, brief_object_words(doing.object));
}

std::string doing_words(const Doing& doing) {
  switch (doing.kind) {
    case Doing::Kind::kNeverBegan:
      return "never began";
    case Doing::Kind::kHadNotBegun:
      return "had not begun";
    case Doing::Kind::kRunning:
      return "was running";
    case Doing::Kind::kCouldGoOn:
      return "could go on";
    case Doing::Kind::kAboutTo:
      return "was about to " + fill(op_words(doing.op).step, object_words(doing.object));
    case Doing::Kind::kBlocked:
      return blocked_words(doing);
    case Doing::Kind::kEnded:
      return "ended";
    case Doing::Kind::kUnknown:
      return "is in an unknown state";
  }
  return "is in an unknown state";
}

std::string cycle_words(const WaitingThread& member) {
  std::string held;
  for (const ObjectRef& object : member.holds) {
    held += (held.empty() ? "" : " and ") + object_with_origin(object) +
            (object.for_reading ? " for reading" : "");
  }
  std::string text = thread_label(member.thread) + " ";
  if (!held.empty()) text += "holds " + held + " and ";
  const std::string place = place_text(member.where);
  if (!place.empty()) text += "at " + place + " ";
  return text + doing_words(member.doing);
}

std::string misuse_words(const MisuseLine& misuse) {
  if (misuse.more != 0) return fmt::format("and {} more", misuse.more);
  const std::string object = object_with_origin(misuse.object);
  std::string what =
      misuse.text.empty() ? fill(op_words(misuse.op).step, object) : misuse.text + ": " + object;
  const std::string place = place_text(misuse.where);
  if (!place.empty()) what += fmt::format(" ({})", place);
  return thread_label(misuse.thread) + " " + what;
}

}  // namespace raddle
