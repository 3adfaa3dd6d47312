// Who asks for the map makes it if there is none. Another one asks before it has its scale.
// cause: unsafe-publication
// object: Map::scale
// says: had yet to write
// seen: check and make hut.map_ in Hut::map
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Map {
  int scale = 0;
};

class Hut {
 public:
  const Map& map() {
#ifdef FIXED
    const std::lock_guard lock(mutex_);
#endif
    if (!map_) {
      map_ = std::make_unique<Map>();  // [first]
      survey();
    }
    return *map_;
  }

 private:
  void survey() { map_->scale = 25; }

  std::mutex mutex_;
  std::unique_ptr<Map> map_;
};

int main() {
  Hut hut;
  const auto hike = [&] { assert(hut.map().scale == 25); };  // [last]
  std::thread first(hike);
  std::thread second(hike);
  first.join();
  second.join();
}
