// Old sessions are dropped under the lock for reading, while others look theirs up.
// cause: use-after-free
// object: element of a map or sessions
// says: for writing
// never: wait for that write
// causes: 1
// also: -O2
#include <cassert>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

class Sessions {
 public:
  void open(int id, const std::string& user) {
    const std::unique_lock lock(mutex_);
    users_[id] = user;
  }
  std::string user(int id) const {
    const std::shared_lock lock(mutex_);
    const auto session = users_.find(id);                              // [last]
    return session == users_.end() ? std::string() : session->second;  // [last]
  }
  void drop(int id) {
#ifdef FIXED
    const std::unique_lock lock(mutex_);
#else
    const std::shared_lock lock(mutex_);
#endif
    users_.erase(id);  // [first]
  }

 private:
  mutable std::shared_mutex mutex_;
  std::map<int, std::string> users_;
};

int main() {
  Sessions sessions;
  for (int id = 0; id < 4; ++id) sessions.open(id, "user " + std::to_string(id));
  std::thread cleaner([&] {
    for (int id = 1; id < 4; ++id) sessions.drop(id);
  });
  const std::string user = sessions.user(0);
  cleaner.join();
  assert(user == "user 0");
}
