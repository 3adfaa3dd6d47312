// The choice log at rest: each record packed to a few bytes, then zstd over all of them. The layout
// is in docs/replay_format.md. Host only; no state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "protocol/choice_log.hpp"

namespace raddle {

// More steps than any execution has (the log of one would need 3.2 GB); a file that claims more is
// refused before memory is asked for.
inline constexpr std::uint64_t kMaxLogSteps = 200'000'000;

// Bounds of one packed record: thread (1-3 bytes), op, outcome, object (1-5), site index (1-5), and
// the site itself (8) when it appears for the first time.
inline constexpr std::uint64_t kMinPackedStep = 5;
inline constexpr std::uint64_t kMaxPackedStep = 23;

// The best that zstd does on our records (millions of equal steps) is about 11,000 to 1; a file
// that promises more than this is a decompression bomb.
inline constexpr std::uint64_t kMaxLogRatio = 32'768;

struct CompressedLog {
  std::uint64_t steps = 0;
  std::uint64_t packed_bytes = 0;  // before compression
  std::string bytes;               // one zstd frame
};

// Whether the fields of a record are in range: the operation exists, the thread is one, and the
// outcome is a StepOutcome (for a value choice: less than the number of values).
bool valid_step(const StepRecord& step);

std::string pack_log(std::span<const StepRecord> log);

// Fails when a record is not valid_step(), when there are too many, or when zstd has no memory.
Result<CompressedLog> compress_log(std::span<const StepRecord> log);
Result<CompressedLog> compress_packed(std::uint64_t steps, std::string_view packed);

// The inverse, for input that may be hostile: every length, index and value is checked, and memory
// is used in proportion to what has really been decoded. The error is a phrase without file name:
// "the choice log is damaged at step 17 (no such operation)".
Result<std::vector<StepRecord>> decompress_log(std::uint64_t steps, std::uint64_t packed_bytes,
                                               std::string_view compressed);

}  // namespace raddle
