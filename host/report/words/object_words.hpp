// Objects and threads of a failure in words. Called by the other words and by the printers.
#pragma once

#include <string>
#include <vector>

#include "host/describe/failure.hpp"

namespace raddle {

std::string thread_label(ThreadId id);                           // "T2"
std::string thread_labels(const std::vector<ThreadId>& ids);     // "T1, T2 and T3"
std::string thread_title(ThreadId id, const std::string& name);  // T1 "teller-1"

// "m in worker", "Account::m_ of #2 of Account from bank.cpp:40"; empty if it has no name.
std::string name_words(const ObjectName& name);
// For a narrow column: "Account::m_ #2@bank.cpp:40".
std::string brief_name_words(const ObjectName& name);

// "mutex #2 `b'"; for a thread "T1"; for a descriptor its own number, "descriptor 5", or "a
// descriptor" if that is not known; empty for no object.
std::string object_words(const ObjectRef& object);
// The same, and for an object without a name where it was first used:
// "mutex #2 (first used at bank.cpp:12)".
std::string object_with_origin(const ObjectRef& object);
// The name alone, where there is one: "b".
std::string brief_object_words(const ObjectRef& object);

}  // namespace raddle
