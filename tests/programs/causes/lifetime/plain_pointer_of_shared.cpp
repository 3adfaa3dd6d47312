// A look-up hands out a plain pointer to what a std::shared_ptr of the table owns; when the lock is
// released, nothing keeps the object.
// cause: use-after-free
// object: object of a shared_ptr
// says: T1 had rooms.mutex_ from plain_pointer_of_shared.cpp:
// causes: 1
// seen: let T1 own the object, too, while it uses it: copy its std::shared_ptr
// never: may hold anything
#include <map>
#include <memory>
#include <mutex>
#include <thread>

struct Room {
  std::mutex mutex;
  int guests = 0;
  void enter() {
    const std::lock_guard lock(mutex);  // [last]
    ++guests;                           // [last]
  }  // [last]
};

class Rooms {
 public:
  void open(int number) {
    const std::lock_guard lock(mutex_);
    rooms_[number] = std::make_shared<Room>();
  }
#ifdef FIXED
  std::shared_ptr<Room> find(int number) {
#else
  Room* find(int number) {
#endif
    const std::lock_guard lock(mutex_);
    const auto found = rooms_.find(number);
    if (found == rooms_.end()) return nullptr;
#ifdef FIXED
    return found->second;
#else
    return found->second.get();
#endif
  }
  void close(int number) {
    const std::lock_guard lock(mutex_);
    rooms_.erase(number);  // [first]
  }

 private:
  std::mutex mutex_;
  std::map<int, std::shared_ptr<Room>> rooms_;
} rooms;

int main() {
  rooms.open(7);
  std::thread guest([] {
    if (const auto room = rooms.find(7)) room->enter();
  });
  std::thread owner([] { rooms.close(7); });
  guest.join();
  owner.join();
}
