// The report of a serializability violation: the cycle of transactions, as steps in order.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/analysis/serial/serial.hpp"

namespace raddle {
namespace {

FindingRole role(const Event& event) {
  switch (event.kind) {
    case EventKind::read:
    case EventKind::read_range:
    case EventKind::atomic_load:
      return FindingRole::reads;
    case EventKind::write:
    case EventKind::write_range:
    case EventKind::atomic_store:
      return FindingRole::writes;
    case EventKind::atomic_update:
      return FindingRole::updates;
    case EventKind::atomic_compare:
      return (event.flags & kSuccess) != 0 ? FindingRole::updates : FindingRole::reads;
    case EventKind::acquire:
      return FindingRole::acquires;
    case EventKind::release:
      return FindingRole::releases;
    case EventKind::fork:
      return FindingRole::creates_thread;
    case EventKind::join:
      return FindingRole::joins_thread;
    case EventKind::thread_begin:
      return FindingRole::begins;
    case EventKind::thread_end:
      return FindingRole::ends;
    case EventKind::wait:
      return FindingRole::waits_on;
    case EventKind::wake:
      return FindingRole::wakes_up_from;
    case EventKind::notify:
      return FindingRole::notifies;
    case EventKind::signal:
      return FindingRole::signals;
    case EventKind::await:
      return FindingRole::awaits;
    case EventKind::none:
    case EventKind::decision:
    case EventKind::fence:
    case EventKind::enter:
    case EventKind::exit:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
    case EventKind::user:
    case EventKind::destroy:
      return FindingRole::is_at;
  }
  return FindingRole::is_at;
}

// What the user calls the block that this event began.
std::string block_name(const ExecutionState& state, const Event& entered) {
  if (entered.kind == EventKind::acquire)
    return fmt::format("the region that holds {}", state.name(entered.object));
  const Site& site = state.site(entered.site);
  if (entered.kind != EventKind::enter && !site.field.empty()) return site.field;
  const std::string function = state.function(entered.site);
  return function.empty() ? "an atomic block" : function;
}

}  // namespace

void SerialDetector::report(const Mark& source, const Mark& target) {
  const TransactionRef block = target.transaction;
  std::vector<TransactionGraph::Edge> edges = graph_.path(block, source.transaction);
  edges.push_back({block.slot, source, target});

  std::vector<Mark> marks;
  std::vector<std::string> others;  // in the order of the cycle
  marks.push_back(graph_[block].entered);
  for (const TransactionGraph::Edge& edge : edges) {
    if (edge.source.transaction.generation != 0) {
      marks.push_back(edge.source);
      marks.push_back(edge.target);
    }
    if (edge.to == block.slot) continue;
    const TransactionGraph::Transaction& node = graph_.at(edge.to);
    const Event entered = state_.recall(node.entered.point, node.entered.object, 0);
    if (node.block) marks.push_back(node.entered);
    std::string who = node.block ? fmt::format("{} of {}", block_name(state_, entered),
                                               state_.thread_name(entered.thread))
                                 : state_.thread_name(entered.thread);
    if (others.empty() || others.back() != who) others.push_back(std::move(who));
  }
  // By the cycle: when its transactions began relative to each other is chance.
  std::uint64_t place = mix(std::uint64_t(FindingKind::serializability), 0);
  for (const Mark& mark : marks) place = mix(place, state_.stable(mark.point));
  if (findings_.count(place)) return;

  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.time < b.time; });
  marks.erase(std::unique(marks.begin(), marks.end(),
                          [](const Mark& a, const Mark& b) { return a.time == b.time; }),
              marks.end());

  Finding finding;
  finding.kind = FindingKind::serializability;
  const Mark& entered = graph_[block].entered;
  const Event begin = state_.recall(entered.point, entered.object, entered.step);
  const FindingStep first =
      state_.step(entered.point, entered.object, entered.step, FindingRole::enters_block);
  finding.units = {
      state_.block_unit(begin, first.stack.empty() ? "" : state_.function(first.stack[0]))};
  finding.declared = finding.units[0].origin == UnitOrigin::annotated;
  // Creating and joining threads is about no object.
  finding.object = target.object != 0 ? state_.name(target.object) : block_name(state_, begin);
  std::string list;
  for (std::size_t i = 0; i < others.size(); ++i)
    list += (i == 0 ? "" : i + 1 == others.size() ? " and " : ", ") + others[i];
  finding.what = fmt::format("{} of {} is not serializable: {} {} both after and before it",
                             block_name(state_, begin), state_.thread_name(begin.thread), list,
                             others.size() == 1 ? "comes" : "come");
  finding.why =
      "Each of these transactions has to come before the next one, and the last before the first: "
      "no execution in which every block runs alone has this order, so the block saw, or showed, a "
      "state in the middle.";
  for (const Mark& mark : marks) {
    const bool enters =
        graph_[mark.transaction].block && graph_[mark.transaction].entered.time == mark.time;
    const Event event = state_.recall(mark.point, mark.object, mark.step);
    finding.steps.push_back(state_.step(mark.point, mark.object, mark.step,
                                        enters ? FindingRole::enters_block : role(event)));
  }
  finding.place = place;
  findings_.add(std::move(finding));
}

}  // namespace raddle
