#include "host/report/json.hpp"

#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/report/layout.hpp"

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
      return "failing";
    case OutcomeKind::kNone:
      return "passed";
    case OutcomeKind::kLimit:
    case OutcomeKind::kInconclusive:
    case OutcomeKind::kDiverged:
      return "inconclusive";
  }
  return "inconclusive";
}

// File and symbol names may hold any byte.
std::string text(const std::string& from) { return printable(from); }

json texts(const std::vector<std::string>& lines) {
  json array = json::array();
  for (const std::string& line : lines) array.push_back(text(line));
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
  return {{"id", thread.id},
          {"name", text(thread.name)},
          {"doing", text(thread.doing)},
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
                     {"thread", merged.thread->id},
                     {"what", text(merged.step->what)},
                     {"where", where_json(merged.step->where)}});
  }
  return {{"level", level_text(failure.kind)}, {"kind", outcome_text(failure.kind)},
          {"message", text(failure.headline)}, {"where", where_json(failure.where)},
          {"thread", failure.thread},          {"threads", std::move(threads)},
          {"cycle", texts(failure.cycle)},     {"steps", std::move(steps)},
          {"misuses", texts(failure.misuses)}};
}

}  // namespace raddle
