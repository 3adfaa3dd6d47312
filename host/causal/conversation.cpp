#include "host/causal/conversation.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "host/causal/cone.hpp"
#include "host/causal/formula.hpp"
#include "host/causal/guess.hpp"
#include "host/causal/solving.hpp"
#include "host/causal/standing.hpp"

namespace raddle::causal {
namespace {

// Which events may see something else, and whether their threads stop there if they do. What a
// read-modify-write would leave then is not known: with a proof it may differ only at the very end.
std::map<NodeId, bool> unseen_among(const Histories& histories, const std::vector<NodeId>& events,
                                    Trust trust) {
  std::map<NodeId, bool> unseen;
  std::set<ThreadIndex> begun;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Node& n = histories.node(events[i]);
    const bool first = begun.insert(n.thread).second;
    if (trust == Trust::kTried) {
      for (std::uint32_t k = 0; first && k < histories.size(); ++k) {
        const Node& later = histories.node(NodeId{k});
        const ActionKind kind = later.event.action.kind;
        if (later.thread == n.thread &&
            (kind == ActionKind::kRead || kind == ActionKind::kUpdate) &&
            histories.is_before(events[i], NodeId{k}))
          unseen[NodeId{k}] = false;
      }
      continue;
    }
    const bool last_of_all = i + 1 == events.size();
    const bool last =
        std::none_of(events.begin() + static_cast<std::ptrdiff_t>(i) + 1, events.end(),
                     [&](NodeId later) { return histories.node(later).thread == n.thread; });
    const ActionKind kind = n.event.action.kind;
    if (last && (kind == ActionKind::kRead || (reads(kind) && last_of_all)))
      unseen[events[i]] = true;
  }
  return unseen;
}

}  // namespace

class Conversation::Impl {
 public:
  Impl(const Histories& histories, const Rules& rules) : h_(histories), rules_(rules) {}

  Answer meeting(const std::vector<NodeId>& at) {
    if (auto guessed = guess_meeting(h_, at)) return {Verdict::kYes, false, 0, std::move(*guessed)};
    const Cone cone = cone_of(h_, at, {});
    if (!cone.possible) return {};
    return asked(cone, {}, std::nullopt, [&] {
      Standing standing(h_, formula());
      for (const NodeId id : at) standing.constrain_to_stand(solver(), id);
    });
  }

  Answer order(const std::vector<NodeId>& events, Trust trust) {
    const std::map<NodeId, bool> unseen = unseen_among(h_, events, trust);
    if (rules_.guesses) {
      if (auto guessed = guess_order(h_, events, unseen))
        return {Verdict::kYes, false, 0, std::move(*guessed)};
    }
    std::set<NodeId> any_value;
    for (const auto& [node, stops] : unseen) any_value.insert(node);
    const Cone cone = cone_of(h_, events, any_value);
    if (!cone.possible) return {};
    return asked(cone, unseen, events.back(), [&] {
      for (std::size_t i = 0; i < events.size(); ++i) {
        const std::size_t item = *formula().find(events[i]);
        solver().add(formula().executed(item));
        if (i > 0) solver().add(formula().before(*formula().find(events[i - 1]), item));
      }
    });
  }

 private:
  // Made when the first question needs it.
  struct Solving {
    Solving(const Histories& histories, const Rules& rules)
        : formula(histories, whole(histories), nullptr), solver(solver_for(formula, rules)) {
      formula.let_all_see_anything();
      formula.constrain(solver, false);
    }
    Formula formula;
    z3::solver solver;
    std::uint32_t effort = 0;  // of the questions so far
  };
  Formula& formula() { return solving_->formula; }
  z3::solver& solver() { return solving_->solver; }

  // `last`: the schedule ends with it.
  Answer asked(const Cone& cone, const std::map<NodeId, bool>& unseen, std::optional<NodeId> last,
               const std::function<void()>& constrain) {
    // The solver has no room, say: another question may be smaller, and gets a new one.
    try {
      if (!solving_) solving_ = std::make_unique<Solving>(h_, rules_);
      solver().push();
      leave_out_others(cone);
      bind_reads(unseen);
      constrain();
      const Answer answer = solved(unseen, last);
      solving_->effort += static_cast<std::uint32_t>(answer.effort);
      solver().pop();
      return answer;
    } catch (const z3::exception&) {
      solving_.reset();
      return {Verdict::kUnknown, true, 0, {}};
    }
  }

  void leave_out_others(const Cone& cone) {
    std::size_t next = 0;  // both are in the order of nodes
    for (std::size_t i = 0; i < formula().size(); ++i) {
      while (next < cone.nodes.size() && cone.nodes[next] < formula().item(i).node) ++next;
      if (next == cone.nodes.size() || cone.nodes[next] != formula().item(i).node)
        solver().add(!formula().executed(i));
    }
  }

  void bind_reads(const std::map<NodeId, bool>& unseen) {
    for (const auto& [item, free] : formula().free_to_see()) {
      const auto it = unseen.find(formula().item(item).node);
      if (it == unseen.end()) {
        solver().add(!free);
      } else if (it->second) {
        for (const NodeId child : h_.node(it->first).children)
          solver().add(!free || !formula().executed(*formula().find(child)));
      } else {
        solver().add(free);
      }
    }
  }

  Answer solved(const std::map<NodeId, bool>& unseen, std::optional<NodeId> last) {
    for (;;) {
      Answer answer = check(solver(), solving_->effort);
      if (answer.verdict != Verdict::kYes) return answer;
      const z3::model model = solver().get_model();
      Scheduler scheduler(h_, formula(), model);
      scheduler.let_see_anything(unseen);
      const std::optional<std::size_t> last_item = last ? formula().find(*last) : std::nullopt;
      if (!scheduler.run(formula().size(), last_item)) return not_known(answer);
      const std::vector<ThreadIndex> cycle = scheduler.world().lock_cycle();
      if (!rules_.cycles_end || cycle.empty()) {
        answer.schedule = std::move(scheduler.schedule());
        return answer;
      }
      solver().add(formula().not_all_at(cycle, scheduler.world()));
    }
  }

  const Histories& h_;
  Rules rules_;
  std::unique_ptr<Solving> solving_;
};

Conversation::Conversation(const Histories& histories, const Rules& rules)
    : impl_(std::make_unique<Impl>(histories, rules)) {}
Conversation::~Conversation() = default;
Answer Conversation::meeting(const std::vector<NodeId>& at) { return impl_->meeting(at); }
Answer Conversation::order(const std::vector<NodeId>& events, Trust trust) {
  return impl_->order(events, trust);
}

}  // namespace raddle::causal
