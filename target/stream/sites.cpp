#include "target/stream/sites.hpp"

#include "target/code/instrumentation.hpp"
#include "target/state/execution.hpp"
#include "target/stream/stack_names.hpp"
#include "target/stream/stream.hpp"

namespace raddle {
namespace {

// Open addressing, at most three quarters full. Pages that are not used cost nothing; entries of
// an earlier stream of this process count as empty.
template <unsigned kBits>
class Table {
 public:
  struct Entry {
    std::uint64_t key;
    std::uint32_t id;
    std::uint32_t stream;
  };

  void start() {
    ++stream_;
    used_ = 0;
  }
  // The entry of the key, or where it belongs: then its `id` is 0. Null if there is no more room.
  Entry* find(std::uint64_t key) {
    for (std::uint64_t at = key * 0x9e3779b97f4a7c15ULL >> (64 - kBits);; ++at) {
      Entry& entry = entries_[at % kSize];
      if (entry.stream == stream_) {
        if (entry.key == key) return &entry;
        continue;
      }
      if (used_ >= kSize / 4 * 3) return nullptr;
      ++used_;
      entry = {key, 0, stream_};
      return &entry;
    }
  }

 private:
  static constexpr std::uint64_t kSize = std::uint64_t{1} << kBits;
  Entry entries_[kSize];
  std::uint32_t stream_;
  std::uint32_t used_;
};

Table<18> g_codes;
Table<16> g_objects;
NewObject* g_object_list;
// Id of an object that is no local variable: whatever lies there, its name does not change.
constexpr std::uint32_t kPlain = ~std::uint32_t{0};

void put_object(const NewObject& object) {
  RaddleStream& stream = *g_stream;
  if (stream.objects >= RADDLE_MOST_OBJECTS) return;
  g_object_list[stream.objects] = object;
  asm volatile("" : : : "memory");  // whoever sees the count sees the entry
  ++stream.objects;
  end_record(raddle_put_met(begin_record()));
}

}  // namespace

void start_sites(EventStream& events) {
  g_codes.start();
  g_objects.start();
  start_stack_names();
  g_object_list = events.objects;
  events.stream.sites = 0;
  events.stream.objects = 0;
}

std::uint32_t code_site(std::uint64_t code, std::uint32_t what) {
  if (code == 0) return 0;
  auto* entry = g_codes.find(code);
  if (entry == nullptr) return 0;
  if (entry->id == 0) entry->id = raddle_meet_site(g_stream, what, code);
  return entry->id;
}

std::uint32_t any_site(std::uint64_t address) {
  RaddleSite* site = described_site(address);
  if (site == nullptr) return code_site(address);
  if (site->id == 0) site->id = raddle_meet_site(g_stream, RADDLE_SITE_DESCRIBED, address);
  return site->id;
}

void note_object(std::uint64_t address, std::uint64_t code) {
  if (NewObject functions; find_functions(self(), functions)) put_object(functions);
  auto* entry = g_objects.find(address);
  if (entry == nullptr || entry->id == kPlain) return;
  if (entry->id != 0 && frame_stands(entry->id, address, code)) return;
  NewObject object{address};
  entry->id = find_frame(object, entry->id);
  if (entry->id == 0) entry->id = kPlain;
  put_object(object);
}

}  // namespace raddle
