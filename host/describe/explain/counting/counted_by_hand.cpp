#include "host/describe/explain/counting/counted_by_hand.hpp"

#include <map>
#include <optional>

#include "host/describe/explain/events/accesses.hpp"

namespace raddle {
namespace {

constexpr std::int64_t kMost = 1024;  // threads or tasks that a program waits for

std::int64_t as_signed(std::uint64_t value, std::uint16_t size) {
  return size == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
}

// A variable since it was set last.
class Number {
 public:
  Number() { object_.kind = CountedKind::kLatch; }

  void reads(std::size_t event, std::int64_t value) {
    if (!object_.value) begins(value, std::nullopt);
    if (*object_.value != value) {
      begins(value, std::nullopt);  // nobody saw who changed it
    } else if (value == 0) {
      object_.passes.push_back(event);
    }
  }
  // `own`: the look of the same thread just before, which is part of the count.
  void writes(std::size_t event, std::int64_t value, std::optional<std::size_t> own) {
    const bool counts = object_.value && value == *object_.value - 1;
    if (counts && own && !object_.passes.empty() && object_.passes.back() == *own)
      object_.passes.pop_back();
    if (!counts) {
      begins(value, event);
      return;
    }
    object_.posts.push_back(event);
    object_.value = value;
  }
  const CountedObject& object() const { return object_; }

 private:
  void begins(std::int64_t value, std::optional<std::size_t> made) {
    const std::uint64_t address = object_.address;
    object_ = {};
    object_.kind = CountedKind::kLatch;
    object_.address = address;
    object_.start = object_.value = value;
    object_.made = made;
  }

  CountedObject object_;
};

}  // namespace

std::vector<CountedObject> counted_by_hand(const KeptTrace& trace) {
  std::map<std::uint64_t, Number> numbers;
  std::map<std::uint64_t, std::size_t> last_reads;
  ProgramSites program(trace);
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const Access access = access_of(event, i);
    const bool number = event.size == 4 || event.size == 8;
    if (!number || (!access.reads && !access.writes) || !program.contains(event.site)) continue;
    if (counted_kind(trace.site(event.site))) continue;  // one of the library's own
    const auto read = value_read(event);
    const auto written = value_written(event);
    Number& one = numbers[event.object];
    if (read && access.reads) {
      one.reads(i, as_signed(*read, event.size));
      last_reads[event.object] = i;
    }
    if (!written || !access.writes) continue;
    const auto last = last_reads.find(event.object);
    const bool own = last != last_reads.end() && events[last->second].thread == event.thread;
    one.writes(i, as_signed(*written, event.size),
               own ? std::optional(last->second) : std::nullopt);
  }
  std::vector<CountedObject> all;
  for (const auto& [address, one] : numbers) {
    const CountedObject& object = one.object();
    if (object.posts.empty() || !object.start || *object.start < 1 || *object.start > kMost)
      continue;
    all.push_back(object);
    all.back().address = address;
  }
  return all;
}

}  // namespace raddle
