#include "host/report/sarif/rules.hpp"

#include <utility>

namespace raddle {

std::string_view kind_summary(std::string_view kind) {
  static constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"assertion", "An execution ends with a failed assertion"},
      {"crash", "An execution crashes"},
      {"memory fault", "A thread touches memory that was freed or is no block's, or frees twice"},
      {"exception", "An execution ends with an exception that nobody catches"},
      {"exit", "An execution ends with a non-zero exit status"},
      {"deadlock", "Threads wait for each other, or for what nobody will do"},
      {"livelock", "Threads go round in loops, and nothing will ever change"},
      {"leaked", "A thread still runs when the function under test has returned"},
      {"misuse", "A synchronisation object is used in a way that POSIX forbids"},
      {"race", "Two threads access the same memory, one of them writes, and nothing orders them"},
      {"use-after-free", "A thread uses memory that was freed before"},
      {"lockset", "No lock guards all accesses to a variable that threads share"},
      {"atomicity", "A block is not atomic: what others do in between has an effect on it"},
      {"serializability", "No serial order of the blocks has the effect of this execution"},
      {"atomic-set", "Data that belongs together is accessed as if it did not"},
      {"lock-order", "Threads take locks in orders that can deadlock"}};
  for (const auto& [name, summary] : kKinds) {
    if (name == kind) return summary;
  }
  return "Something goes wrong in an order of the threads";
}

}  // namespace raddle
