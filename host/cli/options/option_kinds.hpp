// The kinds of options that the commands have, over CLI11: each checks its value to the letter and
// says what is wrong with it. Used where the command line is parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "host/process/watch.hpp"

namespace raddle {

// The usage line as people write it.
void set_usage(CLI::App& app, const std::string& line);

// A whole number between the two, and nothing else: no sign, no fraction, no overflow.
CLI::Option* number(CLI::App& app, const std::string& names, std::uint64_t initial,
                    std::uint64_t low, std::uint64_t high, const std::string& help,
                    const std::function<void(std::uint64_t)>& take);

template <class T>
CLI::Option* number(CLI::App& app, const std::string& names, T& value, std::uint64_t low,
                    std::uint64_t high, const std::string& help) {
  return number(app, names, value, low, high, help,
                [&value](std::uint64_t parsed) { value = static_cast<T>(parsed); });
}

// One of the names, and nothing else. `take` gets it.
CLI::Option* choice(CLI::App& app, const std::string& name, const std::vector<std::string>& names,
                    const std::string& help, const std::function<void(const std::string&)>& take);
CLI::Option* choice(CLI::App& app, const std::string& name, std::string& value,
                    const std::set<std::string>& names, const std::string& help);

// "500ms", "10s", "2m".
CLI::Option* duration(CLI::App& app, const std::string& name, Clock::duration& value,
                      const std::string& help);

// Says what the values of an option can be; choice() does it for its options. A shell completes
// them. The option's own check is another matter.
void set_choices(CLI::Option& option, const std::vector<std::string>& names);
std::vector<std::string> choices_of(CLI::Option& option);  // empty: anything

// What stands for an option's value in texts: "N", "FILE"; empty for a flag.
std::string value_name(const CLI::Option& option);

// A path that is not empty.
CLI::Option* file(CLI::App& app, const char* name, std::string& value, const char* help);

// --ok-exit
void add_exit_codes(CLI::App& app, std::vector<int>& codes);

}  // namespace raddle
