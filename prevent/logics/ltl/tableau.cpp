#include "prevent/logics/ltl/tableau.hpp"

#include <algorithm>

#include "prevent/logics/tables/explore.hpp"

namespace raddle::logics {
namespace {

constexpr std::size_t kMostSets = 20'000;
constexpr std::size_t kMostWork = 200'000;

// Strongly connected components (Tarjan), without recursion: formulas may be deep.
class Components {
 public:
  explicit Components(const std::vector<std::vector<std::uint32_t>>& graph)
      : graph_(graph), index_(graph.size()), low_(graph.size()), component_(graph.size()) {}

  std::vector<std::uint32_t> find() {
    for (std::uint32_t node = 0; node < graph_.size(); ++node)
      if (index_[node] == 0) visit(node);
    return component_;
  }

 private:
  void visit(std::uint32_t root) {
    struct Frame {
      std::uint32_t node;
      std::size_t edge;
    };
    std::vector<Frame> frames{{root, 0}};
    enter(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const std::uint32_t node = frame.node;
      if (frame.edge < graph_[node].size()) {
        const std::uint32_t target = graph_[node][frame.edge++];
        if (index_[target] == 0) {
          enter(target);
          frames.push_back({target, 0});
        } else if (component_[target] == 0) {
          low_[node] = std::min(low_[node], index_[target]);
        }
        continue;
      }
      if (low_[node] == index_[node]) leave(node);
      frames.pop_back();
      if (!frames.empty())
        low_[frames.back().node] = std::min(low_[frames.back().node], low_[node]);
    }
  }

  void enter(std::uint32_t node) {
    index_[node] = low_[node] = ++count_;
    stack_.push_back(node);
  }

  void leave(std::uint32_t node) {
    ++components_;
    for (;;) {
      const std::uint32_t top = stack_.back();
      stack_.pop_back();
      component_[top] = components_;
      if (top == node) return;
    }
  }

  const std::vector<std::vector<std::uint32_t>>& graph_;
  std::vector<std::uint32_t> index_;
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> component_;  // from 1
  std::vector<std::uint32_t> stack_;
  std::uint32_t count_ = 0;
  std::uint32_t components_ = 0;
};

}  // namespace

Tableau::Tableau(Formulas& formulas, FormulaId formula, bool negated, std::size_t events)
    : formulas_(formulas) {
  number({normal(formula, negated)});
  for (std::uint32_t state = 0; state < sets_.size(); ++state) {
    for (std::size_t event = 0; event < events; ++event) {
      const Set set = sets_[state];
      std::set<Choice> choices;
      expand({set.begin(), set.end()}, {}, {}, EventId(event), choices);
      for (const Choice& choice : choices) {
        const std::uint32_t target = number(choice.later);
        edges_[state].push_back({EventId(event), target, choice.postponed});
      }
    }
  }
  find_accepting();
}

std::uint32_t Tableau::number(const Set& set) {
  const auto [at, made] = numbers_.emplace(set, std::uint32_t(sets_.size()));
  if (made) {
    if (sets_.size() >= kMostSets) throw TooManyStates(kMostSets);
    sets_.push_back(set);
    edges_.emplace_back();
  }
  return at->second;
}

// Negations only before events.
FormulaId Tableau::normal(FormulaId id, bool negated) {
  const auto found = normals_.find({id, negated});
  if (found != normals_.end()) return found->second;
  const FormulaId out = normal_made(id, negated);
  normals_[{id, negated}] = out;
  return out;
}

FormulaId Tableau::normal_made(FormulaId id, bool negated) {
  const Formula formula = formulas_[id];  // a copy: the formulas move
  const auto left = [&] { return normal(formula.left, negated); };
  const auto right = [&] { return normal(formula.right, negated); };
  switch (formula.op) {
    case Operator::always_true:
      return formulas_.constant(!negated);
    case Operator::always_false:
      return formulas_.constant(negated);
    case Operator::event:
      return negated ? formulas_.negation(id) : id;
    case Operator::negation:
      return normal(formula.left, !negated);
    case Operator::conjunction: {
      const FormulaId a = left();
      return negated ? formulas_.disjunction(a, right()) : formulas_.conjunction(a, right());
    }
    case Operator::disjunction: {
      const FormulaId a = left();
      return negated ? formulas_.conjunction(a, right()) : formulas_.disjunction(a, right());
    }
    case Operator::next:
      return formulas_.unary(Operator::next, left());
    case Operator::until:
    case Operator::release: {
      const FormulaId a = left();
      const bool until = (formula.op == Operator::until) != negated;
      return formulas_.binary(until ? Operator::until : Operator::release, a, right());
    }
    case Operator::previous:
    case Operator::since:
      break;  // of ptltl
  }
  return id;
}

// All ways in which the formulas of `todo` can hold when the event happens.
void Tableau::expand(std::vector<FormulaId> todo, Set seen, Choice choice, EventId event,
                     std::set<Choice>& out) const {
  if (++work_ > kMostWork) throw TooManyStates(kMostSets);
  while (!todo.empty()) {
    const FormulaId id = todo.back();
    todo.pop_back();
    if (!seen.insert(id).second) continue;
    const Formula& formula = formulas_[id];
    switch (formula.op) {
      case Operator::always_true:
        break;
      case Operator::always_false:
        return;
      case Operator::event:
        if (formula.event != event) return;
        break;
      case Operator::negation:
        if (formulas_[formula.left].event == event) return;
        break;
      case Operator::conjunction:
        todo.push_back(formula.left);
        todo.push_back(formula.right);
        break;
      case Operator::disjunction: {
        std::vector<FormulaId> other = todo;
        other.push_back(formula.right);
        expand(std::move(other), seen, choice, event, out);
        todo.push_back(formula.left);
        break;
      }
      case Operator::next:
        choice.later.insert(formula.left);
        break;
      case Operator::until: {
        std::vector<FormulaId> now = todo;
        now.push_back(formula.right);
        expand(std::move(now), seen, choice, event, out);
        todo.push_back(formula.left);
        choice.later.insert(id);
        choice.postponed.insert(id);
        break;
      }
      case Operator::release: {
        std::vector<FormulaId> released = todo;
        released.push_back(formula.left);
        released.push_back(formula.right);
        expand(std::move(released), seen, choice, event, out);
        todo.push_back(formula.right);
        choice.later.insert(id);
        break;
      }
      case Operator::previous:
      case Operator::since:
        return;  // of ptltl
    }
  }
  choice.later.erase(formulas_.constant(true));
  out.insert(std::move(choice));
}

std::vector<std::uint32_t> Tableau::components() const {
  std::vector<std::vector<std::uint32_t>> graph(edges_.size());
  for (std::size_t state = 0; state < edges_.size(); ++state)
    for (const Edge& edge : edges_[state]) graph[state].push_back(edge.target);
  return Components(graph).find();
}

// A state accepts if it reaches a component in which a run can go round for ever and postpones
// nothing all the time: the intersection of what the edges inside postpone is empty.
void Tableau::find_accepting() {
  const std::vector<std::uint32_t> component = components();
  std::map<std::uint32_t, Set> always_postponed;  // only of components that have an edge inside
  for (std::size_t state = 0; state < edges_.size(); ++state) {
    for (const Edge& edge : edges_[state]) {
      if (component[state] != component[edge.target]) continue;
      const auto [at, first] = always_postponed.emplace(component[state], edge.postponed);
      if (first) continue;
      Set kept;
      std::set_intersection(at->second.begin(), at->second.end(), edge.postponed.begin(),
                            edge.postponed.end(), std::inserter(kept, kept.begin()));
      at->second = std::move(kept);
    }
  }
  accepts_.resize(edges_.size());
  for (std::size_t state = 0; state < edges_.size(); ++state) {
    const auto found = always_postponed.find(component[state]);
    accepts_[state] = found != always_postponed.end() && found->second.empty();
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t state = 0; state < edges_.size(); ++state) {
      if (accepts_[state]) continue;
      accepts_[state] = std::any_of(edges_[state].begin(), edges_[state].end(),
                                    [this](const Edge& edge) { return accepts_[edge.target]; });
      changed = changed || accepts_[state];
    }
  }
}

Tableau::States Tableau::first() const { return accepts_[0] ? States{0} : States{}; }

Tableau::States Tableau::after(const States& from, EventId event) const {
  std::set<std::uint32_t> out;
  for (const std::uint32_t state : from)
    for (const Edge& edge : edges_[state])
      if (edge.event == event && accepts_[edge.target]) out.insert(edge.target);
  return {out.begin(), out.end()};
}

}  // namespace raddle::logics
