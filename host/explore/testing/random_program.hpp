// Small programs at random, 2 to 4 threads, for the tests of explorers. Not part of the library.
#pragma once

#include <algorithm>

#include "host/explore/testing/paper_program.hpp"
#include "protocol/generator.hpp"

namespace raddle::paper {

inline Body random_body(Generator& generator, int length) {
  Body body;
  const auto below = [&](int n) { return static_cast<int>(generator.below(std::uint64_t(n))); };
  while (length > 0) {
    switch (below(13)) {
      case 0:
        body.push_back({Code::kStore, below(2), 1 + below(3)});
        break;
      case 1:
        body.push_back({Code::kLoad, below(2)});
        break;
      case 2:
        body.push_back({Code::kAdd, below(2), 1});
        break;
      case 3:
        body.insert(body.end(), {{Code::kLoad, 0}, {Code::kStoreSum, 0, 1}});
        --length;
        break;
      case 4: {
        const int m = below(2);
        body.insert(body.end(),
                    {{Code::kLock, m}, {Code::kStore, below(2), below(4)}, {Code::kUnlock, m}});
        length -= 2;
        break;
      }
      case 5: {
        const int m = below(2);
        body.insert(body.end(), {{Code::kTryLock, m, 2}, {Code::kAdd, 1, 2}, {Code::kUnlock, m}});
        length -= 2;
        break;
      }
      case 6: {
        const int m = below(2);  // nested, in either order
        body.insert(
            body.end(),
            {{Code::kLock, m}, {Code::kLock, 1 - m}, {Code::kUnlock, 1 - m}, {Code::kUnlock, m}});
        length -= 3;
        break;
      }
      case 7:
        body.insert(body.end(), {{Code::kLock, 0}, {Code::kWait, 0, 0}, {Code::kUnlock, 0}});
        length -= 3;
        break;
      case 8:
        body.push_back({below(2) == 0 ? Code::kSignal : Code::kBroadcast, 0});
        break;
      case 9:
        body.push_back({below(2) == 0 ? Code::kPost : Code::kDown, 0});
        break;
      case 10:
        body.insert(body.end(),
                    {{Code::kLoad, 0}, {Code::kSkipUnless, 1, 1}, {Code::kStore, 1, 9}});
        --length;
        break;
      case 11:
        body.insert(body.end(), {{Code::kLoad, below(2)}, {Code::kFailIf, 3}});
        break;
      case 12:
        body.insert(body.end(), {{below(2) == 0 ? Code::kReadLock : Code::kWriteLock, 0},
                                 {Code::kAdd, 0, 1},
                                 {Code::kRwUnlock, 0}});
        length -= 2;
        break;
      default:
        break;
    }
    --length;
  }
  return body;
}

inline Program random_program(std::uint64_t seed) {
  Generator generator(seed);
  Program program;
  const int threads = 2 + static_cast<int>(generator.below(3));
  const int length = threads == 2 ? 4 : threads == 3 ? 3 : 2;
  for (int t = 0; t < threads; ++t) program.threads.push_back(random_body(generator, length));
  program.semaphores = {static_cast<int>(generator.below(2))};
  return program;
}

// The same, and one or two threads free a block, at any point or once a count has come to 0.
inline Program random_program_that_frees(std::uint64_t seed) {
  Generator generator(seed);
  Program program;
  const auto below = [&](int n) { return static_cast<int>(generator.below(std::uint64_t(n))); };
  const int threads = 2 + below(2);
  const int length = threads == 2 ? 3 : 2;
  for (int t = 0; t < threads; ++t) {
    Body& body = program.threads.emplace_back(random_body(generator, length));
    if (below(3) == 0) {  // the last one of two frees
      body.insert(body.end(),
                  {{Code::kAdd, 2, 1}, {Code::kSkipUnless, 1, 1}, {Code::kFree, below(2)}});
    } else if (below(2) == 0) {
      body.push_back({Code::kFree, below(2)});
    } else if (below(2) == 0) {
      body.insert(body.begin(), {Code::kFree, below(2)});
    }
  }
  program.semaphores = {below(2)};
  program.frees = true;
  program.accesses_fail = below(2) == 0;
  return program;
}

// What threads do depends on values here: branches, copies, loops that end after two looks. Some
// writes leave what was there, and some nobody reads.
inline Body random_body_of_values(Generator& generator, int length) {
  Body body;
  const auto below = [&](int n) { return static_cast<int>(generator.below(std::uint64_t(n))); };
  while (length > 0) {
    switch (below(8)) {
      case 0:
        body.push_back({Code::kStore, below(3), below(3)});
        break;
      case 1:
        body.push_back({Code::kAdd, below(2), below(2)});
        break;
      case 2:
        body.insert(body.end(), {{Code::kLoad, below(2)},
                                 {Code::kSkipUnless, 1 + below(2), 1},
                                 {Code::kStore, below(2), 1 + below(2)}});
        --length;
        break;
      case 3:
        body.insert(body.end(), {{Code::kLoad, below(2)}, {Code::kStoreSum, below(2), below(2)}});
        --length;
        break;
      case 4: {
        const int flag = below(2);  // for (2 times) { if (flag == 1) break; }
        body.insert(body.end(), {{Code::kLoad, flag}, {Code::kSkipIf, 1, 1}, {Code::kLoad, flag}});
        body.insert(body.end(), {{Code::kSkipUnless, 1, 1}, {Code::kStore, 1 - flag, 2}});
        length -= 2;
        break;
      }
      case 5: {
        const int m = below(2);
        body.insert(body.end(), {{Code::kLock, m},
                                 {Code::kLoad, m},
                                 {Code::kSkipIf, 2, 1},
                                 {Code::kStoreSum, m, 1},
                                 {Code::kUnlock, m}});
        length -= 3;
        break;
      }
      case 6:
        body.insert(body.end(), {{Code::kLoad, below(2)}, {Code::kFailIf, 2 + below(2)}});
        break;
      case 7:
        body.insert(body.end(), {{Code::kTryLock, 0, 2}, {Code::kStore, 1, 1}, {Code::kUnlock, 0}});
        length -= 2;
        break;
      default:
        break;
    }
    --length;
  }
  return body;
}

inline Program random_program_of_values(std::uint64_t seed) {
  Generator generator(seed);
  Program program;
  const int threads = 2 + static_cast<int>(generator.below(2));
  const int length = threads == 2 ? 4 : 3;
  for (int t = 0; t < threads; ++t)
    program.threads.push_back(random_body_of_values(generator, length));
  return program;
}

// Critical sections with several accesses to the same variables, and now and then an access without
// a lock: what locks alone decide, and what only looks so.
inline Program random_program_of_sections(std::uint64_t seed) {
  Generator generator(seed);
  const auto below = [&](int n) { return static_cast<int>(generator.below(std::uint64_t(n))); };
  const auto access = [&](Body& body) {
    const Code codes[] = {Code::kLoad, Code::kLoad, Code::kStore, Code::kAdd};
    body.push_back({codes[below(4)], below(5) / 4, 1 + below(2)});
  };
  Program program;
  const int threads = 2 + below(2);
  for (int t = 0; t < threads; ++t) {
    Body& body = program.threads.emplace_back();
    for (int sections = threads == 2 ? 2 : 1; sections > 0; --sections) {
      const int kind = below(8);  // which lock: mostly the same one; shared; none
      const Code lock = kind < 6 ? Code::kLock : kind == 6 ? Code::kReadLock : Code::kYield;
      const Code unlock = kind < 6 ? Code::kUnlock : kind == 6 ? Code::kRwUnlock : Code::kYield;
      const int which = kind == 5 ? 1 : 0;
      body.push_back({lock, which});
      for (int accesses = threads == 2 ? 3 : 2; accesses > 0; --accesses) access(body);
      body.push_back({unlock, which});
    }
  }
  return program;
}

// As random_program(). Besides, threads wait for a variable in loops that give up after a few looks
// and then do something else, or in some that do not. Unrolled, the former are no loops.
inline Program random_program_that_gives_up(std::uint64_t seed, bool unrolled) {
  Generator generator(seed);
  const auto below = [&](int n) { return static_cast<int>(generator.below(std::uint64_t(n))); };
  const auto look = [&](Body& body) {
    const int variable = below(2);
    const int times = 1 + below(6);
    if (!unrolled) body.push_back({Code::kLook, variable, times});
    for (int rest = unrolled ? times - 1 : -1; rest >= 0; --rest) {
      body.push_back({Code::kLoad, variable});
      if (rest > 0) body.push_back({Code::kSkipUnless, 0, 2 * rest - 1});
    }
    body.insert(body.end(), {{Code::kSkipUnless, 0, 1}, {Code::kAdd, below(2), 4}});
  };
  Program program;
  const int threads = 2 + below(2);
  for (int t = 0; t < threads; ++t) {
    Body& body = program.threads.emplace_back();
    if (below(2) == 0) look(body);
    const Body rest = random_body(generator, threads == 2 ? 2 : 1);
    body.insert(body.end(), rest.begin(), rest.end());
    if (below(2) == 0) look(body);
    if (below(5) == 0) body.push_back({Code::kAwait, below(2), 1 + below(4)});
  }
  program.semaphores = {below(2)};
  return program;
}

// The same, and one of the threads ends the program at some point, while others wait for nothing
// but their first turn. Shorter by a step: ends multiply the schedules.
inline Program random_program_that_ends(std::uint64_t seed) {
  Generator generator(seed);
  Program program;
  const std::uint64_t threads = 2 + generator.below(2);
  const int length = threads == 2 ? 3 : 2;
  for (std::uint64_t t = 0; t < threads; ++t) {
    Body& body = program.threads.emplace_back(random_body(generator, length));
    if (generator.below(2) == 0) body.insert(body.begin(), {Code::kYield});
  }
  Body& ends = program.threads[generator.below(threads)];
  const std::uint64_t place = generator.below(ends.size() + 1);
  // A jump over it would land elsewhere.
  const bool skips = std::any_of(ends.begin(), ends.end(), [](const Instruction& i) {
    return i.code == Code::kSkipUnless || i.code == Code::kTryLock;
  });
  ends.insert(skips ? ends.end() : ends.begin() + static_cast<std::ptrdiff_t>(place),
              {Code::kExit});
  program.semaphores = {static_cast<int>(generator.below(2))};
  return program;
}

}  // namespace raddle::paper
