/* What libraddle_check.so calls in libraddle.so: one execution after another of one function. Plain
   C; the two are built together, and the region's magic and version say so. */
#pragma once

#ifdef __cplusplus
namespace raddle {
struct SharedRegion;
}
typedef raddle::SharedRegion RaddleRegion;
extern "C" {
#else
typedef struct RaddleRegion RaddleRegion;
#endif

enum RaddlePlace {
  RADDLE_OUTSIDE,      /* no execution is under way on this thread */
  RADDLE_IN_EXECUTION, /* the caller is a thread of an execution of raddle_session_run() */
  RADDLE_UNDER_HOST    /* the whole process is an execution: `raddle run`, `fuzz`, ... */
};
enum RaddlePlace raddle_session_place(void);

/* Prepares the process: signal handlers, alternate stack. Null, or why it cannot be done, as one
   line. One session at a time. `dying` is called when an execution crashed so that control cannot
   come back: it says what it can, without the heap, and the process dies of its signal. */
const char* raddle_session_begin(void (*dying)(RaddleRegion* region));

/* Calls function(data) once, under the plan in `region`, which the caller has prepared for one
   execution (host/process/host_region.hpp); on the thread that opened the session. Outcome, choice
   log and report are in the region afterwards. */
void raddle_session_run(RaddleRegion* region, void (*function)(void*), void* data);

/* Not 0 while a session is open and the program's code has hooks (raddle-cc). */
int raddle_session_instrumented(void);

/* How many threads the last execution left behind, never to run again. */
unsigned raddle_session_abandoned(void);

/* The process is as it was before the session. */
void raddle_session_end(void);

/* The calling thread watches over executions and takes no part in them. */
void raddle_session_helper(void);

/* A test's assertion failed on the calling thread, but the test goes on: the report is made now,
   and the execution counts as failed when it ends. Only the first one counts. 0 outside an
   execution. */
int raddle_session_note_failure(const char* text, const char* file, unsigned line);

#ifdef __cplusplus
}
#endif
