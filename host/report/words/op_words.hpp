// The phrases for each operation; "{}" stands for the object. Called by the words of
// steps and events.
#pragma once

#include <string>

#include "protocol/ops.hpp"

namespace raddle {

struct OpWords {
  const char* step;   // an executed step: "lock {}"
  const char* waits;  // a thread blocked before it: "waits to lock {}"
};

// For a value outside the table: an unknown operation.
OpWords op_words(OpKind op);

// Puts the object in; without one the phrase ends before its preposition ("wait on {}" -> "wait").
std::string fill(const char* phrase, const std::string& object);

}  // namespace raddle
