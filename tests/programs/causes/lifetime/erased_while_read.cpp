// An entry is erased under a lock that is held for reading only, while another thread reads on.
// cause: use-after-free
// object: element of a map or set
// says: take peers.mutex for writing
// never: wait for
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>

struct Peers {
  std::shared_mutex mutex;
  std::map<int, int> ports = {{1, 80}, {2, 81}, {3, 82}};

  int sum() {
    const std::shared_lock lock(mutex);
    int all = 0;
    for (auto one = ports.begin(); one != ports.end(); ++one) {  // [last]
      std::this_thread::yield();
      all += one->second;
    }
    return all;
  }

  void prune(int peer) {
#ifdef FIXED
    const std::unique_lock lock(mutex);
#else
    const std::shared_lock lock(mutex);
#endif
    ports.erase(peer);  // [first]
  }
};

int main() {
  Peers peers;
  std::thread other([&] { peers.prune(2); });
  peers.sum();
  other.join();
}
