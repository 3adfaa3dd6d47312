// Failures made by hand, for the printers' tests.
#pragma once

#include <string>

#include "host/describe/failure.hpp"

namespace raddle {

inline Frame test_frame(const char* file, std::uint32_t line, const char* function,
                        const char* module = "bank", bool in_program = true) {
  return {{file, line, function}, module, in_program, false};
}

inline ObjectRef test_mutex(std::uint32_t id, const std::string& name) {
  ObjectRef object;
  object.id = ObjectId{id};
  object.cls = ObjectClass::mutex;
  object.name.kind = ObjectName::Kind::kVariable;
  object.name.path = name;
  return object;
}

inline ObjectRef test_thread(std::uint16_t id) {
  ObjectRef object;
  object.cls = ObjectClass::thread;
  object.thread = ThreadId{id};
  return object;
}

inline StepLine test_step(std::uint64_t step, OpKind op, const ObjectRef& object,
                          const Where& where) {
  return {step, op, 0, object, where};
}

inline Doing test_wait(OpKind op, const ObjectRef& object, std::vector<ThreadId> holders = {}) {
  Doing doing;
  doing.kind = Doing::Kind::kBlocked;
  doing.op = op;
  doing.object = object;
  doing.holders = std::move(holders);
  return doing;
}

// Two tellers withdraw from one account; the first has gone.
inline Failure assertion_failure() {
  Failure failure;
  failure.kind = OutcomeKind::kAssertion;
  failure.verdict = Verdict{};
  failure.verdict->kind = failure.kind;
  failure.verdict->message = "balance_ >= 0";
  failure.verdict->is_condition = true;
  failure.where = {"src/bank.cpp", 18, "Account::withdraw"};
  failure.thread = ThreadId{2};
  failure.group = "assertion | src/bank.cpp:18 Account::withdraw";

  const ObjectRef mutex = test_mutex(1, "account.m_");
  const Where first{"src/bank.cpp", 30, "teller"};
  const Where second{"src/bank.cpp", 31, "teller"};
  ThreadLine teller2{ThreadId{2}, "teller-2", {}, 0, false, false, {}, {}};
  teller2.stack = {
      test_frame("", 0, "abort", "libc.so.6", false),
      test_frame("", 0, "__assert_fail", "libc.so.6", false),
      test_frame("src/bank.cpp", 18, "Account::withdraw"),
      test_frame("src/bank.cpp", 31, "teller"),
      test_frame("/usr/include/c++/12/bits/invoke.h", 61, "std::__invoke_impl", "bank", false),
      test_frame("", 0, "execute_native_thread_routine", "libstdc++.so.6", false)};
  teller2.last_steps = {test_step(9, OpKind::thread_begin, {}, {}),
                        test_step(11, OpKind::mutex_lock, mutex, first),
                        test_step(12, OpKind::mutex_unlock, mutex, first),
                        test_step(17, OpKind::mutex_lock, mutex, second)};
  ThreadLine main{
      kMainThread, "main", test_wait(OpKind::thread_join, test_thread(2)), 0, true, false, {}, {}};
  main.stack = {test_frame("", 0, "pthread_join", "libraddle.so", false),
                test_frame("", 0, "std::thread::join", "libstdc++.so.6", false),
                test_frame("src/bank.cpp", 44, "main"),
                test_frame("", 0, "__libc_start_main", "libc.so.6", false)};
  ThreadLine teller1{ThreadId{1}, "teller-1", {}, 0, false, true, {}, {}};
  teller1.doing.kind = Doing::Kind::kEnded;
  teller1.last_steps = {test_step(10, OpKind::mutex_lock, mutex, first),
                        test_step(13, OpKind::mutex_unlock, mutex, first),
                        test_step(14, OpKind::mutex_lock, mutex, second),
                        test_step(15, OpKind::mutex_unlock, mutex, second),
                        test_step(16, OpKind::thread_end, {}, {})};
  failure.threads = {teller2, main, teller1};
  failure.misuses = {{ThreadId{1},
                      OpKind::mutex_unlock,
                      test_mutex(2, "log"),
                      "unlocks a mutex that another thread holds",
                      {"src/log.cpp", 12, "write_log"}}};
  return failure;
}

// Two threads take two locks in opposite order.
inline Failure deadlock_failure() {
  Failure failure;
  failure.kind = OutcomeKind::kDeadlock;
  failure.where = {"locks.cpp", 12, "first"};
  failure.thread = ThreadId{1};
  const ObjectRef a = test_mutex(1, "a");
  const ObjectRef b = test_mutex(2, "b");
  ThreadLine first{ThreadId{1}, "first", test_wait(OpKind::mutex_lock, b, {ThreadId{2}}),
                   0,           true,    false,
                   {},          {}};
  first.stack = {test_frame("", 0, "pthread_mutex_lock", "libraddle.so", false),
                 test_frame("locks.cpp", 12, "first", "locks")};
  first.last_steps = {test_step(3, OpKind::mutex_lock, a, {"locks.cpp", 11, "first"})};
  ThreadLine second{ThreadId{2}, "second", test_wait(OpKind::mutex_lock, a, {ThreadId{1}}),
                    0,           true,     false,
                    {},          {}};
  second.stack = {test_frame("", 0, "pthread_mutex_lock", "libraddle.so", false),
                  test_frame("locks.cpp", 20, "second", "locks")};
  second.last_steps = {test_step(4, OpKind::mutex_lock, b, {"locks.cpp", 19, "second"})};
  ThreadLine main{
      kMainThread, "main", test_wait(OpKind::thread_join, test_thread(1)), 0, true, false, {}, {}};
  main.stack = {test_frame("locks.cpp", 30, "main", "locks")};
  main.last_steps = {
      test_step(1, OpKind::thread_create, test_thread(1), {"locks.cpp", 28, "main"}),
      test_step(2, OpKind::thread_create, test_thread(2), {"locks.cpp", 29, "main"})};
  failure.threads = {first, second, main};
  failure.verdict = Verdict{};
  failure.verdict->kind = failure.kind;
  failure.verdict->cycle = {{first.id, first.doing, failure.where, {a}},
                            {second.id, second.doing, {"locks.cpp", 20, "second"}, {b}}};
  return failure;
}

}  // namespace raddle
