#include "host/campaign/hunt/hunt_looks.hpp"

#include <utility>

#include "host/campaign/hunt/hunt_findings.hpp"
#include "protocol/atom_marks.hpp"

namespace raddle {
namespace {

// Of executions in which `atom` says that it created a violation, so many are looked at.
constexpr std::uint64_t kMostAtomLooks = 40;
constexpr std::size_t kMostAtomMarks = 200;  // sets of violations that are looked at besides

// A number of executions is to show the same each time, however long that takes.
std::optional<Clock::time_point> beginning(const HuntState& state) {
  if (state.options.executions > 0) return std::nullopt;
  return state.begin;
}

}  // namespace

HuntLooks::HuntLooks(const HuntState& state) : state_(state), harm_looks_(beginning(state)) {}

bool HuntLooks::wants(const HuntFinding* sought, const Execution& execution, bool fails) {
  if (execution.realised.count == 0) return false;
  if (sought != nullptr) return wants_look(*sought, fails);
  const bool is_new = atom_marks_.size() < kMostAtomMarks &&
                      atom_marks_.insert(execution.realised.steps[kViolatedMark]).second;
  return fails || is_new || atom_looks_++ < kMostAtomLooks;
}

void HuntLooks::look(Worker& worker, HuntLook& look) {
  const RunOptions running = state_.running(nullptr);
  Result<Confirmation> confirmation =
      look.candidate
          ? confirm_candidate(worker, *look.candidate, look.execution, running)
          : confirm_violation(worker, look.execution, running, state_.options.wants, look.met);
  if (!confirmation || !confirmation->confirmed) return;
  look.shown = std::move(*confirmation);
  if (!look.fails && rests_on_inference(look.shown->finding)) look.harm = harm_of(worker, look);
}

// Of a confirmed violation that did not fail. If it does harm, the look's execution and what it
// showed become those of the shorter execution that shows it.
HarmChecked HuntLooks::harm_of(Worker& worker, HuntLook& look) {
  const RunOptions running = state_.running(nullptr);
  HarmChecked checked = harm_looks_.look(worker, look.shown->finding, look.execution, running,
                                         state_.options.plan, state_.racing);
  if (!checked.harm.found || checked.interleaved.log.empty()) return checked;
  Result<Confirmation> again =
      look.candidate ? confirm_candidate(worker, *look.candidate, checked.interleaved, running)
                     : confirm_violation(worker, checked.interleaved, running);
  if (again && again->confirmed && again->finding.place == look.shown->finding.place) {
    look.shown = std::move(*again);
    look.execution = without_report(checked.interleaved);
  }
  return checked;
}

}  // namespace raddle
