// A journal counts an entry before it is written; its reader goes by the count.
// cause: unsafe-publication
// object: journal.entries_
// says: write journal.written_ (at index_before_entry.cpp:24) last
// never: keep T2 out
#include <array>
#include <atomic>
#include <cstdio>
#include <thread>

struct Entry {
  int account = -1;
  int amount = 0;
};

class Journal {
 public:
  void append(Entry entry) {
    const std::size_t next = written_.load(std::memory_order_relaxed);
#ifdef FIXED
    entries_[next] = entry;
    written_.store(next + 1, std::memory_order_release);
#else
    written_.store(next + 1, std::memory_order_release);  // [first]
    entries_[next] = entry;
#endif
  }
  bool read(std::size_t at, Entry& entry) const {
    if (at >= written_.load(std::memory_order_acquire)) return false;
    entry = entries_[at];  // [last]
    return true;
  }

 private:
  std::array<Entry, 4> entries_;
  std::atomic<std::size_t> written_{0};
};

int main() {
  Journal journal;
  int wrong = 0;
  std::thread writer([&] {
    for (int i = 0; i < 2; ++i) journal.append({i, 100 * i});
  });
  std::thread auditor([&] {
    std::size_t at = 0;
    for (int tries = 0; tries < 5; ++tries) {
      Entry entry;
      if (!journal.read(at, entry)) continue;
      if (entry.account != static_cast<int>(at)) ++wrong;
      ++at;
    }
  });
  writer.join();
  auditor.join();
  if (wrong > 0) std::fprintf(stderr, "%d entries are wrong\n", wrong);
  return wrong > 0 ? 1 : 0;
}
