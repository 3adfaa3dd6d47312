// An entry is used while another thread erases it, which is where it dies.
// cause: use-after-free
// object: Entry
// also: -O0
// also: -O2
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

struct Entry {
  std::string text = "a text that is too long for the object itself";
};

std::mutex mutex;
std::map<int, std::unique_ptr<Entry>> entries;

std::size_t seen;

std::size_t length() {
#ifdef FIXED
  std::lock_guard<std::mutex> hold(mutex);
  const auto found = entries.find(1);
  return found == entries.end() ? 0 : found->second->text.size();
#else
  Entry* entry = nullptr;
  {
    std::lock_guard<std::mutex> hold(mutex);
    const auto found = entries.find(1);
    if (found != entries.end()) entry = found->second.get();
  }
  return entry == nullptr ? 0 : entry->text.size();  // [last]
#endif
}

int main() {
  entries.emplace(1, std::make_unique<Entry>());
  std::thread reader([] { seen = length(); });
  std::thread eraser([] {
    std::lock_guard<std::mutex> hold(mutex);
    entries.erase(1);  // [first]
  });
  reader.join();
  eraser.join();
}
