// Executes programs on paper (host/explore/testing/paper_program.hpp) with real threads, mutexes,
// condition variables, semaphores, reader-writer locks and atomics. The main thread creates a
// thread for each list but the first, executes the first list itself, and joins the threads.
#pragma once

#include <string>

#include "host/explore/testing/paper_program.hpp"

namespace raddle::real {

// Sets the program that interpret() executes from now on.
void prepare(const paper::Program& program);

// Executes the program once. The in-process executor calls it.
void interpret(void*);

// The final state of the last execution, as PaperExecutor::final_state() writes it.
std::string final_state();

// The instruction that the thread is at, as PaperExecutor's site of it. 0: the thread has ended.
std::uint64_t place_of(std::size_t thread);

// The thread whose kFailIf ended the execution, as PaperExecutor writes it; empty if there is none.
std::string failure();

}  // namespace raddle::real
