// Extended regular expressions in a normal form, and their derivatives: what is left to match after
// an event. Expressions of one set are numbers, equal ones are the same number, and `|` and `&`
// know no order and no repetition; so an expression has finitely many derivatives.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "prevent/logics/runtime/property.hpp"

namespace raddle::logics {

using ExpressionId = std::uint32_t;

class Expressions {
 public:
  Expressions();

  ExpressionId empty() const { return 0; }    // matches nothing
  ExpressionId epsilon() const { return 1; }  // matches the trace without events
  ExpressionId event(EventId event);
  ExpressionId concatenation(ExpressionId first, ExpressionId second);
  ExpressionId either(const std::vector<ExpressionId>& parts);
  ExpressionId both(const std::vector<ExpressionId>& parts);
  ExpressionId complement(ExpressionId of);
  ExpressionId star(ExpressionId of);

  bool matches_epsilon(ExpressionId id) const { return nodes_[id].nullable; }
  ExpressionId derivative(ExpressionId id, EventId event);

 private:
  enum class Shape { empty, epsilon, event, concatenation, either, both, complement, star };
  struct Node {
    Shape shape;
    EventId event;
    std::vector<ExpressionId> parts;
    bool nullable;
  };

  ExpressionId make(Shape shape, EventId event, std::vector<ExpressionId> parts);
  bool nullable(Shape shape, const std::vector<ExpressionId>& parts) const;
  ExpressionId set(Shape shape, const std::vector<ExpressionId>& parts, ExpressionId neutral,
                   ExpressionId absorbing);
  ExpressionId derive(const Node& node, EventId event);
  std::vector<ExpressionId> derive_all(const std::vector<ExpressionId>& parts, EventId event);

  std::vector<Node> nodes_;
  std::map<std::pair<std::pair<Shape, EventId>, std::vector<ExpressionId>>, ExpressionId> known_;
  std::map<std::pair<ExpressionId, EventId>, ExpressionId> derivatives_;
};

}  // namespace raddle::logics
