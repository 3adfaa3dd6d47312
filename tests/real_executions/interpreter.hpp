// Programs on paper (host/explore/testing/paper_program.hpp), executed by real threads with real
// mutexes, condition variables, semaphores, reader-writer locks and atomics. The main thread
// executes the first list itself, after it has created the threads of the others; then it joins
// them.
#pragma once

#include <string>

#include "host/explore/testing/paper_program.hpp"

namespace raddle::real {

// What interpret() executes from now on.
void prepare(const paper::Program& program);

// One execution; a function for the in-process executor.
void interpret(void*);

// Of the last execution, in the words of PaperExecutor::final_state().
std::string final_state();

// The instruction that the thread is at, in a number: PaperExecutor's site of it. 0: it has ended.
std::uint64_t place_of(std::size_t thread);

// The thread whose kFailIf ended the execution, in the words of PaperExecutor; empty: none.
std::string failure();

}  // namespace raddle::real
