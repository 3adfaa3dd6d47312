// String rewriting at run time. The words after the header: categories while it goes on, after
// #fail, after #succeed, over the bound; bound (low, high word); what happens at the bound (an
// Outcome); rules. Each rule: anchors (1: begin, 2: end), Outcome, length of the left side, its
// symbols, length of the right side, its symbols. Symbols below the number of events are events.
#pragma once

#include <memory>

#include "prevent/logics/runtime/property.hpp"

namespace raddle::logics {

enum class Outcome : Word { goes_on, fails, succeeds, overruns };

enum Anchor : Word { kAtBegin = 1, kAtEnd = 2 };

std::unique_ptr<const Property> load_rewriting(const Word* program);

}  // namespace raddle::logics
