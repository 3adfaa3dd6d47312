// What the programs of bench/rare share. With -DFIXED each is its twin: nothing is different but
// the bug.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#ifdef FIXED
inline constexpr bool kFixed = true;
#else
inline constexpr bool kFixed = false;
#endif

#ifndef N
#define N 3
#endif

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

// Runs a function on that many threads, each with its number.
template <typename Function>
std::vector<std::thread> start(int count, Function function) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(function, i);
  return threads;
}

inline void join(std::vector<std::thread>& threads) {
  for (std::thread& thread : threads) thread.join();
}
