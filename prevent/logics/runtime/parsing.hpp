// Context-free grammars at run time: which prefixes can still become a sentence, and which are one.
// The words after the header: categories for neither, match, fail, both; the number of
// nonterminals; the number of rules. Each rule: the nonterminal, the length of its right side, its
// symbols: below the number of events an event, above it a nonterminal. Nonterminal 0 is the start.
// Every nonterminal derives some sentence, and none derives only the empty one; `match` of the
// first state alone may come from an extra word after the rules, 1 if the start derives the empty
// sentence.
#pragma once

#include <memory>

#include "prevent/logics/runtime/property.hpp"

namespace raddle::logics {

std::unique_ptr<const Property> load_grammar(const Word* program);

}  // namespace raddle::logics
