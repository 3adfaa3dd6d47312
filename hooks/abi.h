/* What code built by raddle-cc and libraddle.so know of each other; plain C, of fixed layout.
 *
 * The pass (pass/) emits sites and calls of the functions below; hooks/ is a small static library
 * that defines them and is linked into every such module; libraddle.so, when it is there and in
 * control, fills in `__raddle_state`. Without it `tracing` and `control` stay 0, and the code that
 * runs is the code that clang would have made.
 *
 * Every function exists twice in an instrumented module: as written, and with hooks. Its entry
 * tests `tracing` once. Both versions test `control` before an atomic operation, which is a
 * decision point.
 */
#ifndef RADDLE_HOOKS_ABI_H
#define RADDLE_HOOKS_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Offsets in sites and frames are relative to the address of the field that holds them, so that the
 * host can read them from the file: 0 means that there is nothing. Texts end with a 0 byte. */
typedef struct RaddleFrame {
  int32_t function; /* text: linkage name */
  int32_t file;     /* text: absolute path where the compiler knows it */
  uint32_t line;
  uint32_t column;
  int32_t outer; /* RaddleFrame: what this is inlined into */
} RaddleFrame;

/* One per instrumented place, in section "raddle_sites". Fields as in trace/site.hpp. */
typedef struct RaddleSite {
  uint8_t kind;  /* EventKind */
  uint8_t flags; /* kSite...; for an atomic operation the MemoryOrder instead */
  uint16_t size;
  int32_t frame; /* RaddleFrame */
  int32_t cls;   /* text: as a person writes it, "bank::Account" */
  int32_t field; /* text */
  uint32_t offset;
  int32_t set;      /* text */
  uint32_t decides; /* written by the runtime: this access is a decision point */
  uint32_t reserved;
} RaddleSite;

/* The part of raddle::Stream that hooks touch. */
typedef struct RaddleRecord {
  uint64_t head, a, b;
} RaddleRecord;
typedef struct RaddleStream {
  RaddleRecord* cursor;
  RaddleRecord* limit;
} RaddleStream;

/* One per instrumented module, linked into a list by the module's constructor. */
typedef struct RaddleModule {
  struct RaddleModule* next;
  RaddleSite* sites_begin;
  RaddleSite* sites_end;
  const void* hooks_begin; /* code of the hooks: not the program's own */
  const void* hooks_end;
} RaddleModule;

#define RADDLE_STATE_VERSION 2

/* One per process: exported weakly by every instrumented module, the first definition counts. */
typedef struct RaddleState {
  uint8_t tracing;  /* functions run with hooks */
  uint8_t control;  /* atomic operations are decision points */
  uint8_t deciding; /* 1: some sites have `decides` set, hooks must look; 2: all accesses decide */
  uint8_t watching; /* `scope` wants to know where functions and blocks begin and end */
  uint32_t version;
  RaddleStream* stream;         /* valid while tracing */
  const RaddleSite* allocating; /* the site of the allocation under way, for malloc and kin */
  RaddleModule* modules;
  /* Set by libraddle.so before `tracing` or `control`. */
  void (*flush)(void);                           /* the chunk is full */
  void (*point)(const RaddleSite*, const void*); /* decision before the access at a site */
  /* While `watching`. Of the enter, exit or annotation at a site, its value: for an enter, the
   * return address. Without a site, what setjmp said of this buffer. */
  void (*scope)(const RaddleSite*, const void* object, uint64_t value);
} RaddleState;
extern RaddleState __raddle_state;

/* gcc does not know the convention, and need not: it compiles no callers. */
#ifdef __clang__
#define RADDLE_HOOK __attribute__((preserve_most))
#else
#define RADDLE_HOOK
#endif

/* The hooks. All but the last group are called only in functions' hooked versions. They run before
 * the access, unless said otherwise, and read its value themselves. LLVM calling convention
 * preserve_most. */
RADDLE_HOOK void __raddle_read1(const RaddleSite*, const void*);
RADDLE_HOOK void __raddle_read2(const RaddleSite*, const void*);
RADDLE_HOOK void __raddle_read4(const RaddleSite*, const void*);
RADDLE_HOOK void __raddle_read8(const RaddleSite*, const void*);
RADDLE_HOOK void __raddle_read_wide(const RaddleSite*, const void*, uint64_t bytes);
RADDLE_HOOK void __raddle_write1(const RaddleSite*, const void*, uint64_t value);
RADDLE_HOOK void __raddle_write2(const RaddleSite*, const void*, uint64_t value);
RADDLE_HOOK void __raddle_write4(const RaddleSite*, const void*, uint64_t value);
RADDLE_HOOK void __raddle_write8(const RaddleSite*, const void*, uint64_t value);
RADDLE_HOOK void __raddle_before_write(const RaddleSite*,
                                       const void*); /* decision only; wide writes */
RADDLE_HOOK void __raddle_wrote_wide(const RaddleSite*, const void*,
                                     uint64_t bytes); /* after the write */
RADDLE_HOOK void __raddle_read_range(const RaddleSite*, const void*, uint64_t bytes);
RADDLE_HOOK void __raddle_write_range(const RaddleSite*, const void*, uint64_t bytes);
/* After the operation. `success` is 1 but for a compare that did not exchange. */
RADDLE_HOOK void __raddle_atomic(const RaddleSite*, const void*, uint64_t read, uint64_t written,
                                 uint32_t success);
RADDLE_HOOK void __raddle_fence(const RaddleSite*);
/* `call`: return address, or null if inlined. */
RADDLE_HOOK void __raddle_enter(const RaddleSite*, const void* self, const void* call);
RADDLE_HOOK void __raddle_exit(const RaddleSite*, const void* self);
RADDLE_HOOK void __raddle_setjmp(const RaddleSite*, const void* buffer,
                                 uint64_t result); /* after it */
RADDLE_HOOK void __raddle_local(const RaddleSite*, const void*, uint64_t bytes);
RADDLE_HOOK void __raddle_allocate_begin(const RaddleSite*); /* around a call that allocates */
RADDLE_HOOK void __raddle_allocate_end(void);

/* In both versions, behind a test of `control`; before every atomic operation and fence. */
RADDLE_HOOK void __raddle_atomic_point(const RaddleSite*, const void*);

/* How many bytes a string function looks at; for the ranges above. `limit` is the function's own,
 * or SIZE_MAX. */
RADDLE_HOOK uint64_t __raddle_length(const char*, uint64_t limit); /* without the final 0 */
RADDLE_HOOK uint64_t __raddle_length_common(const void*, const void*, uint64_t limit,
                                            uint32_t text);
RADDLE_HOOK uint64_t __raddle_length_until(const void*, int byte, uint64_t limit, uint32_t text);
RADDLE_HOOK uint64_t __raddle_length_wide(const void* wchars); /* bytes, without the final 0 */

/* What the annotations become: blocks, units and user events by their site. */
RADDLE_HOOK void __raddle_annotate(const RaddleSite*, const void* object, uint64_t value);
RADDLE_HOOK void __raddle_ignore(uint32_t begin);

/* From include/raddle/annotations.hpp. The pass replaces calls of the first group by the two
 * above, with the text as the site's field, and removes them where functions run as written: they
 * have no definition. The second group are ordinary calls that do nothing while `tracing` is 0. */
void __raddle_mark_block_enter(const char* name);
void __raddle_mark_block_exit(const char* name);
void __raddle_mark_unit_enter(const char* name, const void* object);
void __raddle_mark_unit_exit(const char* name, const void* object);
void __raddle_mark_event(const char* name, uint64_t value);
void __raddle_mark_ignore(uint32_t begin);

void __raddle_name_thread(const char* name);
void __raddle_name_object(const void* object, const char* name);

#ifdef __cplusplus
}
#endif
#endif
