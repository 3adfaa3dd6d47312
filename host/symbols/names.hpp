// Names of functions, types and files as a person would say them. Called by the symbolizer and by
// describe(); pure functions of their arguments and the current directory.
#pragma once

#include <string>
#include <string_view>

#include "host/symbols/place.hpp"

namespace raddle {

// A demangled function, or what __PRETTY_FUNCTION__ says, without return type, parameters, clone
// suffixes and the template arguments of library types: "Account::withdraw", "main::{lambda#1}",
// "Queue<int>::push", "std::thread::join". Works for variables too.
std::string short_function(std::string_view demangled);

// The same for a type: "std::runtime_error", "Queue<unsigned int>", "std::string".
std::string short_type(std::string_view demangled);

// From a symbol of the ELF table: demangles where that is possible, and shortens.
std::string function_name(const std::string& symbol);

// From the mangled name in a type_info ("St13runtime_error").
std::string type_name(const std::string& mangled);

// Without namespace and class: "Account::withdraw" -> "withdraw". A lambda keeps the function it is
// in.
std::string unqualified(const std::string& function);

// Of a name as short_function() gives it: "Queue<int>::each<...>" -> "Queue::each".
std::string without_template_arguments(std::string_view function);

bool is_destructor(std::string_view function);
bool is_constructor(std::string_view function);

// A barrier, latch or semaphore of the C++ library, or what it is made of.
bool is_library_primitive(std::string_view function);

// Relative to the current directory when it is below it or that makes it shorter; normalised.
std::string display_path(std::string_view path);

}  // namespace raddle
