// The number of songs was asked for once; the element says that it is gone.
// cause: check-then-act
// object: playlist.songs_
// also: -O0
// also: -O2
// says: length() and at() lock it themselves
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Playlist {
 public:
  int length() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(songs_.size());
  }
  std::string at(int i) const {
    const std::lock_guard lock(mutex_);
    return songs_.at(static_cast<std::size_t>(i));
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return songs_;
  }
  void cut(std::size_t length) {
    const std::lock_guard lock(mutex_);
    songs_.resize(length);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> songs_{"Intro", "Walk", "River", "Home"};
};

Playlist playlist;

std::size_t letters() {
  std::size_t sum = 0;
#ifdef FIXED
  for (const std::string& song : playlist.all()) sum += song.size();
#else
  const int songs = playlist.length();                           // [first]
  for (int i = 0; i < songs; ++i) sum += playlist.at(i).size();  // [last]
#endif
  return sum;
}

int main() {
  std::thread player([] { letters(); });
  std::thread editor([] { playlist.cut(2); });
  player.join();
  editor.join();
}
