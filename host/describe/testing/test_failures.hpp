// Failures made by hand, for the printers' tests.
#pragma once

#include "host/describe/failure.hpp"

namespace raddle {

inline Frame test_frame(const char* file, std::uint32_t line, const char* function,
                        const char* module = "bank", bool in_program = true) {
  return {{file, line, function}, module, in_program, false};
}

// Two tellers withdraw from one account; the first has gone.
inline Failure assertion_failure() {
  Failure failure;
  failure.kind = OutcomeKind::kAssertion;
  failure.headline = "assertion `balance_ >= 0' failed in Account::withdraw";
  failure.where = {"src/bank.cpp", 18, "Account::withdraw"};
  failure.thread = 2;
  failure.group = "assertion | src/bank.cpp:18 Account::withdraw";

  ThreadLine teller2{2, "teller-2", "was running", false, false, {}, {}};
  teller2.stack = {
      test_frame("", 0, "abort", "libc.so.6", false),
      test_frame("", 0, "__assert_fail", "libc.so.6", false),
      test_frame("src/bank.cpp", 18, "Account::withdraw"),
      test_frame("src/bank.cpp", 31, "teller"),
      test_frame("/usr/include/c++/12/bits/invoke.h", 61, "std::__invoke_impl", "bank", false),
      test_frame("", 0, "execute_native_thread_routine", "libstdc++.so.6", false)};
  teller2.last_steps = {
      {9, "begin", {}, ""},
      {11, "lock mutex #1 `account.m_\'", {"src/bank.cpp", 30, "teller"}, "lock account.m_"},
      {12, "unlock mutex #1 `account.m_\'", {"src/bank.cpp", 30, "teller"}, "unlock account.m_"},
      {17, "lock mutex #1 `account.m_\'", {"src/bank.cpp", 31, "teller"}, "lock account.m_"}};
  ThreadLine main{0, "main", "waits to join T2", true, false, {}, {}};
  main.stack = {test_frame("", 0, "pthread_join", "libraddle.so", false),
                test_frame("", 0, "std::thread::join", "libstdc++.so.6", false),
                test_frame("src/bank.cpp", 44, "main"),
                test_frame("", 0, "__libc_start_main", "libc.so.6", false)};
  ThreadLine teller1{1, "teller-1", "ended", false, true, {}, {}};
  teller1.last_steps = {
      {10, "lock mutex #1 `account.m_\'", {"src/bank.cpp", 30, "teller"}, "lock account.m_"},
      {13, "unlock mutex #1 `account.m_\'", {"src/bank.cpp", 30, "teller"}, "unlock account.m_"},
      {14, "lock mutex #1 `account.m_\'", {"src/bank.cpp", 31, "teller"}, "lock account.m_"},
      {15, "unlock mutex #1 `account.m_\'", {"src/bank.cpp", 31, "teller"}, "unlock account.m_"},
      {16, "end", {}, ""}};
  failure.threads = {teller2, main, teller1};
  failure.misuses = {"T1 unlock mutex #2 `log': another thread holds it (src/log.cpp:12)"};
  return failure;
}

// Two threads take two locks in opposite order.
inline Failure deadlock_failure() {
  Failure failure;
  failure.kind = OutcomeKind::kDeadlock;
  failure.headline =
      "2 threads wait for each other: T1 waits to lock mutex #2 `b', T2 waits to lock mutex #1 `a'";
  failure.where = {"locks.cpp", 12, "first"};
  failure.thread = 1;
  ThreadLine first{1, "first", "waits to lock mutex #2 `b', held by T2", true, false, {}, {}};
  first.stack = {test_frame("", 0, "pthread_mutex_lock", "libraddle.so", false),
                 test_frame("locks.cpp", 12, "first", "locks")};
  first.last_steps = {{3, "lock mutex #1 `a\'", {"locks.cpp", 11, "first"}, "lock a"}};
  ThreadLine second{2, "second", "waits to lock mutex #1 `a', held by T1", true, false, {}, {}};
  second.stack = {test_frame("", 0, "pthread_mutex_lock", "libraddle.so", false),
                  test_frame("locks.cpp", 20, "second", "locks")};
  second.last_steps = {{4, "lock mutex #1 `b\'", {"locks.cpp", 19, "second"}, "lock b"}};
  ThreadLine main{0, "main", "waits to join T1", true, false, {}, {}};
  main.stack = {test_frame("locks.cpp", 30, "main", "locks")};
  main.last_steps = {{1, "create T1", {"locks.cpp", 28, "main"}, ""},
                     {2, "create T2", {"locks.cpp", 29, "main"}, ""}};
  failure.threads = {first, second, main};
  failure.cycle = {
      "T1 holds mutex #1 `a' and at locks.cpp:12 waits to lock mutex #2 `b', held by T2",
      "T2 holds mutex #2 `b' and at locks.cpp:20 waits to lock mutex #1 `a', held by T1"};
  return failure;
}

}  // namespace raddle
