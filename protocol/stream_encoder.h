/* The event stream from the target to the host while the program runs: how it lies in shared
 * memory, and how a record becomes bytes. Plain C, for the compiled-in hooks, the runtime, and the
 * tests; docs/trace_format.md has the bytes, host/trace/stream_decoder.hpp reads them.
 *
 * One program thread runs at a time, so the writer needs no atomics. A record is written at
 * `cursor`, then `cursor` moves on (in this order, also for the compiler), so that whoever sees the
 * cursor sees whole records before it. Beyond `limit` the runtime publishes the chunk and waits
 * while the ring is full. All of it is in shared memory: when the program dies in whatever way, the
 * host still finds the records between the last published chunk and `cursor`.
 *
 * The host only copies these bytes to the trace file, so they are small already. Most of what a
 * record says is expected by a model of what came before it, and only the difference is written.
 * The model is a function of the bytes alone: the reader keeps one, too. Made for speed: no branch
 * on data, a dozen nanoseconds' worth of instructions at most, at the price of some bytes
 * (bench/trace_codec.cpp has both).
 */
#ifndef RADDLE_TRACE_STREAM_ENCODER_H
#define RADDLE_TRACE_STREAM_ENCODER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RADDLE_CHUNK_BYTES 262144u
#define RADDLE_RING_CHUNKS 4u
/* Room behind `limit`: the longest record of a fixed form, and what is written beyond its end. */
#define RADDLE_CHUNK_SLACK 64u
/* How many chunks the model lives: then it is as new, so that a reader can start there. */
#define RADDLE_MODEL_CHUNKS 4u
#define RADDLE_SLOTS 512u
#define RADDLE_MEMORY 65536u
/* Sites and synchronisation objects that the host is told of; beyond it they have no names. */
#define RADDLE_MOST_SITES (1u << 18)
#define RADDLE_MOST_OBJECTS (1u << 16)

/* The first byte of a record: the site's id minus that of the site record before it, or one of
 * these. */
#define RADDLE_ESCAPE                                                        \
  0x80u /* then a code: an EventKind, or a StreamCode of protocol/stream.hpp \
         */
#define RADDLE_LONG_SITE 0x81u /* then the whole id, in three bytes */

/* Of each site, or of each kind of event at a site: where its last event was, and how that differs
 * from the one before. Sites may share a slot: expectations are worse then, nothing else. */
typedef struct RaddleSlot {
  uint64_t address;
  uint64_t stride;
} RaddleSlot;

typedef struct RaddleModel {
  uint32_t site; /* of the last site record */
  uint32_t unused;
  uint64_t last_read;
  RaddleSlot slots[RADDLE_SLOTS];
  uint64_t values[RADDLE_SLOTS];     /* of events that are no plain access */
  uint8_t memory[RADDLE_MEMORY + 8]; /* what plain accesses have seen, by address modulo its size */
} RaddleModel;

typedef struct RaddleStream {
  uint8_t* cursor; /* these three in the target's addresses */
  uint8_t* limit;
  uint8_t* base;       /* of the ring */
  uint64_t* site_list; /* RADDLE_MOST_SITES; site n is entry n - 1 */
  uint64_t events;     /* site records and late writes so far */
  uint64_t step;       /* of the last decision, */
  uint32_t thread;     /* and whom it chose */
  uint32_t unused;
  uint64_t published;                  /* chunks; by the target */
  uint64_t consumed;                   /* chunks; by the host */
  uint32_t host_wake;                  /* futex: changes when there is something for the host */
  uint32_t target_wake;                /* futex: changes when the host has consumed */
  uint32_t sites;                      /* in the list: written before the records that need them */
  uint32_t objects;                    /* in the region's list of objects */
  uint32_t filled[RADDLE_RING_CHUNKS]; /* bytes in each published chunk */
  RaddleModel model;
} RaddleStream;

/* Top byte of an entry of the site list; the rest is the address. */
#define RADDLE_SITE_DESCRIBED 1u /* of a RaddleSite */
#define RADDLE_SITE_CODE 2u      /* return address */
#define RADDLE_SITE_ROUTINE 3u   /* the same, one beyond a thread's start routine */

#define RADDLE_RARELY(x) __builtin_expect(!!(x), 0)
#define RADDLE_INLINE static inline __attribute__((always_inline))

/* An id for a site that has none yet; 0, not known, when there are too many. */
RADDLE_INLINE uint32_t raddle_meet_site(RaddleStream* stream, uint32_t what, uint64_t address) {
  const uint32_t count = stream->sites;
  if (count >= RADDLE_MOST_SITES) return 0;
  stream->site_list[count] = (uint64_t)what << 56 | (address & 0xffffffffffffffull);
  __asm__ volatile("" ::: "memory");
  stream->sites = count + 1;
  return count + 1;
}

typedef uint16_t RaddleBytes2 __attribute__((aligned(1), may_alias));
typedef uint32_t RaddleBytes4 __attribute__((aligned(1), may_alias));
typedef uint64_t RaddleBytes8 __attribute__((aligned(1), may_alias));

RADDLE_INLINE uint64_t raddle_load(const uint8_t* from, unsigned bytes) {
  switch (bytes) {
    case 1:
      return *from;
    case 2:
      return *(const RaddleBytes2*)from;
    case 4:
      return *(const RaddleBytes4*)from;
  }
  return *(const RaddleBytes8*)from;
}

RADDLE_INLINE void raddle_store(uint8_t* to, unsigned bytes, uint64_t value) {
  switch (bytes) {
    case 1:
      *to = (uint8_t)value;
      return;
    case 2:
      *(RaddleBytes2*)to = (uint16_t)value;
      return;
    case 4:
      *(RaddleBytes4*)to = (uint32_t)value;
      return;
  }
  *(RaddleBytes8*)to = value;
}

/* The highest bit that is set; x is not 0. The compilers make three instructions of it, not one. */
RADDLE_INLINE unsigned raddle_highest(uint64_t x) {
  uint64_t bit;
  __asm__("bsrq %1, %0" : "=r"(bit) : "r"(x) : "cc");
  return (unsigned)bit;
}
/* How many bytes it takes to write x: 0 for 0. */
RADDLE_INLINE unsigned raddle_bytes_of(uint64_t x) { return x ? (raddle_highest(x) + 8) / 8 : 0; }
/* The same for an x below 2^63, without the test. */
RADDLE_INLINE unsigned raddle_bytes_of_less(uint64_t x) {
  return (raddle_highest(2 * x + 1) + 7) / 8;
}

/* A site record; `difference` is the value's to what is expected, in `value_bytes` bytes. Returns
 * where the next one goes; up to 8 bytes behind that are written, too. */
RADDLE_INLINE uint8_t* raddle_put(RaddleModel* model, uint8_t* to, uint32_t site, unsigned slot,
                                  uint64_t address, uint64_t difference, unsigned value_bytes) {
  uint32_t first = site - model->site;
  model->site = site;
  if (RADDLE_RARELY(first + 126 > 252)) {
    to[0] = RADDLE_LONG_SITE;
    *(RaddleBytes2*)(to + 1) = (uint16_t)site;
    to += 3;
    first = site >> 16;
  }
  RaddleSlot* expected = &model->slots[slot];
  const uint64_t stride = address - expected->address;
  const uint64_t delta = stride - expected->stride;
  expected->address = address;
  expected->stride = stride;
  const uint64_t zigzag = delta << 1 ^ (uint64_t)((int64_t)delta >> 63);
  unsigned address_bytes = raddle_bytes_of_less(zigzag);
  if (RADDLE_RARELY((int64_t)zigzag < 0)) address_bytes = 8;
  to[0] = (uint8_t)first;
  to[1] = (uint8_t)(address_bytes | value_bytes << 4);
  *(RaddleBytes8*)(to + 2) = zigzag;
  *(RaddleBytes8*)(to + 2 + address_bytes) = difference;
  return to + 2 + address_bytes + value_bytes;
}

RADDLE_INLINE unsigned raddle_slot(uint32_t site) { return site % RADDLE_SLOTS; }
/* For an event of another kind than its site says, or whose site says none. */
RADDLE_INLINE unsigned raddle_slot_of_kind(uint32_t site, unsigned kind) {
  return (site + 37 * kind) % RADDLE_SLOTS;
}

/* A plain read or write of 1, 2, 4 or 8 bytes. A read mostly finds what was last seen there; what
 * is written was mostly read just before, or is close to it. `value` has no other bits set. */
RADDLE_INLINE uint8_t* raddle_put_access(RaddleModel* model, uint8_t* to, uint32_t site,
                                         unsigned slot, int write, unsigned bytes, uint64_t address,
                                         uint64_t value) {
  uint8_t* seen = model->memory + address % RADDLE_MEMORY;
  const uint64_t mask = bytes == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * bytes % 64) - 1;
  const uint64_t expected = write ? model->last_read & mask : raddle_load(seen, bytes);
  raddle_store(seen, bytes, value);
  if (!write) model->last_read = value;
  const uint64_t x = value ^ expected;
  return raddle_put(model, to, site, slot, address, x,
                    bytes == 8 ? raddle_bytes_of(x) : raddle_bytes_of_less(x));
}

/* Any other event: the value is expected to be that of the slot's last one. */
RADDLE_INLINE uint8_t* raddle_put_other(RaddleModel* model, uint8_t* to, uint32_t site,
                                        unsigned slot, uint64_t address, uint64_t value) {
  const uint64_t x = value ^ model->values[slot];
  model->values[slot] = value;
  return raddle_put(model, to, site, slot, address, x, raddle_bytes_of(x));
}

/* What may come before a site record, in this order. */
RADDLE_INLINE uint8_t* raddle_put_kind(uint8_t* to, unsigned kind, unsigned flags) {
  to[0] = RADDLE_ESCAPE;
  to[1] = (uint8_t)kind;
  to[2] = (uint8_t)flags;
  return to + 3;
}
#define RADDLE_CODE_SIZE 0xf0u
#define RADDLE_CODE_VALUE2 0xf1u
#define RADDLE_CODE_RUNNING 0xf3u
#define RADDLE_CODE_SETJMP 0xf4u
#define RADDLE_CODE_IGNORE 0xf5u
#define RADDLE_CODE_NAME 0xf6u
#define RADDLE_CODE_NEW_OBJECT 0xf7u
#define RADDLE_CODE_LATE_WRITE 0xf8u
RADDLE_INLINE uint8_t* raddle_put_size(uint8_t* to, unsigned bytes) {
  return raddle_put_kind(to, RADDLE_CODE_SIZE, bytes);
}
RADDLE_INLINE uint8_t* raddle_put_value2(uint8_t* to, uint64_t value) {
  const unsigned bytes = raddle_bytes_of(value);
  to = raddle_put_kind(to, RADDLE_CODE_VALUE2, bytes);
  *(RaddleBytes8*)to = value;
  return to + bytes;
}

/* Records that are no events. */
/* Whose events follow, and at which step, where no decision says so. */
RADDLE_INLINE uint8_t* raddle_put_running(uint8_t* to, unsigned thread, uint64_t step) {
  to = raddle_put_kind(to, RADDLE_CODE_RUNNING, 0);
  *(RaddleBytes2*)to = (uint16_t)thread;
  *(RaddleBytes8*)(to + 2) = step;
  return to + 10;
}
RADDLE_INLINE uint8_t* raddle_put_setjmp(uint8_t* to, uint64_t buffer, uint64_t result) {
  to = raddle_put_kind(to, RADDLE_CODE_SETJMP, result < 255 ? (unsigned)result : 255);
  *(RaddleBytes8*)to = buffer;
  return to + 8;
}
RADDLE_INLINE uint8_t* raddle_put_ignore(uint8_t* to, int begin) {
  return raddle_put_kind(to, RADDLE_CODE_IGNORE, begin ? 1 : 0);
}
/* The next entry of the list of objects is there: from here on it may have a name. */
RADDLE_INLINE uint8_t* raddle_put_met(uint8_t* to) {
  return raddle_put_kind(to, RADDLE_CODE_NEW_OBJECT, 0);
}
/* The text follows, `length` bytes of it. */
#define RADDLE_NAME_BYTES (3u + 8u + 1u + 255u)
#define RADDLE_NAMES_OBJECT 0u
#define RADDLE_NAMES_THREAD 1u
#define RADDLE_NAMES_RUNNING 2u /* thread */
RADDLE_INLINE uint8_t* raddle_put_name(uint8_t* to, unsigned what, uint64_t subject,
                                       const char* text, unsigned length) {
  to = raddle_put_kind(to, RADDLE_CODE_NAME, what);
  *(RaddleBytes8*)to = subject;
  to[8] = (uint8_t)length;
  for (unsigned i = 0; i < length; ++i) to[9 + i] = (uint8_t)text[i];
  return to + 9 + length;
}

/* A plain write whose value is not known yet, and put in afterwards: the model must not depend on
 * whether the reader was faster, so it knows nothing of it. */
#define RADDLE_LATE_KNOWN 2u /* offsets */
#define RADDLE_LATE_VALUE 16u
#define RADDLE_LATE_BYTES 24u
RADDLE_INLINE uint8_t* raddle_put_late_write(uint8_t* to, uint32_t site, unsigned bytes,
                                             uint64_t address) {
  to = raddle_put_kind(to, RADDLE_CODE_LATE_WRITE, 0);
  to[0] = (uint8_t)bytes;
  *(RaddleBytes4*)(to + 1) = site;
  *(RaddleBytes8*)(to + 5) = address;
  *(RaddleBytes8*)(to + 13) = 0;
  return to + 21;
}

/* The record is complete. Whether the chunk must be flushed. */
RADDLE_INLINE int raddle_advance(RaddleStream* stream, uint8_t* to) {
  __asm__ volatile("" ::: "memory");
  stream->cursor = to;
  return RADDLE_RARELY(to > stream->limit);
}

#ifdef __cplusplus
}
#endif
#endif
