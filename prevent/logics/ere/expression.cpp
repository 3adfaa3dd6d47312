#include "prevent/logics/ere/expression.hpp"

#include <algorithm>

#include "prevent/logics/tables/explore.hpp"

namespace raddle::logics {
namespace {

// Everything: ~empty.
constexpr ExpressionId kAll = 2;

}  // namespace

Expressions::Expressions() {
  make(Shape::empty, 0, {});
  make(Shape::epsilon, 0, {});
  make(Shape::complement, 0, {empty()});
}

bool Expressions::nullable(Shape shape, const std::vector<ExpressionId>& parts) const {
  const auto is = [this](ExpressionId part) { return nodes_[part].nullable; };
  switch (shape) {
    case Shape::empty:
    case Shape::event:
      return false;
    case Shape::epsilon:
    case Shape::star:
      return true;
    case Shape::concatenation:
    case Shape::both:
      return std::all_of(parts.begin(), parts.end(), is);
    case Shape::either:
      return std::any_of(parts.begin(), parts.end(), is);
    case Shape::complement:
      return !is(parts[0]);
  }
  return false;
}

ExpressionId Expressions::make(Shape shape, EventId event, std::vector<ExpressionId> parts) {
  if (nodes_.size() > 20 * kMostExplored) throw TooManyStates(kMostExplored);
  const auto [at, made] = known_.emplace(std::make_pair(std::make_pair(shape, event), parts),
                                         ExpressionId(nodes_.size()));
  if (!made) return at->second;
  const bool matches = nullable(shape, parts);
  nodes_.push_back({shape, event, std::move(parts), matches});
  return at->second;
}

ExpressionId Expressions::event(EventId event) { return make(Shape::event, event, {}); }

// Leans to the right.
ExpressionId Expressions::concatenation(ExpressionId first, ExpressionId second) {
  if (first == empty() || second == empty()) return empty();
  if (first == epsilon()) return second;
  if (second == epsilon()) return first;
  if (nodes_[first].shape == Shape::concatenation) {
    const std::vector<ExpressionId> parts = nodes_[first].parts;
    return concatenation(parts[0], concatenation(parts[1], second));
  }
  return make(Shape::concatenation, 0, {first, second});
}

ExpressionId Expressions::set(Shape shape, const std::vector<ExpressionId>& parts,
                              ExpressionId neutral, ExpressionId absorbing) {
  std::vector<ExpressionId> flat;
  for (const ExpressionId part : parts) {
    if (part == absorbing) return absorbing;
    if (part == neutral) continue;
    if (nodes_[part].shape == shape) {
      flat.insert(flat.end(), nodes_[part].parts.begin(), nodes_[part].parts.end());
    } else {
      flat.push_back(part);
    }
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (flat.empty()) return neutral;
  if (flat.size() == 1) return flat[0];
  return make(shape, 0, std::move(flat));
}

ExpressionId Expressions::either(const std::vector<ExpressionId>& parts) {
  return set(Shape::either, parts, empty(), kAll);
}

ExpressionId Expressions::both(const std::vector<ExpressionId>& parts) {
  return set(Shape::both, parts, kAll, empty());
}

ExpressionId Expressions::complement(ExpressionId of) {
  if (nodes_[of].shape == Shape::complement) return nodes_[of].parts[0];
  return make(Shape::complement, 0, {of});
}

ExpressionId Expressions::star(ExpressionId of) {
  if (of == empty() || of == epsilon()) return epsilon();
  if (nodes_[of].shape == Shape::star) return of;
  return make(Shape::star, 0, {of});
}

ExpressionId Expressions::derivative(ExpressionId id, EventId event) {
  const auto found = derivatives_.find({id, event});
  if (found != derivatives_.end()) return found->second;
  const Node node = nodes_[id];  // a copy: the nodes move
  const ExpressionId out = derive(node, event);
  derivatives_[{id, event}] = out;
  return out;
}

std::vector<ExpressionId> Expressions::derive_all(const std::vector<ExpressionId>& parts,
                                                  EventId event) {
  std::vector<ExpressionId> out;
  out.reserve(parts.size());
  for (const ExpressionId part : parts) out.push_back(derivative(part, event));
  return out;
}

ExpressionId Expressions::derive(const Node& node, EventId event) {
  switch (node.shape) {
    case Shape::empty:
    case Shape::epsilon:
      return empty();
    case Shape::event:
      return node.event == event ? epsilon() : empty();
    case Shape::concatenation: {
      const ExpressionId left = concatenation(derivative(node.parts[0], event), node.parts[1]);
      if (!matches_epsilon(node.parts[0])) return left;
      return either({left, derivative(node.parts[1], event)});
    }
    case Shape::either:
      return either(derive_all(node.parts, event));
    case Shape::both:
      return both(derive_all(node.parts, event));
    case Shape::complement:
      return complement(derivative(node.parts[0], event));
    case Shape::star:
      return concatenation(derivative(node.parts[0], event), star(node.parts[0]));
  }
  return empty();
}

}  // namespace raddle::logics
