#include "host/explore/explored_codec.hpp"

#include <algorithm>
#include <cstring>

#include "host/base/bytes.hpp"

namespace raddle {
namespace {

static_assert(sizeof(Pending) == 32, "all of it is written");

constexpr std::uint8_t kSame = 0;     // as the last operation of that thread that was written
constexpr std::uint8_t kChanged = 1;  // 32 bytes follow
constexpr std::uint8_t kMarked = 2;   // in either case
constexpr std::uint64_t kValue = 0;   // a value choice; otherwise the index of the chosen one + 1

// The last operation that was written of each thread.
class LastOf {
 public:
  Pending& operator[](ThreadId thread) {
    if (list_.size() <= raw(thread)) list_.resize(raw(thread) + std::size_t{1});
    return list_[raw(thread)];
  }

 private:
  std::vector<Pending> list_;
};

void put_group(const Explored& e, std::size_t step, LastOf& last, std::string* out) {
  put_varint(out, e.first[step + 1] - e.first[step]);
  for (std::size_t i = e.first[step]; i < e.first[step + 1]; ++i) {
    const Pending& p = e.pending[i];
    Pending& previous = last[p.thread];
    const bool marked = i < e.marks.size() && e.marks[i] != 0;
    const bool same = std::memcmp(&previous, &p, sizeof p) == 0;
    out->push_back(static_cast<char>((same ? kSame : kChanged) | (marked ? kMarked : 0)));
    if (same) {
      put_fixed(out, raw(p.thread));
      continue;
    }
    out->append(reinterpret_cast<const char*>(&p), sizeof p);
    previous = p;
  }
}

bool take_group(ByteReader& in, LastOf& last, KeptExecution* kept) {
  const auto count = in.varint<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    const auto how = in.fixed<std::uint8_t>();
    if (how > (kChanged | kMarked)) return false;
    kept->marks.push_back((how & kMarked) != 0 ? 1 : 0);
    if ((how & kChanged) == 0) {
      kept->pending.push_back(last[ThreadId{in.fixed<std::uint16_t>()}]);
      continue;
    }
    const std::string_view bytes = in.take(sizeof(Pending));
    if (!in.ok()) return false;
    Pending p{};
    std::memcpy(&p, bytes.data(), sizeof p);
    last[p.thread] = p;
    kept->pending.push_back(p);
  }
  return in.ok();
}

}  // namespace

void encode_steps(const Explored& e, std::size_t known, std::string* out) {
  out->push_back(static_cast<char>(e.outcome));
  out->push_back(static_cast<char>((e.failing ? 1 : 0) | (e.redundant ? 2 : 0)));
  put_varint(out, e.enabled_at_end);
  put_varint(out, e.log.size() - std::min(known, e.log.size()));
  LastOf last;
  for (std::size_t step = known; step < e.log.size(); ++step) {
    const StepRecord& record = e.log[step];
    if (record.op == OpKind::value_choice) {
      put_varint(out, kValue);
      put_fixed(out, raw(record.thread));
      out->push_back(static_cast<char>(record.outcome));
      put_varint(out, raw(record.object));
      continue;
    }
    const std::span<const Pending> group = e.enabled(step);
    const auto chosen = std::find_if(group.begin(), group.end(),
                                     [&](const Pending& p) { return p.thread == record.thread; });
    put_varint(out, static_cast<std::uint64_t>(chosen - group.begin()) + 1);
    put_group(e, step, last, out);
  }
  put_group(e, e.log.size(), last, out);
}

bool decode_steps(std::string_view bytes, KeptExecution* kept) {
  ByteReader in(bytes);
  kept->explored.outcome = static_cast<OutcomeKind>(in.fixed<std::uint8_t>());
  const auto flags = in.fixed<std::uint8_t>();
  kept->explored.failing = (flags & 1) != 0;
  kept->explored.redundant = (flags & 2) != 0;
  kept->explored.enabled_at_end = in.varint<std::uint32_t>();
  const auto steps = in.varint();
  LastOf last;
  for (std::uint64_t i = 0; i < steps && in.ok(); ++i) {
    const std::uint64_t chosen = in.varint();
    kept->first.push_back(static_cast<std::uint32_t>(kept->pending.size()));
    if (chosen == kValue) {
      const ThreadId thread{in.fixed<std::uint16_t>()};
      const auto value = in.fixed<std::uint8_t>();
      kept->log.push_back(
          {thread, OpKind::value_choice, value, ObjectId{in.varint<std::uint32_t>()}, 0});
      continue;
    }
    const std::size_t begin = kept->pending.size();
    if (!take_group(in, last, kept)) return false;
    if (chosen > kept->pending.size() - begin) return false;
    kept->log.push_back(record_of(kept->pending[begin + chosen - 1]));
  }
  kept->first.push_back(static_cast<std::uint32_t>(kept->pending.size()));
  if (!take_group(in, last, kept) || !in.empty()) return false;
  kept->first.push_back(static_cast<std::uint32_t>(kept->pending.size()));
  kept->point();
  return true;
}

}  // namespace raddle
