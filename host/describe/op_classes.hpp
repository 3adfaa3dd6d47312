// What an operation acts on. Called by describe() and by host/report/words.
#pragma once

#include "protocol/event.hpp"
#include "protocol/ops.hpp"

namespace raddle {

// ObjectClass::none where it acts on nothing that has a name, and for a value outside the table.
ObjectClass class_of(OpKind op);

// An operation that takes a lock, or gives it back.
bool is_lock_op(OpKind op);

// A decision whose operation shows as an event of its own, right after it.
bool is_shown_by_event(const Event& decision);

}  // namespace raddle
