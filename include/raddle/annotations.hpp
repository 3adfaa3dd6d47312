// Annotations: what a program can tell Raddle about itself. Only raddle-cc and raddle-c++ see them.
// For every other compiler they are empty: no code, no warnings, nothing to link. They need C++11;
// those marked (C) work in C as well.
//
//   RADDLE_ATOMIC                 (C) on a function: its body is meant to be atomic
//   raddle::atomic_block b("transfer");  the rest of the scope is meant to be atomic
//   RADDLE_UNIT                   (C) on a function: it is a unit of work
//   raddle::unit_of_work u("audit", &account);  the rest of the scope is one, on that object
//   RADDLE_ATOMIC_SET("money") int savings;     (C) on a field of a class: fields of the same set
//                                 in one object belong together; only a unit of work may change
//                                 them
//   raddle::name_thread("writer");        names the calling thread in reports
//   raddle::name_lock(mutex, "ledger");   names a lock, or any other object
//   raddle::event("served", 3);           puts an event of your own into the trace
//   RADDLE_IGNORE                 (C) on a function: it makes no events
//   raddle::ignore i;             the rest of the scope, and what it calls, makes no memory events
//
// Names of blocks, units and events must be string literals, because they become part of the
// program's sites. Names of threads and locks may be any text. The functions raddle_name_thread,
// raddle_name_lock and raddle_event do the same in C.
#ifndef RADDLE_ANNOTATIONS_HPP
#define RADDLE_ANNOTATIONS_HPP

#ifdef __RADDLE__

#define RADDLE_ATOMIC __attribute__((annotate("raddle:atomic")))
#define RADDLE_UNIT __attribute__((annotate("raddle:unit")))
#define RADDLE_IGNORE __attribute__((annotate("raddle:ignore")))
#define RADDLE_ATOMIC_SET(name) __attribute__((annotate("raddle:set:" name)))

#ifdef __cplusplus
extern "C" {
#define RADDLE_NOTHROW_ noexcept
#else
#define RADDLE_NOTHROW_
#endif
// Between the compiler and the runtime (protocol/hooks_abi.h). Programs do not call these.
void __raddle_mark_block_enter(const char* name) RADDLE_NOTHROW_;
void __raddle_mark_block_exit(const char* name) RADDLE_NOTHROW_;
void __raddle_mark_unit_enter(const char* name, const void* object) RADDLE_NOTHROW_;
void __raddle_mark_unit_exit(const char* name, const void* object) RADDLE_NOTHROW_;
void __raddle_mark_event(const char* name, unsigned long value) RADDLE_NOTHROW_;
void __raddle_mark_ignore(unsigned begin) RADDLE_NOTHROW_;
void __raddle_name_thread(const char* name) RADDLE_NOTHROW_;
void __raddle_name_object(const void* object, const char* name) RADDLE_NOTHROW_;
#ifdef __cplusplus
}
#endif

#define RADDLE_INLINE_ __attribute__((always_inline)) RADDLE_IGNORE inline
#define RADDLE_CALL_(call) call
#define RADDLE_MEMBER_(member) member

#else

#define RADDLE_ATOMIC
#define RADDLE_UNIT
#define RADDLE_IGNORE
#define RADDLE_ATOMIC_SET(name)
#define RADDLE_INLINE_ inline
#define RADDLE_CALL_(call) (void)0
#define RADDLE_MEMBER_(member)

#endif

#ifdef __cplusplus

namespace raddle {

class atomic_block {
 public:
  RADDLE_INLINE_ explicit atomic_block(const char* name = "") {
    (void)name;
    RADDLE_CALL_(name_ = name);
    RADDLE_CALL_(__raddle_mark_block_enter(name));
  }
  RADDLE_INLINE_ ~atomic_block() { RADDLE_CALL_(__raddle_mark_block_exit(name_)); }
  atomic_block(const atomic_block&) = delete;
  atomic_block& operator=(const atomic_block&) = delete;

 private:
  RADDLE_MEMBER_(const char* name_;)
};

class unit_of_work {
 public:
  RADDLE_INLINE_ unit_of_work(const char* name, const void* object) {
    (void)name;
    (void)object;
    RADDLE_CALL_(name_ = name);
    RADDLE_CALL_(object_ = object);
    RADDLE_CALL_(__raddle_mark_unit_enter(name, object));
  }
  RADDLE_INLINE_ ~unit_of_work() { RADDLE_CALL_(__raddle_mark_unit_exit(name_, object_)); }
  unit_of_work(const unit_of_work&) = delete;
  unit_of_work& operator=(const unit_of_work&) = delete;

 private:
  RADDLE_MEMBER_(const char* name_;)
  RADDLE_MEMBER_(const void* object_;)
};

class ignore {
 public:
  RADDLE_INLINE_ ignore() { RADDLE_CALL_(__raddle_mark_ignore(1)); }
  RADDLE_INLINE_ ~ignore() { RADDLE_CALL_(__raddle_mark_ignore(0)); }
  ignore(const ignore&) = delete;
  ignore& operator=(const ignore&) = delete;
};

// name_thread and event are templates, so that those of raddle/schedule.hpp, which is included
// beside this header, come first.
template <class = void>
RADDLE_INLINE_ void name_thread(const char* name) {
  (void)name;
  RADDLE_CALL_(__raddle_name_thread(name));
}

template <class Lock>
RADDLE_INLINE_ void name_lock(const Lock& lock, const char* name) {
  (void)lock;
  (void)name;
  // Takes the address even where operator& is overloaded.
  RADDLE_CALL_(__raddle_name_object(&reinterpret_cast<const char&>(lock), name));
}

template <class = void>
RADDLE_INLINE_ void event(const char* name, unsigned long value = 0) {
  (void)name;
  (void)value;
  RADDLE_CALL_(__raddle_mark_event(name, value));
}

}  // namespace raddle

#else

static RADDLE_INLINE_ void raddle_name_thread(const char* name) {
  (void)name;
  RADDLE_CALL_(__raddle_name_thread(name));
}

static RADDLE_INLINE_ void raddle_name_lock(const void* lock, const char* name) {
  (void)lock;
  (void)name;
  RADDLE_CALL_(__raddle_name_object(lock, name));
}

static RADDLE_INLINE_ void raddle_event(const char* name, unsigned long value) {
  (void)name;
  (void)value;
  RADDLE_CALL_(__raddle_mark_event(name, value));
}

#endif

#undef RADDLE_INLINE_
#undef RADDLE_CALL_
#undef RADDLE_MEMBER_
#undef RADDLE_NOTHROW_

#endif
