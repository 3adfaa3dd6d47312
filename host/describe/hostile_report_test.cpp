// The target may have overwritten its report before it died. Whatever is in there, the host must
// say something and go on. Run under the sanitizers, this is what shows a missing bound.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "host/describe/failure.hpp"
#include "host/report/json.hpp"
#include "host/report/text.hpp"
#include "host/report/words/headline.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {
namespace {

void print_all(const Execution& execution, Symbolizer& symbols) {
  const Failure failure = describe(execution, symbols);
  EXPECT_FALSE(headline(failure).empty());
  EXPECT_FALSE(failure.group.empty());
  for (const bool verbose : {false, true}) {
    const TextOptions options{80, true, verbose};
    EXPECT_FALSE(failure_text(failure, options).empty());
    EXPECT_FALSE(text_summary(failure, 1, 1, options).empty());
  }
  EXPECT_FALSE(failure_json(failure).dump().empty());
}

Execution hostile_execution(OutcomeKind kind) {
  Execution execution;
  execution.kind = kind;
  execution.report = std::make_unique<Report>();
  execution.maps = "10000000-10100000 r-xp 00000000 00:00 7 /nowhere/prog\n";
  return execution;
}

// The kinds, and values beyond them.
constexpr int kKinds = 12;

TEST(HostileReportTest, EveryByteTheSame) {
  Symbolizer symbols;
  for (const int byte : {0x00, 0x01, 0x03, 0x41, 0x7f, 0x80, 0xff}) {
    for (int kind = 0; kind < kKinds; ++kind) {
      Execution execution = hostile_execution(static_cast<OutcomeKind>(kind));
      std::memset(static_cast<void*>(execution.report.get()), byte, sizeof(Report));
      execution.log.resize(64);
      std::memset(static_cast<void*>(execution.log.data()), byte,
                  execution.log.size() * sizeof(StepRecord));
      print_all(execution, symbols);
    }
  }
}

TEST(HostileReportTest, RandomBytes) {
  Symbolizer symbols;
  std::mt19937_64 random(1);
  for (int round = 0; round < 24; ++round) {
    Execution execution = hostile_execution(static_cast<OutcomeKind>(round % kKinds));
    std::vector<std::uint64_t> words(sizeof(Report) / sizeof(std::uint64_t));
    for (std::uint64_t& word : words) word = random();
    std::memcpy(static_cast<void*>(execution.report.get()), words.data(),
                words.size() * sizeof(std::uint64_t));
    // Every other round small counts, so that the entries behind them are believed.
    if (round % 2 == 0) {
      execution.report->threads = 5;
      execution.report->objects = 700;
      execution.report->cycle_length = 9;
      for (int i = 0; i < 9; ++i) {
        execution.report->cycle[i] = execution.report->thread_table[i % 5].id;
      }
    }
    print_all(execution, symbols);
  }
}

TEST(HostileReportTest, MapsOfAnyKind) {
  Symbolizer symbols;
  std::mt19937 random(2);
  constexpr char kAlphabet[] = "0123456789abcdef- rwxp\n/[]:.";
  for (int round = 0; round < 200; ++round) {
    Execution execution = hostile_execution(OutcomeKind::kCrash);
    execution.maps.clear();
    for (int i = 0; i < 500; ++i) execution.maps += kAlphabet[random() % (sizeof(kAlphabet) - 1)];
    execution.report->threads = 1;
    execution.report->thread_table[0].state = ThreadState::kRunning;
    execution.report->thread_table[0].stack.frames = 5;
    for (std::uint64_t& pc : execution.report->thread_table[0].stack.pc) pc = random();
    describe(execution, symbols);
  }
  // A module that is no ELF file, and one that is a folder.
  Execution execution = hostile_execution(OutcomeKind::kCrash);
  execution.maps =
      "10000000-10100000 r-xp 00000000 00:00 7 /etc/passwd\n"
      "20000000-20100000 r-xp 00000000 00:00 8 /tmp\n";
  execution.report->threads = 1;
  execution.report->thread_table[0].state = ThreadState::kRunning;
  execution.report->thread_table[0].stack.frames = 2;
  execution.report->thread_table[0].stack.pc[0] = 0x10000011;
  execution.report->thread_table[0].stack.pc[1] = 0x20000011;
  EXPECT_EQ(describe(execution, symbols).where.function, "passwd+0x10");
}

}  // namespace
}  // namespace raddle
