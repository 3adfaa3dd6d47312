// A failure as text for a terminal. Called by cli/ and campaign/; the sentences
// are those of host/report/words.
#pragma once

#include <cstdint>
#include <string>

#include "host/describe/failure.hpp"

namespace raddle {

struct TextOptions {
  int width = 80;        // columns of the terminal; 40 at least
  bool colour = false;   // ANSI colours
  bool verbose = false;  // all steps, all threads, library frames unfolded
};

// The same with `picture` (lines, as they are) in place of the last steps, and no stack but that of
// the thread that failed.
std::string failure_text(const Failure& failure, const std::string& picture,
                         const TextOptions& options);

// The verdict, the last steps of the threads side by side, the threads' stacks, the deadlock's
// cycle, the misuses. Lines end with '\n' and have no trailing spaces. A screen and a half at most
// for two or three threads unless verbose.
std::string failure_text(const Failure& failure, const TextOptions& options);

// One line for a list of findings, without '\n':
// "assertion `balance_ >= 0' failed  account.cpp:18 in Account::withdraw   113 of 200".
std::string text_summary(const Failure& failure, std::uint64_t count, std::uint64_t executions,
                         const TextOptions& options);

}  // namespace raddle
