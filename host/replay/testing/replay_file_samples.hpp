// Replay files for the tests of the reader and of the writer. Not part of the library.
#pragma once

#include <cstring>

#include "host/replay/replay_file.hpp"

namespace raddle {

// An execution of `threads` threads that look plausible: they begin, lock, wait, choose, and end.
inline std::vector<StepRecord> sample_log(std::uint16_t threads, std::size_t steps) {
  std::vector<StepRecord> log;
  std::uint64_t state = threads * 2654435761ULL + steps;
  for (std::size_t i = 0; i < steps; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto random = static_cast<std::uint32_t>(state >> 33);
    StepRecord step{};
    step.thread = static_cast<ThreadId>(random % threads);
    step.op = static_cast<OpKind>(1 + random / 7 % (kOpKinds - 1));
    step.outcome = static_cast<std::uint8_t>(random / 11 % 4);
    step.object = static_cast<ObjectId>(4 + random / 13 % (10U * threads));
    step.site = random % 5 == 0 ? 0 : 0x555555554000ULL + random / 17 % 64 * 5;
    log.push_back(step);
  }
  return log;
}

inline ReplayFile sample_replay(std::uint16_t threads, std::size_t steps) {
  ReplayFile file;
  file.raddle_version = "0.1.0";
  file.program = "/home/user/bank/bank";
  file.arguments = {"./bank", "--accounts", "3", ""};
  file.directory = "/home/user/bank";
  file.environment = {"HOME=/home/user", "LANG=C.UTF-8", "EMPTY=", "EQUALS=a=b"};
  file.build_id = "9f3c0d5e11aa22bb33cc44dd55ee66ff77889900";
  file.file_hash = 0xfedcba9876543210ULL;
  std::strcpy(file.plan.strategy, "random");
  file.plan.seed = 0xffffffffffffffffULL;
  file.plan.pct_depth = 3;
  file.plan.pct_steps = 1000;
  file.plan.carrier = CarrierKind::kKernel;
  file.plan.clock = ClockKind::kAdversarial;
  file.plan.spurious_wakeups = true;
  file.plan.memory_unjudged = true;
  file.plan.detail = false;
  file.plan.max_steps = 1'000'000;
  file.plan.livelock_steps = 20'000;
  file.plan.decide = DecideKind::kRaces;
  file.plan.atomic_blocks = kBlocksAnnotated | kBlocksFrames;
  file.plan.pause_permille = 500;
  file.plan.max_pause = 10'000;
  file.plan.pattern = 14;
  file.plan.by_values = true;
  file.aims = {{"bank", 0x4711, 0, AimRole::kDecides, 0, 0},
               {"libb\xe9nk.so", 0x42, 0xfedcba9876543210ULL, AimRole::kStep, 1, 3, 1}};
  file.outcome = OutcomeKind::kAssertion;
  file.group = "assertion bank.cpp:18";
  file.message = "assertion `balance_ >= 0' failed in Account::withdraw";
  file.log = sample_log(threads, steps);
  return file;
}

}  // namespace raddle
