// Code that runs in the process and of which the runtime does not see what it does to memory: no
// hooks of raddle-cc are in it. Its plain and atomic accesses are neither events nor decision
// points. So nobody may say "all schedules" of such a process, and two accesses that nothing orders
// may be ordered by it.
//
// Read from the files of the loaded objects. Left out are the libraries whose synchronisation is
// intercepted (the C and C++ libraries and their kin) and Raddle's own. Called by whoever reports
// on executions: once per process, it reads every file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace raddle {

enum class UnseenReason : std::uint8_t {
  kNotInstrumented,  // all of it
  kPartly,           // it has hooks, but some of its functions do not
  kOtherHooks,       // compiled with -fsanitize=thread; whether all of it was, nobody knows
  kLoadsLibraries,   // it has hooks, but may load code later (dlopen)
};

struct UnseenCode {
  std::string name;  // "libabsl_synchronization.so.20220623"
  std::string path;
  bool is_program = false;  // the executable itself
  UnseenReason reason = UnseenReason::kNotInstrumented;
  // It has atomic instructions: a lock, a queue or a counter of its own may order what others do.
  bool synchronises = false;
  std::uint64_t functions = 0;           // kPartly: how many
  std::vector<std::string> for_example;  // kPartly: names of the first few
  std::uint64_t used = 0;                // how many of its functions the program itself names

  bool operator==(const UnseenCode&) const = default;
};

// `maps` is /proc/PID/maps, `program` the path of the executable; empty: it is what lies lowest, as
// in every process that Raddle starts. The program comes first, then
// what synchronises, then what the program itself uses most.
std::vector<UnseenCode> unseen_code(std::string_view maps, std::string_view program = {});

// Names of what synchronises unseen, most used first: what looks like a race may be ordered by it.
// Empty if the program itself shows nothing: then nothing that is found rests on accesses.
std::vector<std::string> synchronise_unseen(const std::vector<UnseenCode>& unseen);

}  // namespace raddle
