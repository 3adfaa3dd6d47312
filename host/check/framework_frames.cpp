#include "host/check/framework_frames.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace raddle {
namespace {

constexpr std::string_view kFrameworks[] = {"testing::", "Catch::", "doctest::"};
constexpr std::string_view kCheck = "raddle::detail::";

bool starts_with_any(const std::string& function) {
  return std::any_of(std::begin(kFrameworks), std::end(kFrameworks),
                     [&](std::string_view name) { return function.starts_with(name); });
}

// What is known of a place in the code, looked up once.
class Frames {
 public:
  explicit Frames(Symbolizer& symbols) : symbols_(symbols) {}

  // Every inlined function at this place is the framework's, or (`or_check`) of check() itself.
  bool of_framework(std::uint64_t pc, bool return_address, bool or_check) {
    auto known = known_.find(pc);
    if (known == known_.end()) {
      Of of{true, true};
      for (const Frame& frame : symbols_.frames(pc, return_address)) {
        const bool framework = starts_with_any(frame.where.function);
        of.framework &= framework;
        of.either &= is_framework_function(frame.where.function);
      }
      known = known_.emplace(pc, of).first;
    }
    return or_check ? known->second.either : known->second.framework;
  }

 private:
  struct Of {
    bool framework;
    bool either;
  };
  Symbolizer& symbols_;
  std::unordered_map<std::uint64_t, Of> known_;
};

void drop_from_stack(Stack& stack, Frames& frames) {
  const std::uint16_t count = std::min<std::uint16_t>(stack.frames, kMaxFrames);
  std::uint16_t kept = 0;
  for (std::uint16_t i = 0; i < count; ++i) {
    const bool exact = i == 0 && stack.first_is_exact;
    if (frames.of_framework(stack.pc[i], !exact, true)) {
      if (exact) stack.first_is_exact = false;
      continue;
    }
    stack.pc[kept] = stack.pc[i];
    stack.cfa[kept++] = stack.cfa[i];
  }
  stack.frames = kept;
}

// A step of a framework's own: one of its functions is on the stack. Those of check() are on every
// stack of the main thread, but further out than what is recorded of a step tells apart.
bool made_by_framework(const DetailedStep& step, Frames& frames) {
  const std::uint16_t count = std::min<std::uint16_t>(step.frames, kMaxStepFrames);
  return std::any_of(step.pc, step.pc + count,
                     [&](std::uint64_t pc) { return frames.of_framework(pc, true, false); });
}

void drop_steps(ThreadReport& thread, Frames& frames) {
  std::vector<DetailedStep> kept;
  const std::uint32_t count = std::min<std::uint32_t>(thread.last_steps, kMaxLastSteps);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!made_by_framework(thread.last[i], frames)) kept.push_back(thread.last[i]);
  }
  std::copy(kept.begin(), kept.end(), thread.last);
  thread.last_steps = static_cast<std::uint32_t>(kept.size());
}

}  // namespace

bool is_framework_function(const std::string& function) {
  return starts_with_any(function) || function.starts_with(kCheck);
}

void drop_framework_frames(Execution& execution, Symbolizer& symbols) {
  if (execution.report == nullptr) return;
  symbols.set_maps(execution.maps);
  Frames frames(symbols);
  Report& report = *execution.report;
  const std::uint32_t threads = std::min<std::uint32_t>(report.threads, kMaxReportThreads);
  for (std::uint32_t i = 0; i < threads; ++i) {
    drop_from_stack(report.thread_table[i].stack, frames);
    drop_steps(report.thread_table[i], frames);
  }
}

}  // namespace raddle
