// Words for an access of an explanation, which its sentences are made of. Used by the words of
// causes alone.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "host/report/words/explanation_words.hpp"
#include "host/report/words/object_words.hpp"

namespace raddle {

using Number = std::optional<std::int64_t>;

inline std::string label(const ExplainedAccess& access) { return thread_label(access.thread); }

// What has no place or no name is called so: an empty word would leave a hole in the sentence.
constexpr const char* kUnknownPlace = "a place that is not known";
constexpr const char* kUnknownFunction = "a function that is not known";

inline std::string place(const Where& where) {
  const std::string text = short_place(where);
  return text.empty() ? kUnknownPlace : text;
}
inline std::string place(const ExplainedAccess& access) { return place(access.where); }

inline std::string function_or_unknown(const std::string& function) {
  return function.empty() ? kUnknownFunction : function;
}

inline std::string named(const ExplainedObject& object) {
  return object.name.empty() ? "the variable" : object.name;
}

// "at withdraw", where the line of an access is not known: in it.
std::string in_functions(std::string text, const Explanation& explanation);

// What ends with the program is freed by nobody's line.
inline std::string at_place(const ExplainedAccess& access) {
  return access.where.line == 0 ? std::string() : " at " + place(access);
}

// Of a misuse.
inline std::string at(const ExplainedAccess& access) {
  return access.where.line != 0 ? " at " + place(access)
                                : " (where is not known: in optimised code a call that ends its "
                                  "function leaves no place)";
}

// Both threads may run the same function: the thread is who does it.
inline std::string by_call(const ExplainedAccess& access) {
  return access.called ? fmt::format(" by {}()", access.function) : std::string();
}

// "T1 wrote it by pop() at queue.cpp:33"
inline std::string did_it(const ExplainedAccess& access) {
  const char* verb = access.reads && access.writes ? "updated" : access.writes ? "wrote" : "read";
  return fmt::format("{} {} it{} at {}", label(access), verb, by_call(access), place(access));
}

inline std::string or_it(Number value) {
  return value ? fmt::format("{}", *value) : std::string("it");
}
inline std::string given(Number value) {
  return value ? fmt::format(" ({})", *value) : std::string();
}
inline std::string to(Number value) {
  return value ? fmt::format(" to {}", *value) : std::string();
}

// What the C++ library has is no word for a program in C.
inline bool in_c(const Explanation& explanation) {
  const auto is_c = [](const ExplainedAccess& one) { return one.where.file.ends_with(".c"); };
  return is_c(explanation.first) || is_c(explanation.last);
}
inline bool locks_in_c(const Explanation& explanation) {
  return explanation.locks_as_in_c || in_c(explanation);
}
inline const char* notify_one_word(const Explanation& explanation) {
  return locks_in_c(explanation) ? "pthread_cond_signal" : "notify_one";
}
inline const char* notify_all_word(const Explanation& explanation) {
  return locks_in_c(explanation) ? "pthread_cond_broadcast" : "notify_all";
}

// What the access saw; of one that only writes, what it wrote.
inline Number seen(const ExplainedAccess& access) {
  return access.read ? access.read : access.written;
}

}  // namespace raddle
