// What a thread read in a failing execution and not in one that passes, where who wrote it is
// known: facts of both executions, back to the first read that differs. Used by
// explain_by_passing() alone.
#pragma once

#include <optional>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explanation.hpp"

namespace raddle {

// A lock that a thread tried and did not get, and in the passing execution got before it wrote what
// the failing thread read; else the read that differs. Of what the failing thread read and another
// one had written, that one's own reads are looked at, and so on: the one found last says most.
std::optional<Explanation> explain_differing_read(const AccessHistory& failing,
                                                  const AccessHistory& passing,
                                                  const Failure& failure, Symbolizer& symbols);

}  // namespace raddle
