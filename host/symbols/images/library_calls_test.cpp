#include "host/symbols/images/library_calls.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

TEST(LibraryCalls, SomeShowAllTheyDo) {
  for (const char* name : {"pthread_mutex_lock", "malloc", "_Znwm", "memcpy", "strlen@GLIBC_2.2.5",
                           "_ZSt20__throw_system_errori", "__cxa_throw", "abort", "printf"})
    EXPECT_TRUE(is_seen_through(name)) << name;
}

TEST(LibraryCalls, OthersReadMemoryOrTheWorld) {
  for (const char* name : {"rand", "snprintf", "time", "clock_gettime", "getenv", "qsort",
                           "mallopt", "_ZNSt6chrono3_V212steady_clock3nowEv",
                           "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm"})
    EXPECT_FALSE(is_seen_through(name)) << name;
}

}  // namespace
}  // namespace raddle
