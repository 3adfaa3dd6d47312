#include "explore/explored_codec.hpp"

#include <algorithm>
#include <cstring>

#include "trace/trace_bytes.hpp"

namespace raddle {
namespace {

static_assert(sizeof(Pending) == 24, "all of it is written");

constexpr std::uint8_t kSame = 0;     // as the last operation of that thread that was written
constexpr std::uint8_t kChanged = 1;  // 24 bytes follow
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

void put_group(std::span<const Pending> group, LastOf& last, std::string* out) {
  put_varint(out, group.size());
  for (const Pending& p : group) {
    Pending& previous = last[p.thread];
    if (std::memcmp(&previous, &p, sizeof p) == 0) {
      out->push_back(kSame);
      put_fixed(out, raw(p.thread));
      continue;
    }
    out->push_back(kChanged);
    out->append(reinterpret_cast<const char*>(&p), sizeof p);
    previous = p;
  }
}

bool take_group(ByteReader& in, LastOf& last, std::vector<Pending>* out) {
  const auto count = in.varint<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    const auto how = in.fixed<std::uint8_t>();
    if (how == kSame) {
      out->push_back(last[ThreadId{in.fixed<std::uint16_t>()}]);
    } else if (how == kChanged) {
      const std::string_view bytes = in.take(sizeof(Pending));
      if (!in.ok()) return false;
      Pending p{};
      std::memcpy(&p, bytes.data(), sizeof p);
      last[p.thread] = p;
      out->push_back(p);
    } else {
      return false;
    }
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
    put_group(group, last, out);
  }
  put_group(e.at_end(), last, out);
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
    if (!take_group(in, last, &kept->pending)) return false;
    if (chosen > kept->pending.size() - begin) return false;
    kept->log.push_back(record_of(kept->pending[begin + chosen - 1]));
  }
  kept->first.push_back(static_cast<std::uint32_t>(kept->pending.size()));
  if (!take_group(in, last, &kept->pending) || !in.empty()) return false;
  kept->first.push_back(static_cast<std::uint32_t>(kept->pending.size()));
  kept->point();
  return true;
}

}  // namespace raddle
