#include "host/replay/log_codec.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>

namespace raddle {
namespace {

constexpr int kCompressionLevel = 3;
// Level 3 uses windows of 2 MB (2^21); a frame that asks for more than 8 MB is not ours.
constexpr int kMaxWindowLog = 23;
constexpr std::size_t kChunk = 64 * 1024;
constexpr std::uint64_t kReserveAtFirst = 64 * 1024;

void put_varint(std::string* out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

// Reads packed records one after another. A record is taken only when all of it is in the buffer.
class Unpacker {
 public:
  enum class Status { kOk, kNeedMore, kBad };

  // Takes one record from the front of `*input`.
  Status next(std::string_view* input, StepRecord* step) {
    Cursor cursor{*input};
    std::uint64_t thread = 0, op = 0, outcome = 0, object = 0, site = 0;
    cursor.varint(&thread, 3, 0xffff);
    cursor.byte(&op);
    cursor.byte(&outcome);
    cursor.varint(&object, 5, 0xffffffff);
    cursor.varint(&site, 5, sites_.size());
    std::uint64_t address = 0;
    if (cursor.status == Status::kOk) {
      if (site == sites_.size()) {
        cursor.fixed64(&address);
      } else {
        address = sites_[site];
      }
    }
    if (cursor.status != Status::kOk) {
      why_ = cursor.status == Status::kBad ? "a number out of range" : "it ends too early";
      return cursor.status;
    }
    *step = StepRecord{static_cast<ThreadId>(thread), static_cast<OpKind>(op),
                       static_cast<std::uint8_t>(outcome), static_cast<ObjectId>(object), address};
    if (!valid_step(*step)) {
      why_ = op >= static_cast<std::uint64_t>(kOpKinds) ? "no such operation"
             : step->thread == kNoThread                ? "no such thread"
                                                        : "no such outcome";
      return Status::kBad;
    }
    if (site == sites_.size()) sites_.push_back(address);
    *input = cursor.rest;
    return Status::kOk;
  }

  const char* why() const { return why_; }

 private:
  struct Cursor {
    std::string_view rest;
    Status status = Status::kOk;

    void byte(std::uint64_t* value) {
      if (status != Status::kOk) return;
      if (rest.empty()) {
        status = Status::kNeedMore;
        return;
      }
      *value = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
    }
    // At most `bytes` long, so that a record fits kMaxPackedStep whatever the input says.
    void varint(std::uint64_t* value, int bytes, std::uint64_t max) {
      std::uint64_t result = 0;
      for (int shift = 0; shift < 7 * bytes; shift += 7) {
        std::uint64_t part = 0;
        byte(&part);
        if (status != Status::kOk) return;
        result |= (part & 0x7f) << shift;
        if (part < 0x80) {
          if (result > max) status = Status::kBad;
          *value = result;
          return;
        }
      }
      status = Status::kBad;
    }
    void fixed64(std::uint64_t* value) {
      *value = 0;
      for (int shift = 0; shift < 64; shift += 8) {
        std::uint64_t part = 0;
        byte(&part);
        *value |= part << shift;
      }
    }
  };

  std::vector<std::uint64_t> sites_;  // in order of first appearance
  const char* why_ = "";
};

Error damaged(std::uint64_t step, const char* why) {
  return Error{fmt::format("the choice log is damaged at step {} ({})", step, why)};
}

}  // namespace

bool valid_step(const StepRecord& step) {
  if (static_cast<int>(step.op) >= kOpKinds || step.thread == kNoThread) return false;
  if (step.op == OpKind::value_choice) return step.outcome < raw(step.object);
  return step.outcome <= static_cast<std::uint8_t>(StepOutcome::kCancelled);
}

std::string pack_log(std::span<const StepRecord> log) {
  std::string packed;
  packed.reserve(log.size() * (kMinPackedStep + 1));
  std::unordered_map<std::uint64_t, std::uint64_t> sites;
  for (const StepRecord& step : log) {
    put_varint(&packed, raw(step.thread));
    packed.push_back(static_cast<char>(step.op));
    packed.push_back(static_cast<char>(step.outcome));
    put_varint(&packed, raw(step.object));
    const auto [place, is_new] = sites.try_emplace(step.site, sites.size());
    put_varint(&packed, place->second);
    if (is_new) {
      for (int shift = 0; shift < 64; shift += 8) {
        packed.push_back(static_cast<char>(step.site >> shift));
      }
    }
  }
  return packed;
}

Result<CompressedLog> compress_packed(std::uint64_t steps, std::string_view packed) {
  CompressedLog result{steps, packed.size(), std::string(ZSTD_compressBound(packed.size()), '\0')};
  const std::size_t size = ZSTD_compress(result.bytes.data(), result.bytes.size(), packed.data(),
                                         packed.size(), kCompressionLevel);
  if (ZSTD_isError(size)) {
    return Error{fmt::format("the choice log cannot be compressed: {}", ZSTD_getErrorName(size))};
  }
  result.bytes.resize(size);
  return result;
}

Result<CompressedLog> compress_log(std::span<const StepRecord> log) {
  if (log.size() > kMaxLogSteps) {
    return Error{
        fmt::format("the execution has {} steps, a replay file holds at most {}: lower it "
                    "with --max-steps",
                    log.size(), kMaxLogSteps)};
  }
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (!valid_step(log[i])) return damaged(i, "a value out of range");
  }
  return compress_packed(log.size(), pack_log(log));
}

Result<std::vector<StepRecord>> decompress_log(std::uint64_t steps, std::uint64_t packed_bytes,
                                               std::string_view compressed) {
  if (steps > kMaxLogSteps) {
    return Error{fmt::format("it claims {} steps, at most {} are possible", steps, kMaxLogSteps)};
  }
  if (packed_bytes < steps * kMinPackedStep || packed_bytes > steps * kMaxPackedStep ||
      packed_bytes / kMaxLogRatio > compressed.size()) {
    return Error{
        fmt::format("its sizes contradict each other ({} steps in {} bytes, {} compressed)", steps,
                    packed_bytes, compressed.size())};
  }
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                        ZSTD_freeDCtx);
  if (!context) return Error{"there is not enough memory to read it"};
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMaxWindowLog);

  std::vector<StepRecord> log;
  log.reserve(std::min(steps, kReserveAtFirst));
  Unpacker unpacker;
  // What the last chunk left over is at the front: less than one record.
  std::string buffer(kChunk + kMaxPackedStep, '\0');
  std::size_t kept = 0;
  std::uint64_t produced = 0;
  ZSTD_inBuffer input{compressed.data(), compressed.size(), 0};
  for (bool last = false; !last;) {
    ZSTD_outBuffer output{buffer.data() + kept, kChunk, 0};
    const std::size_t consumed_before = input.pos;
    const std::size_t left = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(left)) return damaged(log.size(), ZSTD_getErrorName(left));
    last = left == 0;
    produced += output.pos;
    if (produced > packed_bytes) return damaged(log.size(), "there is more than it should hold");
    if (!last && output.pos == 0 && input.pos == consumed_before) {
      return damaged(log.size(), "it ends too early");
    }
    std::string_view ready(buffer.data(), kept + output.pos);
    while (!ready.empty()) {
      StepRecord step{};
      const Unpacker::Status status = unpacker.next(&ready, &step);
      if (status == Unpacker::Status::kNeedMore && !last) break;
      if (status != Unpacker::Status::kOk) return damaged(log.size(), unpacker.why());
      if (log.size() == steps) return damaged(steps, "there are more steps than it should hold");
      log.push_back(step);
    }
    kept = ready.size();
    std::memmove(buffer.data(), ready.data(), kept);
  }
  if (input.pos != input.size || produced != packed_bytes || log.size() != steps) {
    return damaged(log.size(), "its length is wrong");
  }
  return log;
}

}  // namespace raddle
