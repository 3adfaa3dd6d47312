#include "host/campaign/failures/misuses.hpp"

#include <algorithm>
#include <set>

#include "host/describe/explain/misuse.hpp"
#include "host/process/strict_replay.hpp"

namespace raddle {
namespace {

bool is_of_gone_object(const MisuseLine& misuse) {
  return misuse.text.find("was destroyed") != std::string::npos ||
         misuse.text.find("was freed") != std::string::npos;
}

}  // namespace

void add_misuses(std::vector<FoundMisuse>& list, const Execution& execution, Symbolizer& symbols) {
  std::set<std::ptrdiff_t> counted;  // one execution may have the same several times
  bool gone = false;
  for (const MisuseLine& misuse : describe(execution, symbols).misuses) {
    // Once an object is used that is not there any more, what follows may follow from that.
    if (misuse.more != 0 || gone) continue;
    gone = is_of_gone_object(misuse);
    const auto same = std::find_if(list.begin(), list.end(), [&](const FoundMisuse& one) {
      return one.note.what.where == misuse.where && one.note.what.text == misuse.text;
    });
    const bool is_first = counted.insert(same - list.begin()).second;
    if (same == list.end()) {
      list.push_back({{misuse, 1, execution.plan.seed}, without_report(execution), {}, {}});
      continue;
    }
    if (!is_first) continue;
    ++same->note.count;
    if (execution.preemptions >= same->execution.preemptions) continue;
    same->note.what = misuse;
    same->execution = without_report(execution);
  }
}

void explain(FoundMisuse& found, Worker& worker, const RunOptions& options, Symbolizer& symbols) {
  KeptTrace trace;
  RunOptions running = options;
  running.events = &trace;
  const Result<Execution> again =
      replay_strictly(worker, found.execution, running, ReplayDetail::kFull);
  if (!again || again->log_hash != found.execution.log_hash) return;
  const Failure failure = describe(*again, symbols);
  const MisuseLine& first = found.note.what;
  const auto same =
      std::find_if(failure.misuses.begin(), failure.misuses.end(), [&](const MisuseLine& one) {
        return one.thread == first.thread && one.step == first.step && one.text == first.text;
      });
  if (same == failure.misuses.end()) return;
  found.note.what = *same;
  found.explanation = explain_misuse(trace, failure, *same, symbols);
}

}  // namespace raddle
