// The program to be controlled: found, identified, and refused early when it cannot be controlled.
// Called by the commands before they start anything.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "host/base/result.hpp"
#include "host/replay/replay_file.hpp"

namespace raddle {

struct Target {
  std::string path;                 // absolute, symbolic links followed; what to execute
  std::string build_id;             // GNU build id in lower-case hex, empty if there is none
  std::uint64_t file_hash = 0;      // FNV-1a, 64 bits, over the bytes of the file
  std::string interpreter;          // the loader, ".../ld-linux-x86-64.so.2"
  std::vector<std::string> needed;  // direct dependencies, as the linker wrote them
  bool has_debug_info = false;      // in the file, or installed beside it under /usr/lib/debug
  bool has_debug_link = false;      // the debug information is in another file
  bool links_libgomp = false;       // or another OpenMP runtime
  bool links_libtsan = false;
  bool has_tsan_inside = false;   // clang links it into the program
  bool has_asan = false;          // a library, or inside
  bool links_libpthread = false;  // glibc before 2.34; later programs have it in libc
  bool is_go = false;
  bool calls_clone = false;  // it may make threads without libc's knowledge
};

// Finds `name` as a shell would (in PATH when there is no slash in it). The error is one line: what
// `name` is instead of a program that can be controlled, and what to do. The caller passes `name`
// itself as argv[0], since programs look at it.
Result<Target> inspect_target(const std::string& name);

// The shell that executes `name`, if that is a shell script: libtool makes such scripts in place of
// programs. Empty for anything else. What the script becomes (exec) is controlled.
std::string shell_of_script(const std::string& name);

// Absolute or relative path of an executable file of that name in PATH, empty if there is none.
std::string find_in_path(const std::string& name);

// Refuses a program that is not the one that was recorded. Same build id is the same build even
// when the files differ (stripped, say); without build ids the contents decide.
Result<std::monostate> check_same_build(const ReplayFile& file, const Target& target);

}  // namespace raddle
