// Each function locks the map; the ticket is gone between the two. A map's inside is no value.
// cause: check-then-act
// object: desk.tickets_
// also: -O0
// also: -O2
// never: = 0
#include <map>
#include <mutex>
#include <string>
#include <thread>

class Desk {
 public:
  bool has(int number) {
    const std::lock_guard lock(mutex_);
    return tickets_.count(number) != 0;
  }
  std::string owner(int number) {
    const std::lock_guard lock(mutex_);
    return tickets_.at(number);
  }
  std::string owner_or(int number, const std::string& nobody) {
    const std::lock_guard lock(mutex_);
    const auto at = tickets_.find(number);
    return at == tickets_.end() ? nobody : at->second;
  }
  void give(int number, const std::string& owner) {
    const std::lock_guard lock(mutex_);
    tickets_[number] = owner;
  }
  void expire(int number) {
    const std::lock_guard lock(mutex_);
    tickets_.erase(number);
  }

 private:
  std::mutex mutex_;
  std::map<int, std::string> tickets_;
};

Desk desk;

std::string ask(int number) {
#ifdef FIXED
  return desk.owner_or(number, "nobody");
#else
  if (!desk.has(number)) return "nobody";  // [first]
  return desk.owner(number);               // [last]
#endif
}

int main() {
  desk.give(7, "Ada");
  std::thread clerk([] { ask(7); });
  std::thread cleaner([] { desk.expire(7); });
  clerk.join();
  cleaner.join();
}
