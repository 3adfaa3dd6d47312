/* What code built by raddle-cc and libraddle.so know of each other; plain C, of fixed layout.
 *
 * The pass (pass/) emits sites and calls of the functions below; hooks/ is a small static library
 * that defines them and is linked into every such module; libraddle.so, when it is there and in
 * control, fills in `__raddle_state`. Without it `tracing` and `control` stay 0, and the code that
 * runs is the code that clang would have made.
 *
 * Every function exists three times in an instrumented module: as written, with hooks, and as
 * written but with checks of memory. Its entry tests `tracing` once. All versions test `control`
 * before an atomic operation, which is a decision point.
 */
#ifndef RADDLE_HOOKS_ABI_H
#define RADDLE_HOOKS_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "protocol/stream_encoder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Offsets in sites and frames are relative to the address of the field that holds them, so that the
 * host can read them from the file: 0 means that there is nothing. Texts end with a 0 byte. */
typedef struct RaddleFrame {
  int32_t function; /* text: linkage name */
  int32_t file;     /* text: absolute path where the compiler knows it */
  uint32_t line;
  uint32_t column; /* or RADDLE_COLUMN_UNWRITTEN */
  int32_t outer;   /* RaddleFrame: what this is inlined into */
} RaddleFrame;

/* Code that nobody wrote: of a member function that the compiler made. Its line is the class's, or
 * that of a member which it initialises. */
enum { RADDLE_COLUMN_UNWRITTEN = 0xffff };

/* What a site says of the instruction or call that it belongs to. */
enum {
  RADDLE_SPAN_ALONE = 0,      /* no other site belongs to it */
  RADDLE_SPAN_REST = 0xfffe,  /* the site before it has the span of all */
  RADDLE_SPAN_OTHERS = 0xffff /* it also touches memory elsewhere, or it is not clear how much */
};

/* One per instrumented place, in section "raddle_sites". Fields as in host/symbols/site.hpp. */
typedef struct RaddleSite {
  uint8_t kind;  /* EventKind */
  uint8_t flags; /* kSite...; for an atomic operation the MemoryOrder instead */
  uint16_t size;
  int32_t frame; /* RaddleFrame */
  int32_t cls;   /* text: as a person writes it, "bank::Account" */
  int32_t field; /* text */
  uint32_t offset;
  int32_t set;      /* text */
  uint16_t decides; /* written by the runtime: this access is a decision point */
  uint16_t span;    /* RADDLE_SPAN_..., or the bytes that an instruction of several sites touches */
  uint32_t id;      /* in this execution's stream; 0 until it is first used */
} RaddleSite;

/* One per instrumented module, linked into a list by the module's constructor. */
typedef struct RaddleModule {
  struct RaddleModule* next;
  RaddleSite* sites_begin;
  RaddleSite* sites_end;
  const void* hooks_begin; /* code of the hooks: not the program's own */
  const void* hooks_end;
  /* Functions that tell of all their locals: the distance from the entry to the function. */
  const int32_t* tellers_begin;
  const int32_t* tellers_end;
} RaddleModule;

/* Memory that is judged lies in areas of 64 GiB: one for the heap of target/heap/guarded_heap.hpp,
 * one for fibers' stacks, and the end of the address space, where the kernel puts stacks
 * (target/heap/gone_locals.hpp). Their addresses differ in two bits, so one comparison tells:
 * `address >> RADDLE_AREA_SHIFT | RADDLE_AREA_BITS` is RADDLE_AREA_NUMBER. The shadow of a byte is
 * at its address divided by 8: 0 if all 8 bytes of its granule may be touched, 1 to 7 if so many of
 * them may, else RADDLE_SHADOW_... A check calls __raddle_check() if the shadow is not 0. */
#define RADDLE_AREA_SHIFT 36
#define RADDLE_AREA_SIZE (1ULL << RADDLE_AREA_SHIFT)
#define RADDLE_AREA_NUMBER 0x7ffULL
#define RADDLE_AREA_BITS 0x600ULL
#define RADDLE_STACK_BITS 0x200ULL /* the two areas with stacks differ in this one */
#define RADDLE_HEAP_AREA ((RADDLE_AREA_NUMBER ^ RADDLE_AREA_BITS) << RADDLE_AREA_SHIFT)
#define RADDLE_FIBER_AREA ((RADDLE_AREA_NUMBER ^ RADDLE_STACK_BITS) << RADDLE_AREA_SHIFT)
#define RADDLE_LAST_AREA (RADDLE_AREA_NUMBER << RADDLE_AREA_SHIFT)
#define RADDLE_GUARDED_BEGIN RADDLE_HEAP_AREA
#define RADDLE_GUARDED_SIZE (1ULL << 30)
enum {
  RADDLE_SHADOW_OUTSIDE = 0xfa, /* between blocks */
  RADDLE_SHADOW_BEGIN = 0xfb,   /* the same, where what belongs to a block begins */
  RADDLE_SHADOW_GONE = 0xfc,    /* of a local that is gone */
  RADDLE_SHADOW_FREED = 0xfd
};

/* What is known of locals whose address other code may have, once they are gone. */
typedef struct RaddleGoneLocal {
  uint64_t address;
  uint64_t bytes;
  uint64_t code; /* where its scope or its function ended */
} RaddleGoneLocal;
#define RADDLE_SHADOW_PAGES (RADDLE_AREA_SIZE / 8 / 4096) /* of an area */
#define RADDLE_MOST_PAGES 65536
#define RADDLE_GONE_LOCALS 4096
typedef struct RaddleLocals {
  /* By address / 8, whoever went last. Of a local whose shadow says that it is gone, the entry is
   * its own, or another address's. */
  RaddleGoneLocal gone[RADDLE_GONE_LOCALS];
  uint64_t page_count;
  /* Of the shadow, those that are not all 0: by their number in the last area, or behind that in
   * the fibers'. */
  uint32_t pages[RADDLE_MOST_PAGES];
  uint8_t is_listed[2 * RADDLE_SHADOW_PAGES];
} RaddleLocals;

/* Values of `tracing`: which version of a function runs. */
enum { RADDLE_AS_WRITTEN = 0, RADDLE_WITH_HOOKS = 1, RADDLE_WITH_CHECKS = 2 };

#define RADDLE_STATE_VERSION 6

/* One per process: exported weakly by every instrumented module, the first definition counts. */
typedef struct RaddleState {
  uint8_t tracing;  /* functions run with hooks, or with checks: RADDLE_WITH_... */
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
  uint64_t range; /* `point`: the bytes of the range that is about to be touched */
  /* These bytes must not be touched: they were freed, or are no block's. Does not return while the
   * runtime is in control, unless they are a thread's own, or may be somebody's after all, on a
   * stack. */
  void (*fault)(const void*, uint64_t bytes, uint32_t writes);
  RaddleLocals* locals; /* null: nothing is judged, and there may be no shadow */
} RaddleState;
extern RaddleState __raddle_state;

/* The hooks. Called only in functions' hooked versions, with C's calling convention: they need many
 * registers, and to save them all would take longer than what they do. They run before the access,
 * unless said otherwise, and read its value themselves. */
void __raddle_read1(const RaddleSite*, const void*);
void __raddle_read2(const RaddleSite*, const void*);
void __raddle_read4(const RaddleSite*, const void*);
void __raddle_read8(const RaddleSite*, const void*);
void __raddle_read_wide(const RaddleSite*, const void*, uint64_t bytes);
/* As read, where it may be the optimiser that reads and not the program: no memory fault. */
void __raddle_peek1(const RaddleSite*, const void*);
void __raddle_peek2(const RaddleSite*, const void*);
void __raddle_peek4(const RaddleSite*, const void*);
void __raddle_peek8(const RaddleSite*, const void*);
void __raddle_write1(const RaddleSite*, const void*, uint64_t value);
void __raddle_write2(const RaddleSite*, const void*, uint64_t value);
void __raddle_write4(const RaddleSite*, const void*, uint64_t value);
void __raddle_write8(const RaddleSite*, const void*, uint64_t value);
void __raddle_before_write(const RaddleSite*, const void*); /* decision only; wide writes */
void __raddle_wrote_wide(const RaddleSite*, const void*, uint64_t bytes); /* after the write */
void __raddle_read_range(const RaddleSite*, const void*, uint64_t bytes);
void __raddle_write_range(const RaddleSite*, const void*, uint64_t bytes);
/* After the operation. `success` is 1 but for a compare that did not exchange. */
void __raddle_atomic(const RaddleSite*, const void*, uint64_t read, uint64_t written,
                     uint32_t success);
void __raddle_fence(const RaddleSite*);
/* `call`: return address, or null if inlined. */
void __raddle_enter(const RaddleSite*, const void* self, const void* call);
void __raddle_exit(const RaddleSite*, const void* self);
void __raddle_setjmp(const RaddleSite*, const void* buffer, uint64_t result); /* after it */
void __raddle_local(const RaddleSite*, const void*, uint64_t bytes);
void __raddle_allocate_begin(const RaddleSite*); /* around a call that allocates */
void __raddle_allocate_end(void);

/* In both versions, behind a test of `control`; before every atomic operation and fence. LLVM's
 * calling convention preserve_most, so that the code around it is as without it. gcc does not know
 * that, and need not: it compiles no callers. */
#ifdef __clang__
#define RADDLE_UNINTRUSIVE __attribute__((preserve_most))
#else
#define RADDLE_UNINTRUSIVE
#endif
RADDLE_UNINTRUSIVE void __raddle_atomic_point(const RaddleSite*, const void*);

/* Before an access whose shadow is not 0, in the version with checks; and before a call that
 * touches a range. */
RADDLE_UNINTRUSIVE void __raddle_check(const void*, uint64_t bytes, uint32_t writes);
void __raddle_check_range(const void*, uint64_t bytes, uint32_t writes);

/* In both versions with hooks or checks: a local whose address other code may have begins to exist,
 * and is gone. It lies at a multiple of 8. */
RADDLE_UNINTRUSIVE void __raddle_local_begins(const void*, uint64_t bytes);
RADDLE_UNINTRUSIVE void __raddle_local_ends(const void*, uint64_t bytes);

/* How many bytes a string function looks at; for the ranges above. `limit` is the function's own,
 * or SIZE_MAX. */
uint64_t __raddle_length(const char*, uint64_t limit); /* without the final 0 */
uint64_t __raddle_length_common(const void*, const void*, uint64_t limit, uint32_t text);
uint64_t __raddle_length_until(const void*, int byte, uint64_t limit, uint32_t text);
uint64_t __raddle_length_wide(const void* wchars); /* bytes, without the final 0 */

/* What the annotations become: blocks, units and user events by their site. */
void __raddle_annotate(const RaddleSite*, const void* object, uint64_t value);
void __raddle_ignore(uint32_t begin);

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
