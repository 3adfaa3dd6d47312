#include "host/report/json.hpp"

#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/report/layout.hpp"
#include "host/report/words/headline.hpp"
#include "host/report/words/step_words.hpp"

namespace raddle {

namespace {

using nlohmann::json;

// "failing" for what the program did wrong; the other outcomes say nothing about it.
const char* level_text(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kAssertion:
    case OutcomeKind::kCrash:
    case OutcomeKind::kException:
    case OutcomeKind::kExit:
    case OutcomeKind::kDeadlock:
    case OutcomeKind::kLivelock:
    case OutcomeKind::kLeaked:
    case OutcomeKind::kMemoryFault:
      return "failing";
    case OutcomeKind::kNone:
      return "passed";
    case OutcomeKind::kLimit:
    case OutcomeKind::kInconclusive:
    case OutcomeKind::kPossibleHang:
    case OutcomeKind::kDiverged:
      return "inconclusive";
  }
  return "inconclusive";
}

// File and symbol names may hold any byte.
std::string text(const std::string& from) { return printable(from); }

json cycle_json(const Failure& failure) {
  json array = json::array();
  if (!failure.verdict) return array;
  for (const WaitingThread& member : failure.verdict->cycle) {
    array.push_back(text(cycle_words(member)));
  }
  return array;
}

json misuses_json(const Failure& failure) {
  json array = json::array();
  for (const MisuseLine& misuse : failure.misuses) array.push_back(text(misuse_words(misuse)));
  return array;
}

json thread_json(const ThreadLine& thread) {
  json stack = json::array();
  for (const Frame& frame : thread.stack) {
    json entry = where_json(frame.where);
    entry["module"] = text(frame.module);
    entry["in_program"] = frame.in_program;
    entry["inlined"] = frame.inlined;
    stack.push_back(std::move(entry));
  }
  return {{"id", raw(thread.id)},
          {"name", text(thread.name)},
          {"doing", text(doing_words(thread.doing))},
          {"stack", std::move(stack)}};
}

}  // namespace

json where_json(const Where& where) {
  return {{"file", text(where.file)}, {"line", where.line}, {"function", text(where.function)}};
}

json failure_json(const Failure& failure) {
  json threads = json::array();
  for (const ThreadLine& thread : failure.threads) threads.push_back(thread_json(thread));
  json steps = json::array();
  for (const MergedStep& merged : merged_steps(failure)) {
    steps.push_back({{"step", merged.step->step},
                     {"thread", raw(merged.thread->id)},
                     {"what", text(step_words(*merged.step))},
                     {"where", where_json(merged.step->where)}});
  }
  return {{"level", level_text(failure.kind)},  {"kind", outcome_text(failure.kind)},
          {"message", text(headline(failure))}, {"where", where_json(failure.where)},
          {"thread", raw(failure.thread)},      {"threads", std::move(threads)},
          {"cycle", cycle_json(failure)},       {"steps", std::move(steps)},
          {"misuses", misuses_json(failure)}};
}

}  // namespace raddle
