// What a schedule means, as a definition over whole finite traces: the semantics of Luo's
// dissertation, 3.1.2, slow and without state. The automaton is compared with it.
#pragma once

#include <string>
#include <vector>

#include "prevent/schedule/syntax.hpp"

namespace raddle::schedule {

struct Item {
  std::string name;  // "block" and "unblock" as in the dissertation
  std::string thread;
};
using Trace = std::vector<Item>;

bool satisfies(const Trace& trace, const Syntax& syntax);

// "a@t1 block@t1 b@t2"
std::string text_of(const Trace& trace);

}  // namespace raddle::schedule
