// What the wrapper inside gdb needs to know to start the program: too much, and with too odd
// characters, for a command line that gdb and a shell both parse.
#pragma once

#include <string>
#include <vector>

namespace raddle {

struct GdbSpec {
  std::string program;
  std::string argv0;
  std::string region;  // path of the shared region, to be reset before each start
  std::string input;   // paths of the standard streams
  std::string output;
  std::string error;
  std::vector<std::string> environment;
};

// Strings, each ended by a zero byte: neither paths nor variables can contain one.
bool write_spec(int fd, const GdbSpec& spec);
bool read_spec(const std::string& path, GdbSpec& spec);

}  // namespace raddle
