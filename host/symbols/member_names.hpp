// Names of members as a trace has them ("account.balance_", "Listener::(vptr)"), taken apart. Pure
// functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace raddle {

// What the pass calls the pointer to an object's table of virtual functions.
inline constexpr std::string_view kVptrField = "(vptr)";

// The object that the pointer belongs to: "Listener::(vptr)" -> "Listener", "chart.(vptr)" ->
// "chart". Any other name as it is.
std::string owner_of_vptr(const std::string& name);

// A name that the language keeps for its library: "_M_impl", "__state_".
bool is_library_member(std::string_view member);

// Of the class that std::make_shared allocates, counts and object in one: the object's class, which
// lies behind the counts. Empty for other classes.
std::string class_in_shared(std::string_view cls);
inline constexpr std::uint64_t kSharedCountsBytes = 16;

// Members that are the library's own are nobody's name for a thing, nor is one that is named twice:
// "account.count._M_i" -> "account.count", "routes._M_impl" -> "routes", "pool.head_.head_" ->
// "pool.head_". What has no such member is returned as it is.
std::string without_library_members(const std::string& name);

// "account.count" -> "count", "Account::count" -> "count".
std::string last_member(const std::string& name);

}  // namespace raddle
