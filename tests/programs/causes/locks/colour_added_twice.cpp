// A colour is looked up under a lock for reading. Who does not find it adds it under the lock for
// writing, without another look: both add it, at other places of the map than they looked at.
// cause: check-then-act
// object: palette.indices_
// says: look at palette.indices_ again when palette.lock_ is held for writing, after
// seen: released palette.lock_ at colour_added_twice.cpp:25;
// never: two reads
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

class Palette {
 public:
  int index_of(const std::string& colour) {
    lock_.lock_shared();
    const auto known = indices_.find(colour);  // [first]
    if (known != indices_.end()) {
      const int index = known->second;
      lock_.unlock_shared();
      return index;
    }
    lock_.unlock_shared();
    const std::unique_lock writing(lock_);
#ifdef FIXED
    if (const auto now = indices_.find(colour); now != indices_.end()) return now->second;
#endif
    const int index = static_cast<int>(colours_.size());
    colours_.push_back(colour);
    indices_[colour] = index;  // [last]
    return index;
  }

 private:
  std::shared_mutex lock_;
  std::unordered_map<std::string, int> indices_;
  std::vector<std::string> colours_;
} palette;

int main() {
  std::vector<int> left;
  std::vector<int> right;
  const auto draw = [](std::vector<int>& pixels) {
    for (const char* colour : {"red", "blue", "red"}) pixels.push_back(palette.index_of(colour));
  };
  std::thread one([&] { draw(left); });
  std::thread other([&] { draw(right); });
  one.join();
  other.join();
  return left == right ? 0 : 1;
}
