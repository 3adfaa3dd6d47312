#include "target/code/counter_reads.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

namespace raddle {
namespace {

using Code = std::vector<unsigned char>;

CounterRead at(const Code& code) {
  return counter_read_at(reinterpret_cast<std::uint64_t>(code.data()));
}
bool may_read(const Code& code) { return may_read_counter(code.data(), code.size()); }

Code with(const Code& before, const Code& code, const Code& after) {
  Code all = before;
  all.insert(all.end(), code.begin(), code.end());
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

const Code kCounter{0x0f, 0x31};
const Code kCounterAndCpu{0x0f, 0x01, 0xf9};
const Code kShift{0x48, 0xc1, 0xe2, 0x20};  // shl $32, %rdx

TEST(CounterReads, TheInstructionAtAnAddress) {
  EXPECT_EQ(at(with({}, kCounter, {0x90})).length, 2);
  EXPECT_FALSE(at(with({}, kCounter, {0x90})).with_cpu);
  EXPECT_EQ(at(with({}, kCounterAndCpu, {0x90})).length, 3);
  EXPECT_TRUE(at(with({}, kCounterAndCpu, {0x90})).with_cpu);
  EXPECT_EQ(at(with({0x66, 0x48}, kCounter, {0x90})).length, 4);
  EXPECT_EQ(at({0x0f, 0x0b, 0x90}).length, 0);        // ud2
  EXPECT_EQ(at({0x0f, 0x01, 0xd0, 0x90}).length, 0);  // xgetbv
  EXPECT_EQ(at({0xf4, 0x0f, 0x31, 0x90}).length, 0);  // hlt, which faults in the same way
  EXPECT_EQ(counter_read_at(0x8000'0000'0000'0000).length, 0);
}

TEST(CounterReads, WhatCompilersMakeIsFoundWhereverItLies) {
  const Code low{0x41, 0x89, 0xc4};  // mov %eax, %r12d
  const Code high{0x89, 0xd1};       // mov %edx, %ecx
  const Code later{0x48, 0x89, 0xd1, 0x90, 0x90, 0x48, 0xc1, 0xe1, 0x20, 0x48, 0x09, 0xc8};
  for (std::size_t before = 0; before < 70; ++before)
    for (const Code& use : {kShift, low, high, later})
      for (const Code& read : {kCounter, kCounterAndCpu})
        for (std::size_t after : {0, 1, 15, 40})
          EXPECT_TRUE(may_read(with(with(Code(before, 0x90), read, use), Code(after, 0x90), {})));
}

TEST(CounterReads, BytesOfSomethingElseAreNone) {
  EXPECT_FALSE(may_read({}));
  EXPECT_FALSE(may_read({0x0f}));
  EXPECT_FALSE(may_read(kCounter));
  EXPECT_FALSE(may_read(kCounterAndCpu));
  EXPECT_FALSE(may_read(with({0x48, 0x8b, 0x05}, kCounter, {0x00, 0x00, 0xc3})));  // an offset
  EXPECT_FALSE(may_read(with(kShift, kCounter, Code(80, 0x90))));
  EXPECT_FALSE(may_read(with({}, kCounter, with(Code(64, 0x90), kShift, {}))));  // too far
}

// Byte by byte, with all that the comment in the header says.
bool expected(const Code& code) {
  const auto byte = [&](std::size_t i) { return i < code.size() ? code[i] : 0x100; };
  for (std::size_t i = 0; i < code.size(); ++i) {
    std::size_t next = 0;
    if (byte(i) == 0x0f && byte(i + 1) == 0x31) next = i + 2;
    if (byte(i) == 0x0f && byte(i + 1) == 0x01 && byte(i + 2) == 0xf9) next = i + 3;
    if (next == 0) continue;
    const std::size_t move = byte(next) >= 0x40 && byte(next) <= 0x4f ? next + 1 : next;
    const int registers = byte(move + 1);
    if (byte(move) == 0x89 &&
        ((registers >= 0xc0 && registers <= 0xc7) || (registers >= 0xd0 && registers <= 0xd7)))
      return true;
    for (std::size_t j = next; j + 4 <= next + 64; ++j)
      if ((byte(j) == 0x48 || byte(j) == 0x49) && byte(j + 1) == 0xc1 && byte(j + 2) >= 0xe0 &&
          byte(j + 2) <= 0xe7 && byte(j + 3) == 0x20)
        return true;
  }
  return false;
}

TEST(CounterReads, AgreesWithTheDefinitionOnRandomCode) {
  const Code pieces[] = {kCounter,
                         kCounterAndCpu,
                         kShift,
                         {0x49, 0xc1, 0xe7, 0x20},
                         {0x41, 0x89, 0xc4},
                         {0x89, 0xd1},
                         {0x90},
                         Code(30, 0x90),
                         {0x0f},
                         {0x48, 0xc1, 0xe2, 0x21},
                         {0x31},
                         {0x01, 0xf9},
                         {0x00},
                         Code(17, 0x0f),
                         {0x48},
                         {0x89, 0xc8}};
  std::mt19937 random(1);
  int found = 0;
  constexpr int kRounds = 20'000;
  for (int round = 0; round < kRounds; ++round) {
    Code code;
    for (std::size_t piece = random() % 12; piece > 0; --piece)
      code = with(code, pieces[random() % std::size(pieces)], {});
    const bool is = expected(code);
    found += is ? 1 : 0;
    ASSERT_EQ(may_read(code), is) << "round " << round;
  }
  EXPECT_GT(found, kRounds / 10);
  EXPECT_LT(found, kRounds / 2);
}

}  // namespace
}  // namespace raddle
