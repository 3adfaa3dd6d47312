// Names of members as a trace has them ("account.balance_", "Listener::(vptr)"), taken apart. Pure
// functions.
#pragma once

#include <string>
#include <string_view>

namespace raddle {

// What the pass calls the pointer to an object's table of virtual functions.
inline constexpr std::string_view kVptrField = "(vptr)";

// The object that the pointer belongs to: "Listener::(vptr)" -> "Listener".
std::string owner_of_vptr(const std::string& name);

// A std::atomic's own member is nobody's name for it: "account.count._M_i" -> "account.count". What
// is no such member is returned as it is.
std::string owner_of_atomic(const std::string& name);

// "account.count" -> "count".
std::string last_member(const std::string& name);

}  // namespace raddle
