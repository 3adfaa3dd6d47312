// Which environment variables belong to an execution. The host calls this when it saves a replay
// file and when it starts a program again from one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace raddle {

// Of "NAME=value": the name is that of a secret, in any case (it contains TOKEN, PASSWORD, ..., or
// has a word like KEY or AUTH between its underscores), or the value shows one (a private key, an
// address with a password in it). docs/replay_format.md has the whole list. Replay files are passed
// around; such values must not be in them. It rather takes too many: a replay takes them from its
// own environment.
bool looks_secret(std::string_view entry);

// A variable that Raddle sets for the program it controls (RADDLE_...).
bool is_raddles_own(std::string_view name);

// What a replay file keeps of `environment` (NAME=value, ending with a null pointer, as `environ`):
// all of it, in order, but secrets, Raddle's own variables, and libraddle.so in LD_PRELOAD.
std::vector<std::string> recorded_environment(const char* const* environment);

// What a program is started with again: the recorded variables, then the secrets of the present
// environment, which the program may need and the file does not have.
std::vector<std::string> replay_environment(const std::vector<std::string>& recorded,
                                            const char* const* present);

// Tells AddressSanitizer, which a program was built with, to live with a library that is loaded
// before its own, to leave the alternate signal stacks alone, and not to look for leaks, which it
// does on a thread of its own. What else the user told it stays.
void adapt_asan_options(std::vector<std::string>& environment);

}  // namespace raddle
