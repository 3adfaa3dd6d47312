// How an execution ends when it does not simply exit: the report is filled in, the host reads it,
// the process is gone.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include "protocol/report.hpp"
#include "target/state/thread.hpp"
#include "target/strategy/replay.hpp"

namespace raddle {

// With Plan::detail: the thread was chosen, and this is its step.
void note_step(Thread& thread, std::uint64_t step);

// Fills in threads, objects and stacks around `kind` and lets the host read it; returns after that.
// `failing` is the thread that is shown first. Stack of the caller is taken as its own unless it
// was already captured into `own`. In one process with many executions only the first report of an
// execution counts: it may go on after a failed assertion of the test.
void publish(OutcomeKind kind, Thread& failing, const char* message, const Stack* own = nullptr);

// From here on a fatal error of the runtime is in the report, and not only on standard error.
void report_fatal_errors();

// A report of this execution is there already, and is the one that counts.
bool already_reported();

// publish() and end the execution, with its process if that is all it is for.
[[noreturn]] void end_with(OutcomeKind kind, Thread& failing, const char* message);
[[noreturn]] void end_in_livelock();
[[noreturn]] void end_in_possible_hang(Thread& waits);
[[noreturn]] void end_at_limit(const char* message);
[[noreturn]] void end_as_diverged(const Divergence& divergence);

// The misuse is recorded in the report; the execution goes on. `address` is where the primitive
// lies, for one that was destroyed: its object may be forgotten by now.
[[gnu::cold]] void report_misuse(OpKind op, Object& object, std::uint64_t site, const char* text,
                                 const void* address = nullptr);

// The host asked to end this execution (time limit, blocked in the kernel).
void give_up_if_asked();

// Gives a signal its real default action, whatever the program or we had installed.
void restore_default_action(int signal);

// Handlers for the signals of crashes; the real default action follows the report. The program's
// own stay.
void install_crash_handlers();
// For one of these signals, even if the program has an action of its own.
void install_crash_handler(int signal);

// Asked first about each SIGSEGV, in its handler. True: it was none, and its thread goes on.
extern bool (*g_is_no_crash)(const siginfo_t& info, ucontext_t& context);

}  // namespace raddle
